/**
 * docs/public-api.md lists the package's exports.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";
import { publicApi } from "./public-api.js";

// Slow, because a compiler reads all declarations. In return, a review shows every change of the public API.
test.skipIf(!BUILT)("the page is up to date (npm run public-api)", () => {
  const page = readFileSync(`${ROOT}docs/public-api.md`, "utf8");
  expect(page).toContain("export declare function decide<");
  expect(publicApi(ROOT)).toBe(page);
});
