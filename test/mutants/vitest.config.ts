/** Runs tests on a source with one fault in it, which stands in `KEYWARD_MUTANT`. */

import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const { file, start, end, text } = JSON.parse(process.env.KEYWARD_MUTANT ?? "{}");

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from a default export.
export default defineConfig({
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      load(id) {
        if (file === undefined || id !== file) return undefined;
        const source = readFileSync(id, "utf8");
        return source.slice(0, start) + text + source.slice(end);
      },
    },
  ],
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    tags: [{ name: "long" }],
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    bail: 1,
    testTimeout: 60_000,
  },
});
