// Builds the package into dist/: JavaScript bundled by entry (with shared chunks), declarations by the compiler.
//
// What makes up the expression language (the grammar of @bufbuild/cel, @bufbuild/re2) and the parts of fp-ts in use are
// bundled; ajv and yaml stay dependencies. docs/decisions/bundled-parser.md says why, with figures.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildReviewPanel } from "./review-panel.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });

const result = await build({
  absWorkingDir: root,
  entryPoints: {
    index: "src/index.ts",
    node: "src/node/index.ts",
    cerbos: "src/cerbos/index.ts",
    http: "src/http/index.ts",
    "http-hono": "src/http/hono/index.ts",
    "http-express": "src/http/express/index.ts",
    "http-fastify": "src/http/fastify/index.ts",
    testing: "src/testing/index.ts",
    "testing-vitest": "src/testing/vitest.ts",
    audit: "src/audit/index.ts",
    watch: "src/watch/index.ts",
    cli: "src/cli/main.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  sourcemap: true,
  sourcesContent: false,
  external: [
    "node:*",
    "@bufbuild/protobuf",
    "@bufbuild/protobuf/*",
    "@cerbos/*",
    "ajv",
    "ajv/*",
    "fast-check",
    "vitest",
    "chokidar",
    "yaml",
  ],
  metafile: true,
  logLevel: "warning",
});
chmodSync(`${root}dist/cli.js`, 0o755);
writeFileSync(`${root}dist/review-panel.js`, await buildReviewPanel());
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`built dist/: ${Object.keys(result.metafile.outputs).length} files, ${Math.round(bytes / 1024)} kB`);
