/**
 * docs/public-api.md is what the package exports.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { publicApi } from "./public-api.js";

// Long, for a compiler reads all declarations. It buys that no change of the public surface goes unseen in review.
test.skipIf(!BUILT)("the page is up to date (npm run public-api)", () => {
  const page = readFileSync(`${ROOT}docs/public-api.md`, "utf8");
  expect(page).toContain("export declare function decide<");
  expect(publicApi(ROOT)).toBe(page);
});
