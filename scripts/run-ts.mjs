// Runs a TypeScript program of this repository: node scripts/run-ts.mjs FILE [ARGS]
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "esbuild";

const [file, ...args] = process.argv.slice(2);
const outdir = join(dirname(resolve(file)), ".build");
mkdirSync(outdir, { recursive: true });
const outfile = join(outdir, basename(file).replace(/\.ts$/, ".mjs"));
await build({
  entryPoints: [file],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--expose-gc", outfile, ...args], { stdio: "inherit" });
process.exitCode = status ?? 1;
