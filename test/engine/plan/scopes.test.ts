/** The scopes that are searched. */

import { expect, test } from "vitest";
import { effectiveScope, scopeChain, withoutDot } from "../../../src/engine/plan/scopes.js";

const KNOWN = new Set(["", "acme", "acme.eu.web"]);

test.each<readonly [scope: string, strict: readonly string[], lenient: readonly string[]]>([
  ["", [""], [""]],
  ["acme", ["acme", ""], ["acme", ""]],
  ["acme.eu.web", ["acme.eu.web", "acme", ""], ["acme.eu.web", "acme", ""]],
  ["acme.eu", [], ["acme", ""]],
  ["other", [], [""]],
])("%j", (scope, strict, lenient) => {
  expect([scopeChain(KNOWN, scope, false), scopeChain(KNOWN, scope, true)]).toEqual([strict, lenient]);
});

test("a leading dot says that the scope is not the default one", () => {
  expect([".", ".acme", "acme", ""].map(withoutDot)).toEqual(["", "acme", "acme", ""]);
  expect([".", ".acme", "acme", ""].map((scope) => effectiveScope(scope, ".by.default"))).toEqual([
    ...["", "acme", "acme", "by.default"],
  ]);
});
