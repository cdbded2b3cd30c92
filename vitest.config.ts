import { defineConfig } from "vitest/config";

const source = (path: string) => new URL(`src/${path}/index.ts`, import.meta.url).pathname;

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    testTimeout: 300_000,
    pool: "threads",
    maxWorkers: "100%",
    projects: [
      { extends: true, test: { name: "keyward", include: ["test/**/*.test.ts"] } },
      {
        extends: true,
        // The service is tested on the library's source.
        resolve: {
          alias: [
            { find: /^keyward$/, replacement: source(".") },
            { find: /^keyward\/(node|cerbos|http)$/, replacement: source("$1") },
          ],
        },
        test: {
          name: "service",
          include: ["service/test/**/*.test.ts"],
          globalSetup: ["service/test/support/setup.ts"],
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
