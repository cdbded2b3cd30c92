/** What forms of expressions cost in every run: to the last step, past which there is none. */

import { describe, expect, test } from "vitest";
import type { Expr } from "../../../src/cel/ast.js";
import { NO_TYPES } from "../../../src/engine/evaluate/activation.js";
import { MAX_FIXED } from "../../../src/engine/frame/budget.js";
import type { Js } from "../../../src/engine/frame/js.js";
import { FunctionDraft } from "../../../src/engine/generate/draft.js";
import { condition } from "../../../src/engine/generate/expressions.js";
import { output } from "../../../src/engine/generate/outputs.js";
import { IndexPlaces } from "../../../src/engine/generate/reads.js";
import { compilePolicies } from "../../../src/index.js";

const newDraft = () => new FunctionDraft(NO_TYPES, new Map(), new IndexPlaces());

const DEFINITIONS = { constants: new Map([["c", ["a", "b", "c"]]]), variables: [] };

function treeOf(expr: string): Expr {
  const rule = { actions: ["act"], roles: ["user"], effect: "EFFECT_ALLOW", output: { when: { ruleActivated: expr } } };
  const resourcePolicy = {
    resource: "doc",
    version: "default",
    constants: { local: { c: ["a", "b", "c"] } },
    rules: [rule],
  };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const loaded = compilePolicies([{ path: "a.json", text }], { platform: "none" });
  if (loaded._tag === "Left") throw new Error(JSON.stringify(loaded.left));
  const found = loaded.right.model.resourcePolicies[0]?.rules[0]?.output?.ruleActivated?.expr;
  return found ?? expect.unreachable("no expression");
}

/** Whether there is a form where so much was paid before. */
function costs(write: (expr: Expr, draft: FunctionDraft) => Js | undefined, expr: string, cost: number) {
  const tree = treeOf(expr);
  const isWritten = (before: number) => {
    const draft = newDraft();
    draft.pays(before);
    return write(tree, draft) !== undefined;
  };
  expect([isWritten(0), isWritten(MAX_FIXED - cost), cost > 0 && isWritten(MAX_FIXED - cost + 1)]).toEqual([
    true,
    true,
    false,
  ]);
}

test("no more than 20,000 nodes are written", () => {
  const draft = newDraft();
  const paid = Array.from({ length: 20_001 }, () => draft.pays());
  expect([paid.indexOf(false), draft.pays(), newDraft().pays(MAX_FIXED + 1)]).toEqual([20_000, false, false]);
});

test.each([
  ['R.attr.a == "x"', 3],
  ['hasIntersection(R.attr.a, ["x", "y"])', 4],
  ['hasIntersection(R.attr.a, ["x" + R.attr.b])', 4],
])("%s has %i nodes", (expr, nodes) => {
  const tree = treeOf(expr);
  const isWritten = (before: number) => {
    const draft = newDraft();
    for (let i = 0; i < before; i++) draft.pays();
    return condition(tree, draft) !== undefined;
  };
  expect([isWritten(20_000 - nodes), isWritten(20_001 - nodes)]).toEqual([true, false]);
});

const numbers = (count: number) => `[${Array.from({ length: count }, (_, i) => i)}]`;

describe("conditions", () => {
  test.each<readonly [string, number]>([
    // What grows with the request is counted in the function.
    ...([
      ["R.attr.a == R.attr.b", 0],
      ["R.attr.a < 2.0", 0],
      ["R.attr.a.contains(R.attr.b)", 0],
      ["R.attr.y && !R.attr.z", 0],
    ] as const),
    // A constant and one text that is joined to it: two texts, of which each may be copied again: 2 * 3, twice that if another is first.
    ...([
      ['"x" + R.attr.a == R.attr.b', 6],
      ['R.attr.a + "x" == R.attr.b', 12],
      ['"x" + R.attr.a + "y" == R.attr.b', 12],
    ] as const),
    ...([
      ['"x" + R.attr.a + R.attr.b + R.attr.c + R.attr.d + R.attr.e + R.attr.f + "y" == R.attr.b', 72],
      ['R.attr.a + R.attr.b + "y" == R.attr.b', 24],
    ] as const),
    // Joined texts are compared in as many steps as they have parts at most.
    ['"x" + R.attr.a == "y" + R.attr.b', 20],
    // Lists of constants are gone through for one step, and one for each four.
    ...([
      ["R.attr.a in []", 0],
      ["R.attr.a in [1, 2, 3]", 1],
      ["R.attr.a in [1, 2, 3, 4]", 2],
      [`R.attr.a in ${numbers(24)}`, 7],
    ] as const),
    ...([
      ["R.attr.a == []", 1],
      ["R.attr.a == [1, 2, 3]", 1],
      ["R.attr.a == [1, 2, 3, 4]", 2],
    ] as const),
    // A list up to 64 is searched for four.
    ...([
      ['"x" in R.attr.a', 4],
      ["R.attr.a in R.attr.b", 4],
    ] as const),
    // The length of a text of 512 is counted for eight.
    ...([
      ["size(R.attr.a) == 2", 8],
      ["R.attr.a.size() < size(R.attr.b)", 16],
    ] as const),
    ...([
      ['timestamp(R.attr.a) < timestamp("2024-01-01T00:00:00Z")', 4],
      ["timestamp(R.attr.a) < timestamp(R.attr.b)", 8],
      ["now() > timestamp(R.attr.a)", 4],
    ] as const),
    ['timestamp("2024-" + R.attr.a) < now()', 10],
    ['R.attr.a.inIPAddrRange("10.0.0.0/8")', 30],
    // Plain texts are searched for in place; others are joined for twelve each.
    ...([
      ['hasIntersection(R.attr.a, ["x", "y" + R.id])', 0],
      ['hasIntersection(R.attr.a, [R.id, "y"])', 24],
      ['R.attr.a.hasIntersection(["x"])', 12],
    ] as const),
    // A predicate is worth one and a quarter of its nodes for each element of a list of constants.
    ...([
      ['["a"].exists(t, t == R.attr.a)', 3],
      ['["a", "b", "c"].all(t, t == R.attr.a)', 9],
    ] as const),
    ['["a"].exists(t, t == R.attr.a || t == R.attr.b || t == R.attr.c)', 6],
    // Over another list it costs what it costs for each element, which is counted.
    ["R.attr.l.exists(t, t == R.attr.a)", 0],
  ])("%s: %i", (expr, cost) => {
    costs(condition, expr, cost);
  });
});

describe("outputs", () => {
  test.each<readonly [string, number]>([
    // A step for each value, and eight for a text, which an attribute may be.
    ...([
      ["true", 9],
      ['"x"', 9],
      ["2", 9],
      ["R.id", 9],
      ["R.attr.a", 9],
      ["R.attr.a == 1", 1],
      ["R.attr.n * 2.0", 1],
      ["-R.attr.n", 1],
    ] as const),
    ...([
      ["size(R.attr.a)", 9],
      ["[]", 1],
      ["[R.id]", 10],
      ["{}", 1],
      ['{"a": R.id, "b": [true]}', 20],
    ] as const),
    // A joined text is of eight at most.
    ['"x" + R.id', 71],
    ...([
      ['R.attr.y ? "a" : R.id', 19],
      ["R.attr.y ? [1] : [2]", 21],
    ] as const),
  ])("%s: %i", (expr, cost) => {
    costs(output, expr, cost);
  });

  test("a list of constants costs nine for each", () => {
    const isWritten = (before: number) => {
      const draft = newDraft();
      draft.pays(before);
      const tree = treeOf("C.c");
      draft.enterSpace(DEFINITIONS);
      return output(tree, draft) !== undefined;
    };
    expect([isWritten(0), isWritten(MAX_FIXED - 28), isWritten(MAX_FIXED - 27)]).toEqual([true, true, false]);
  });
});
