/** The packages that only benchmarks use. They are in this folder, outside the workspaces. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** `import.meta.url` is the URL of the bundle, in `bench/.build/`. */
const HOME = new URL("../peers/", import.meta.url);
const require = createRequire(new URL("package.json", HOME));

/** Installs the packages on first use, from the lock file of their folder. */
export function install(): void {
  const script = fileURLToPath(new URL("../../scripts/install.mjs", HOME));
  execFileSync(process.execPath, [script, fileURLToPath(HOME)], { stdio: "inherit" });
}

export async function installed(name: string): Promise<{ readonly [name: string]: unknown }> {
  return await import(pathToFileURL(require.resolve(name)).href);
}

/** The version of a package, wherever it is installed. */
export function versionOf(name: string): string {
  for (const from of [require, createRequire(import.meta.url)]) {
    for (const at of from.resolve.paths(name) ?? []) {
      try {
        const { version } = JSON.parse(readFileSync(join(at, name, "package.json"), "utf8"));
        return String(version);
      } catch {
        // Not in this folder: the search goes on with its parents.
      }
    }
  }
  return "?";
}

export function serverVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL("../../test/server/package.json", HOME), "utf8"));
  return String(optionalDependencies[`@cerbos/cerbos-${process.platform}-${process.arch}`]);
}
