// What esbuild makes of the library: an entry for each of the package's, with chunks that they share.
//
// What reads policies (yaml, @bufbuild/re2) and the parts of fp-ts in use are bundled.
// docs/decisions/bundled-parser.md says why, with figures.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

const EXTERNAL = [
  "node:*",
  "@bufbuild/protobuf",
  "@bufbuild/protobuf/*",
  "@cerbos/*",
  "fast-check",
  "vitest",
  "chokidar",
];

const OPTIONS = {
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
  // Of these a bundler leaves out what is not called.
  alias: { "fp-ts/lib": "fp-ts/es6" },
  metafile: true,
  logLevel: "warning",
};

/**
 * What loads bundles of policies: apart from the rest, with which it shares nothing at run time, so that it is few files,
 * and small.
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

/** Bundles into dist/, or, with `write: false`, only finds out what would be in it. */
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
      sql: "src/sql/index.ts",
      testing: "src/testing/index.ts",
      "testing-vitest": "src/testing/vitest.ts",
      audit: "src/audit/index.ts",
      watch: "src/watch/index.ts",
      cli: "src/cli/main.ts",
    },
  });
}
