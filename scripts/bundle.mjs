// Bundles the library with esbuild: one file for each entry of the package, with shared chunks.
//
// The dependencies that read policies (yaml, @bufbuild/re2), those of `keyward matrix` that read CSV and write workbooks,
// the parser of generated functions (acorn), and the used parts of fp-ts and fast-check are bundled; see
// docs/decisions/bundled-parser.md for the reasons and figures.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const EXTERNAL = [
  "node:*",
  "@bufbuild/protobuf",
  "@bufbuild/protobuf/*",
  "@cerbos/*",
  "@opentelemetry/*",
  "vitest",
  "chokidar",
  "jose",
  "pg",
  "prom-client",
];

/** The options of all builds. Other programs that bundle the sources use them as well. */
export const OPTIONS = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2022",
  minifyWhitespace: true,
  minifySyntax: true,
  external: EXTERNAL,
  // The ES modules of fp-ts: a bundler can drop their unused functions.
  alias: { "fp-ts/lib": "fp-ts/es6", stream: "node:stream" },
  metafile: true,
  logLevel: "warning",
};

/**
 * Bundles `keyward/runtime`, which loads bundles of policies. It shares no chunk with the other entries, so that it
 * stays small and has few files.
 */
export async function bundleRuntime({ write }) {
  return await build({
    ...OPTIONS,
    write,
    minify: true,
    chunkNames: "runtime-[hash]",
    entryPoints: {
      runtime: "src/bundle/index.ts",
      "runtime-everything": "src/bundle/everything.ts",
      "runtime-watch": "src/watch/bundles.ts",
      "runtime-cerbos": "src/cerbos/runtime.ts",
    },
  });
}

/** Bundles into dist/. With `write: false` it writes nothing, and only returns the contents. */
export async function bundle({ write }) {
  return await build({
    ...OPTIONS,
    write,
    entryPoints: {
      index: "src/index.ts",
      node: "src/node/index.ts",
      cerbos: "src/cerbos/index.ts",
      http: "src/http/index.ts",
      "http-hono": "src/http/hono/index.ts",
      "http-express": "src/http/express/index.ts",
      "http-fastify": "src/http/fastify/index.ts",
      mcp: "src/mcp/index.ts",
      authzen: "src/authzen/index.ts",
      sql: "src/sql/index.ts",
      testing: "src/testing/index.ts",
      "testing-vitest": "src/testing/vitest.ts",
      audit: "src/audit/index.ts",
      watch: "src/watch/index.ts",
      "widening-worker": "src/watch/widening-thread.ts",
      cli: "src/cli/main.ts",
    },
  });
}
