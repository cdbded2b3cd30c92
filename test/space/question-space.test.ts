/** The roles that searches try, and the attributes that damage touches. */

import { expect, test } from "vitest";
import { touches } from "../../src/space/asked-about.js";
import { roleSets } from "../../src/space/question-space.js";

test("roles are tried one by one, and all together", () => {
  expect(roleSets([])).toEqual([]);
  expect(roleSets(["a"])).toEqual([["a"]]);
  expect(roleSets(["a", "b"])).toEqual([["a"], ["b"], ["a", "b"]]);
});

test.each([
  ["a", ["a"], true],
  ["a", ["a.b"], true],
  ["a.b", ["a"], true],
  ["a", ["ab"], false],
  ["a.b", ["a.c"], false],
  ["a", [], false],
])("damage to %s touches %j: %s", (attribute, others, expected) => {
  expect(touches(attribute, others)).toBe(expected);
});
