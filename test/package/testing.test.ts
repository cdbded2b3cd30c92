/** The package's entries load only the expected packages. */

import { describe, expect, test } from "vitest";
import { BUILT } from "../support/built.js";
import { bundled } from "../support/bundle.js";

/** All packages that an entry loads, statically or dynamically. */
async function packagesOf(entry: string): Promise<readonly string[]> {
  const metafile = await bundled(entry);
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return imports.filter(({ external }) => external).map(({ path }) => path);
}

describe.skipIf(!BUILT)("optional packages (skipped without dist/: npm run build)", () => {
  test.each([
    ["index", false, false],
    ["node", false, false],
    ["cerbos", false, false],
    ["audit", false, false],
    ["cli", false, false],
    ["testing", false, false],
    ["testing-vitest", false, true],
  ])("%s needs fast-check: %s, vitest: %s", async (entry, fastCheck, vitest) => {
    const packages = await packagesOf(entry);
    expect([packages.includes("fast-check"), packages.includes("vitest")]).toEqual([fastCheck, vitest]);
  });
});
