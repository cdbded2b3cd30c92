/** Members of globals, as the server 0.55.0 answers with `engine.globals: {limits: {max: 5}}`. */

import { expect, test } from "vitest";
import { ATTRIBUTES } from "../../src/cel/roots.js";
import { Entries } from "../../src/cel/values.js";
import { evaluationOf, load } from "./support.js";

test.each([
  ["G.limits.max == 5", true],
  ["G.limits.max + 1 == 6", true],
  ["G.limits['max'] + 1 == 6", true],
  ["has(G.limits.max)", true],
  ["type(G.limits.max) == int", true],
  ["[G.limits][0].max == 5", true],
  ["G.limits.min == 5", undefined],
  ["G.limits.toString == 5", undefined],
  ["G.limits.max.x == 5", undefined],
])("%s", (source, expected) => {
  const code = load(source);
  if (typeof code !== "function") throw new Error(code.refused);
  const ev = evaluationOf({});
  ev.attributes[ATTRIBUTES.globals] = { limits: new Entries([["max", 5n]]) };
  expect(code(ev)).toBe(expected);
});
