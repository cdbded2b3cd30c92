import { readdirSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";

const source = (path: string) => new URL(`src/${path}/index.ts`, import.meta.url).pathname;

/** The files of which all tests are long, where long tests are left out: to load them takes longer than to leave them. */
function leftOut(): readonly string[] {
  if (!process.argv.includes("--tags-filter=!long")) return [];
  return ["test", "service/test"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".test.ts"))
      .map((path) => `${root}/${path.replaceAll("\\", "/")}`)
      .filter((path) => readFileSync(path, "utf8").includes("@module-tag long")),
  );
}

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration from a default export.
export default defineConfig({
  test: {
    testTimeout: 300_000,
    pool: "threads",
    maxWorkers: "100%",
    // One worker loads the source once, for all its files: loading it for each takes longer than most of them.
    isolate: false,
    exclude: [...configDefaults.exclude, ...leftOut()],
    tags: [
      {
        name: "long",
        description: "Not in `npm test`: asks the real server, starts processes, uses the registry or looks at much.",
      },
    ],
    projects: [
      { extends: true, test: { name: "keyward", include: ["test/**/*.test.ts"] } },
      {
        extends: true,
        // The service is tested on the library's source.
        resolve: {
          alias: [
            { find: /^keyward$/, replacement: source(".") },
            { find: /^keyward\/(audit|node|cerbos|http|sql|watch)$/, replacement: source("$1") },
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
