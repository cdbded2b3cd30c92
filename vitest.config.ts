import { configDefaults, defineConfig } from "vitest/config";

const source = (path: string) => new URL(`src/${path}/index.ts`, import.meta.url).pathname;

/**
 * Two tiers. The short one leaves out `*.long.test.ts` and looks at a part of each sample; in the long one
 * (`KEYWARD_TIER=long`, `npm run test:long`) all run, on whole samples (`test/support/size.ts`).
 */
const isLong = process.env.KEYWARD_TIER === "long";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    testTimeout: 300_000,
    pool: "threads",
    maxWorkers: "100%",
    exclude: [...configDefaults.exclude, ...(isLong ? [] : ["**/*.long.test.ts"])],
    projects: [
      // One worker loads the source once, for all its files: loading it for each takes longer than most of them.
      { extends: true, test: { name: "keyward", include: ["test/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        // The service is tested on the library's source.
        resolve: {
          alias: [
            { find: /^keyward$/, replacement: source(".") },
            { find: /^keyward\/(node|cerbos|http|watch)$/, replacement: source("$1") },
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
