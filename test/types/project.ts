/** A project in which `keyward` is the declarations that users get, and what compilers say of it. */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { typesModule } from "../../src/audit/types/module.js";
import { ROOT } from "../support/built.js";
import { compiled, shipped } from "../support/policies.js";
import { libraryFiles } from "./library.js";

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** What a compiler prints: its package is at the path `compiler` from the root of the repository. */
async function output(compiler: string, args: readonly string[]): Promise<string> {
  const tsc = join(ROOT, compiler, "bin", "tsc");
  return await new Promise((resolve) => {
    execFile(process.execPath, [tsc, ...args], { cwd: ROOT, maxBuffer: 2 ** 26 }, (_, out, err) => resolve(out + err));
  });
}

/** The errors of a compiler, by the line on which each begins, with all that it says of it. */
export async function findings(project: string, compiler: string): Promise<readonly Finding[]> {
  const out = await output(compiler, ["--project", project, "--pretty", "false"]);
  const found: { file: string; line: number; message: string }[] = [];
  for (const text of out.split("\n")) {
    const {
      file = "",
      line,
      message,
    } = /^(?<file>[^\s(][^(]*)\((?<line>\d+),\d+\): (?<message>error .*)$/.exec(text)?.groups ?? {};
    const last = found.at(-1);
    if (message !== undefined) found.push({ file: file.split("/").at(-1) ?? "", line: Number(line), message });
    else if (last !== undefined) last.message += `\n${text}`;
    else if (text !== "") throw new Error(text);
  }
  return found;
}

/** Makes a project of the files that `include` names; returns its directory. Types of policies are `shipped` and `library`. */
export async function newProject(
  include: readonly string[],
  options: { readonly [option: string]: boolean } = {},
): Promise<string> {
  await mkdir(`${ROOT}.build`, { recursive: true });
  const project = await mkdtemp(join(ROOT, ".build", "types-"));
  const declarations = join(project, "declarations");
  const built = await output("node_modules/typescript", [
    "--project",
    `${ROOT}tsconfig.build.json`,
    "--outDir",
    declarations,
  ]);
  if (built !== "") throw new Error(built);
  await writeFile(join(project, "shipped.ts"), typesModule(shipped));
  await writeFile(join(project, "library.ts"), typesModule(compiled(libraryFiles, { platform: "none" })));
  const { exports } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  const entries = Object.entries<{ readonly types?: string }>(exports).flatMap(([entry, { types }]) =>
    types === undefined ? [] : [[entry.replace(/^\./, "keyward"), [types.replace("./dist/types", declarations)]]],
  );
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      rootDir: "../..",
      // What stands in no handler is not used.
      noUnusedLocals: false,
      ...options,
      paths: { ...Object.fromEntries(entries), shipped: ["./shipped.ts"], library: ["./library.ts"] },
    },
    include,
    exclude: [],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  return project;
}
