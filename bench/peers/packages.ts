/** The packages that only benches compare with: they are in this folder, apart from the workspaces. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** `import.meta.url` is that of the bundle, `bench/.build/`. */
const HOME = new URL("../peers/", import.meta.url);
const require = createRequire(new URL("package.json", HOME));

/** What is compared with is installed when it is first needed, beside the lock file of its folder. */
export function install(): void {
  const [installed, lock] = ["node_modules/.package-lock.json", "package-lock.json"].map((name) => new URL(name, HOME));
  if (installed === undefined || lock === undefined) return;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: HOME, stdio: "inherit" });
}

export async function installed(name: string): Promise<{ readonly [name: string]: unknown }> {
  return await import(pathToFileURL(require.resolve(name)).href);
}

/** The version of a package, wherever it was installed. */
export function versionOf(name: string): string {
  for (const from of [require, createRequire(import.meta.url)]) {
    for (const at of from.resolve.paths(name) ?? []) {
      try {
        const { version } = JSON.parse(readFileSync(join(at, name, "package.json"), "utf8"));
        return String(version);
      } catch {
        // Not there: further up, perhaps.
      }
    }
  }
  return "?";
}

export function serverVersion(): string {
  return versionOf(`@cerbos/cerbos-${process.platform}-${process.arch}`);
}
