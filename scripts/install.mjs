// Installs the packages of folders that are no workspaces, from the lock file of each, unless they are installed already:
// node scripts/install.mjs FOLDER … They are heavy, and most who work here never need them.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export function install(folder) {
  const [installed, lock] = ["node_modules/.package-lock.json", "package-lock.json"].map((name) => join(folder, name));
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder, stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of process.argv.slice(2)) install(resolve(folder));
}
