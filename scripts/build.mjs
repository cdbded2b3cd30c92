// Builds the package into dist/: JavaScript bundled by entry (with shared chunks), declarations by the compiler.
//
// The grammar of @bufbuild/cel and the parts of fp-ts in use are bundled, since importing them whole would cost an
// empty process more than all the rest (docs/decisions/bundled-parser.md has the figures). What is large, or what
// a deployment wants to update by itself, stays a dependency.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });

const result = await build({
  absWorkingDir: root,
  entryPoints: { index: "src/index.ts", node: "src/node/index.ts", cli: "src/cli/main.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  sourcemap: true,
  sourcesContent: false,
  external: ["node:*", "@bufbuild/re2", "@cerbos/core", "ajv", "ajv/*", "ajv-formats", "yaml"],
  metafile: true,
  logLevel: "warning",
});
chmodSync(`${root}dist/cli.js`, 0o755);
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`built dist/: ${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} kB`);
