/** A project that resolves `keyward` to the declarations for users, and the errors of compilers in it. */

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

/** The output of a compiler. `compiler` is the path of its package from the root of the repository. */
async function output(compiler: string, args: readonly string[]): Promise<string> {
  const tsc = join(ROOT, compiler, "bin", "tsc");
  return await new Promise((resolve) => {
    execFile(process.execPath, [tsc, ...args], { cwd: ROOT, maxBuffer: 2 ** 26 }, (_, out, err) => resolve(out + err));
  });
}

/** A compiler's errors, each with its first line number and whole text. */
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

/**
 * Makes a project of the files that `include` names, and returns its directory. The modules `shipped` and `library`
 * have the types of policies.
 */
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
      // Values that no handler uses remain unused.
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
