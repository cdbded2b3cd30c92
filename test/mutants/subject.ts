/** The bundle for mutation testing: the source with all mutants, and the test files, each loadable separately. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { instrumented } from "./instrument.js";
import { type Faults, faultsOf, type Mutant } from "./mutations.js";

export interface Place extends Mutant {
  readonly file: string;
}

export interface Subject {
  /** Numbered by their index. */
  readonly places: readonly Place[];
  /** A CommonJS module, as text, that reads the variables of `instrument.ts` and exports a function `load(testFile)`. */
  readonly code: string;
  /** The modules that it requests by {@link OUTSIDE}: all evaluations share them. */
  readonly outside: readonly string[];
  /** Direct imports of a file. */
  importsOf(file: string): readonly string[];
}

/** The bundle's function for shared modules, which are not CommonJS. */
export const OUTSIDE = "__outside";

/** Paths are relative to the repository, which is the working directory. */
export async function subjectOf(mutated: readonly string[], tests: readonly string[]): Promise<Subject> {
  const root = process.cwd();
  const places: Place[] = [];
  const outside = new Set<string>();
  const targets = new Map<string, string>();
  for (const file of mutated) {
    const source = readFileSync(file, "utf8");
    const faults = faultsOf(file, source);
    targets.set(file, instrumented(source, faults, places.length));
    places.push(...faults.mutants.map((mutant) => ({ ...mutant, file })));
  }
  const textOf = (file: string): string => {
    const known = targets.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(file, "utf8");
    // Bodies are counted in the whole source: a mutant can make a loop elsewhere endless.
    return file.startsWith("src/") ? instrumented(source, bodiesOf(faultsOf(file, source)), 0) : source;
  };
  const plugin: Plugin = {
    name: "subject",
    setup(bundle) {
      bundle.onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
        // JSON is bundled, since it is not a module.
        if (kind === "entry-point" || path.startsWith("/") || path.startsWith("keyward") || path.endsWith(".json")) {
          return undefined;
        }
        outside.add(path);
        return { path, namespace: "outside" };
      });
      bundle.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
        const found = join(resolveDir, path).replace(/\.js$/, ".ts");
        return existsSync(found) ? { path: found } : undefined;
      });
      bundle.onLoad({ filter: /.*/, namespace: "outside" }, async ({ path }) => ({
        contents: await reexported(path),
        resolveDir: root,
      }));
      bundle.onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
        if (path.endsWith(".d.ts")) return undefined;
        const url = JSON.stringify(pathToFileURL(path).href);
        const contents = textOf(relative(root, path)).replaceAll("import.meta.url", url);
        return { contents, loader: "ts", resolveDir: dirname(path) };
      });
    },
  };
  const entry = tests.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)}),`);
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `const all = {${entry.join("\n")}};\nexport const load = (file) => all[file]();`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    keepNames: true,
    logLevel: "warning",
    plugins: [plugin],
  });
  const importsOf = (file: string): readonly string[] =>
    (metafile.inputs[file]?.imports ?? []).map(({ path }) => path).filter((path) => existsSync(path));
  return { places, code: outputFiles[0]?.text ?? "", outside: [...outside], importsOf };
}

function bodiesOf({ bodies }: Faults): Faults {
  return { mutants: [], bodies };
}

/** A module with the exports of a shared module, which the evaluating code supplies. */
async function reexported(path: string): Promise<string> {
  const names = Object.keys(await sharedModule(path)).filter((name) => name !== "default" && /^[\w$]+$/.test(name));
  return [
    `const all = ${OUTSIDE}(${JSON.stringify(path)});`,
    ...names.map((name, i) => `const _${i} = all[${JSON.stringify(name)}]; export { _${i} as ${name} };`),
    "export default all.default;",
  ].join("\n");
}

/** A module from outside the repository. */
export async function sharedModule(path: string): Promise<object> {
  return path === "vitest" ? await import("./vitest-shim.js") : await import(path);
}
