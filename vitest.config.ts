import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    pool: "threads",
  },
});
