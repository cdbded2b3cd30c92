// What esbuild makes of the library: an entry for each of the package's, with chunks that they share.
//
// What makes up the expression language (the grammar of @bufbuild/cel, @bufbuild/re2) and the parts of fp-ts in use are
// bundled; yaml stays a dependency. docs/decisions/bundled-parser.md says why, with figures.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles into dist/, or, with `write: false`, only finds out what would be in it. */
export async function bundle({ write }) {
  return await build({
    write,
    absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
    entryPoints: {
      index: "src/index.ts",
      node: "src/node/index.ts",
      cerbos: "src/cerbos/index.ts",
      http: "src/http/index.ts",
      "http-hono": "src/http/hono/index.ts",
      "http-express": "src/http/express/index.ts",
      "http-fastify": "src/http/fastify/index.ts",
      sql: "src/sql/index.ts",
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
      "fast-check",
      "vitest",
      "chokidar",
      "yaml",
    ],
    metafile: true,
    logLevel: "warning",
  });
}
