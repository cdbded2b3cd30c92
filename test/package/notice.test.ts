/** NOTICE lists every bundled work with its license. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { notice } from "../../scripts/notice.mjs";
import { ROOT } from "../support/built.js";

const NOTICE = readFileSync(`${ROOT}NOTICE`, "utf8");

test("NOTICE is what `npm run notice` writes", async () => {
  expect(await notice()).toBe(NOTICE);
});

test.each(["@bufbuild/re2", "fp-ts", "xmlbuilder"])("the licence of %s goes along", (name) => {
  expect(NOTICE).toContain(readFileSync(`${ROOT}node_modules/${name}/LICENSE`, "utf8").trim());
});
