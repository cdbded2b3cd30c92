/** The fixed cost of each form of expression, to the exact step at which it no longer has a generated form. */

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

const DEFINITIONS = { constants: new Map([["c", ["a", "b", "c"]]]), variables: new Map() };

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

/** Whether the form exists after this many steps are already paid. */
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
    // Costs that grow with the request are counted in the function.
    ...([
      ["R.attr.a == R.attr.b", 0],
      ["R.attr.a < 2.0", 0],
      ["R.attr.a.contains(R.attr.b)", 0],
      ["R.attr.y && !R.attr.z", 0],
    ] as const),
    // A constant joined to one text makes two texts, each of which may be copied again: 2 * 3. If something else comes
    // first, it is twice that.
    ...([
      ['"x" + R.attr.a == R.attr.b', 6],
      ['R.attr.a + "x" == R.attr.b', 12],
      ['"x" + R.attr.a + "y" == R.attr.b', 12],
    ] as const),
    ...([
      ['"x" + R.attr.a + R.attr.b + R.attr.c + R.attr.d + R.attr.e + R.attr.f + "y" == R.attr.b', 72],
      ['R.attr.a + R.attr.b + "y" == R.attr.b', 24],
    ] as const),
    // Comparing joined texts costs at most one step for each part.
    ['"x" + R.attr.a == "y" + R.attr.b', 20],
    // A list of constants costs one step, and one for every four constants.
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
    // Searching a list of up to 64 costs eight.
    ...([
      ['"x" in R.attr.a', 8],
      ["R.attr.a in R.attr.b", 8],
    ] as const),
    // The length of a text of 512 costs eight.
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
    // Plain texts are searched in place; each other text is joined, at a cost of twelve.
    ...([
      ['hasIntersection(R.attr.a, ["x", "y" + R.id])', 0],
      ['hasIntersection(R.attr.a, [R.id, "y"])', 24],
      ['R.attr.a.hasIntersection(["x"])', 12],
    ] as const),
    // A predicate costs 1.25 times its nodes for each element of a list of constants.
    ...([
      ['["a"].exists(t, t == R.attr.a)', 3],
      ['["a", "b", "c"].all(t, t == R.attr.a)', 9],
    ] as const),
    ['["a"].exists(t, t == R.attr.a || t == R.attr.b || t == R.attr.c)', 6],
    // For other lists, the function counts the cost of each element.
    ["R.attr.l.exists(t, t == R.attr.a)", 0],
  ])("%s: %i", (expr, cost) => {
    costs(condition, expr, cost);
  });
});

describe("outputs", () => {
  test.each<readonly [string, number]>([
    // One step for each value, and eight for a text, because an attribute may be one.
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
    // A joined text costs at most eight.
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
