/** The actions and roles that the patterns in rules match. */

import { describe, expect, test } from "vitest";
import { actionMatchers, countEntries, type Matchers, matchers } from "../../../src/engine/plan/actions.js";

describe("an entry with an asterisk", () => {
  const entries = ["view", "view:*", "y{a,b}"];
  const counts = (made: Matchers) =>
    ["view", "view:x", "view:*", "ya", "y{a,b}"].map((action) => countEntries(made, action));

  test("is a pattern and no name", () => {
    expect(counts(matchers(entries))).toEqual([1, 1, 1, 0, 1]);
    expect(counts(actionMatchers(entries, "globs"))).toEqual([1, 1, 1, 0, 1]);
  });

  test("is a pattern in role policies of level 0.55, where a name that looks like a pattern is one as well", () => {
    expect(counts(actionMatchers(entries, "names_and_globs"))).toEqual([1, 1, 1, 1, 1]);
  });

  test("is a name in role policies of level 0.58, unless it is an asterisk alone", () => {
    expect(counts(actionMatchers(entries, "names"))).toEqual([1, 0, 1, 0, 1]);
    expect(counts(actionMatchers(["*"], "names"))).toEqual([1, 1, 1, 1, 1]);
    expect(counts(actionMatchers(["**"], "names"))).toEqual([0, 0, 0, 0, 0]);
  });
});
