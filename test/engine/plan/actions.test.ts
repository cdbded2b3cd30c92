/** The actions and roles that the patterns in rules match. */

import { expect, test } from "vitest";
import { countEntries, globMatchers, matchers } from "../../../src/engine/plan/actions.js";

test("an entry with an asterisk is a pattern and no name; of role policies, what looks like a pattern is a name as well", () => {
  const entries = ["view", "view:*", "y{a,b}"];
  const counts = (made: typeof matchers) =>
    ["view", "view:x", "view:*", "ya", "y{a,b}"].map((action) => countEntries(made(entries), action));
  expect(counts(matchers)).toEqual([1, 1, 1, 0, 1]);
  expect(counts(globMatchers)).toEqual([1, 1, 1, 1, 1]);
});
