// Packs the service so that it can be installed alone: node scripts/pack.mjs DIRECTORY
//
// The service depends on the library of this repository by `file:..`, which means nothing elsewhere. DIRECTORY gets both
// as archives, and a package.json that installs them: `npm install --omit=dev` there. Needs `npm run build`.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const service = fileURLToPath(new URL("..", import.meta.url));
const library = join(service, "..");
const [, , given] = process.argv;
if (given === undefined) {
  process.stderr.write("usage: node scripts/pack.mjs DIRECTORY\n");
  process.exit(2);
}
const directory = resolve(given);
mkdirSync(directory, { recursive: true });

/** The name of the archive of the package in a folder. */
function packed(folder) {
  const options = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] };
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", directory], options),
  );
  return filename;
}

const archive = packed(library);
// A copy of the service without its tests, with the version of the library in place of `file:..`.
const copy = mkdtempSync(join(tmpdir(), "keyward-service-"));
try {
  for (const part of ["dist", "migrations", "README.md"])
    cpSync(join(service, part), join(copy, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(service, "package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(library, "package.json"), "utf8"));
  const { scripts: _, devDependencies: __, ...rest } = manifest;
  const dependencies = { ...manifest.dependencies, keyward: version };
  writeFileSync(join(copy, "package.json"), `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`);
  const own = packed(copy);
  const root = {
    private: true,
    dependencies: { keyward: `file:${archive}`, [manifest.name]: `file:${own}` },
  };
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(root, null, 2)}\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
