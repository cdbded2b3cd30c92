/**
 * Policies and requests that ask for more work than the step budget allows. Each is refused when the budget is spent.
 * The test counts function calls: a decision never ends because of elapsed time.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { type Decision, type DecisionRequest, decide, type JsonValue, type PolicySet } from "../../src/index.js";
import { MAX_VALUES } from "../../src/limits.js";
import { WARM } from "../support/act.js";
import { compiledDocuments } from "../support/policies.js";
import { callsOf, watched } from "../support/work.js";

/** The most calls that the step budgets of two layers can pay for, plus the fixed work of a decision. */
const MOST_CALLS = 6_000_000;

const texts = (length: number, prefix = "text ") => Array.from({ length }, (_, i) => `${prefix}${i}`);
const numbers = (length: number) => Array.from({ length }, (_, i) => i);
const entries = (length: number) => Object.fromEntries(numbers(length).map((i) => [`member ${i}`, i]));

interface Case {
  readonly name: string;
  readonly expr: string;
  readonly attr: DecisionRequest["resource"]["attr"];
  readonly variables?: { readonly [name: string]: string };
}

const CASES: readonly Case[] = [
  ...[46_340, 46_341, 46_342, 65_536, 92_682].map((length) => ({
    name: `distinct, ${length} numbers`,
    expr: "R.attr.tags.distinct().size() > 3",
    attr: { tags: numbers(length) },
  })),
  ...["hasIntersection", "intersect", "except", "isSubset"].map((fn) => ({
    name: `${fn} of two long lists of several types`,
    expr:
      fn === "hasIntersection" || fn === "isSubset" ? `${fn}(R.attr.a, R.attr.b)` : `${fn}(R.attr.a, R.attr.b) != []`,
    attr: { a: [...numbers(46_342), true], b: [...texts(46_342), false] },
  })),
  {
    name: "a loop that goes on after the budget has ended",
    expr: "R.attr.a.exists(x, R.attr.a.exists(y, R.attr.a.exists(z, x == y + z)))",
    attr: { a: texts(2_000) },
  },
  {
    name: "an error that is absorbed",
    expr: "R.attr.a.exists(x, R.attr.a.exists(y, x == y + y)) || true",
    attr: { a: texts(2_000) },
  },
  {
    name: "comparing maps",
    expr: "R.attr.rows.all(row, row != R.attr.big)",
    attr: { rows: Array.from({ length: 20_000 }, () => ({ a: 1 })), big: entries(2_000) },
  },
  {
    name: "comparing maps with one",
    expr: "R.attr.rows.all(row, R.attr.big != row)",
    attr: { rows: Array.from({ length: 20_000 }, () => ({ a: 1 })), big: entries(2_000) },
  },
  {
    name: "the size of a map",
    expr: "R.attr.rows.all(row, size(R.attr.big) != row)",
    attr: { rows: numbers(50_000), big: entries(2_000) },
  },
  ...["startsWith", "endsWith"].map((fn) => ({
    name: `${fn} of long texts`,
    expr: `R.attr.rows.all(row, R.attr.text.${fn}(R.attr.text))`,
    attr: { rows: numbers(50_000), text: "x".repeat(1_000_000) },
  })),
  {
    name: "addresses",
    expr: 'R.attr.rows.all(row, row.inIPAddrRange("10.0.0.0/8"))',
    attr: { rows: Array.from({ length: 90_000 }, () => "10.1.2.3") },
  },
  {
    name: "times",
    expr: 'R.attr.rows.all(row, timestamp(row) < timestamp("2030-01-01T00:00:00Z"))',
    attr: { rows: Array.from({ length: 90_000 }, () => "2026-01-01T00:00:00Z") },
  },
  {
    name: "hierarchies of long names",
    expr: "cel.bind(h, hierarchy([R.attr.text]), R.attr.rows.all(row, h == hierarchy([R.attr.text])))",
    attr: { rows: numbers(50_000), text: "x".repeat(1_000_000) },
  },
  {
    name: "variables that err, each read twice",
    expr: "V.v60",
    attr: { rows: texts(20_000) },
    variables: {
      v0: "R.attr.rows.all(x, R.attr.rows.all(y, x != y + y))",
      ...Object.fromEntries(numbers(60).map((i) => [`v${i + 1}`, `V.v${i} || V.v${i}`])),
    },
  },
];

function setOf(rules: readonly object[], variables: Case["variables"] = {}): PolicySet {
  const policy = (version: string, more: object) => ({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: { resource: "doc", version, ...more },
  });
  return compiledDocuments([
    policy("default", { rules, variables: { local: variables } }),
    policy("platform", { rules: [{ actions: ["read"], roles: ["account"], effect: "EFFECT_ALLOW" }] }),
  ]);
}

function request(attr: Case["attr"]): DecisionRequest {
  return {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "d", attr },
    account: { id: "a", attr: {} },
  };
}

function counted(policies: PolicySet, one: DecisionRequest): Decision {
  let decision: Decision | undefined;
  expect(callsOf(() => (decision = decide(policies, one)))).toBeLessThan(MOST_CALLS);
  if (decision === undefined) throw new Error("no decision");
  return decision;
}

const rule = (expr: string, more: object = {}) => ({
  actions: ["read"],
  roles: ["user"],
  effect: "EFFECT_ALLOW",
  condition: { match: { expr } },
  ...more,
});

describe("work without end is refused", () => {
  test.each(CASES)("$name", ({ expr, attr, variables }) => {
    const policies = setOf([rule(expr)], variables);
    const { outcome, permission } = counted(policies, request(attr));
    expect(outcome).toBe("insufficient_permissions");
    expect(permission.errors.map(({ message }) => message).join()).toMatch(/step budget exhausted/);
  });

  test("a denial that cannot be found out is one, whatever else is allowed", () => {
    const [endless] = CASES.filter(({ name }) => name === "an error that is absorbed");
    if (endless === undefined) throw new Error("no such case");
    const denial = { ...rule(`!(${endless.expr})`), effect: "EFFECT_DENY" };
    const { outcome } = counted(setOf([denial, rule("true")]), request(endless.attr));
    expect(outcome).toBe("insufficient_permissions");
  });
});

test.each([
  ["lists of texts", (i: number) => `"none" in R.attr.a${i}`, texts(60_000)],
  ["lists of maps", (i: number) => `R.attr.a${i}.exists(x, x.k == "none")`, numbers(20_000).map((k) => ({ k }))],
  ["values that are compared", (i: number) => `R.attr.a${i} == R.attr.b`, texts(60_000)],
])("the values of a request count together, whoever reads them: %s", (_, expr, list) => {
  const policies = setOf(numbers(20).map((i) => rule(expr(i))));
  const attributes = (value: () => JsonValue) => ({
    ...Object.fromEntries(numbers(20).map((i) => [`a${i}`, value()])),
    b: [],
  });
  for (let i = 0; i < WARM; i++) decide(policies, request(attributes(() => list.slice(0, 2))));
  let read = 0;
  const { permission } = decide(policies, request(attributes(() => watched(list, () => void read++))));
  expect(permission.errors.map(({ message }) => message)).toEqual([expect.stringContaining("too many attributes")]);
  expect(read).toBeLessThan(6 * MAX_VALUES);
});

test("variables that err without end are read in as many steps as there are", () => {
  const variables = {
    v0: "R.attr.missing",
    ...Object.fromEntries(numbers(60).map((i) => [`v${i + 1}`, `V.v${i} || V.v${i}`])),
  };
  const { permission } = counted(setOf([rule("V.v60")], variables), request({}));
  expect(permission.errors.map(({ message }) => message).join()).toMatch(/no such key/);
});

test("an output that doubles with each variable ends as an error, and changes no effect", () => {
  const variables = {
    o0: '["x"]',
    ...Object.fromEntries(numbers(40).map((i) => [`o${i + 1}`, `[V.o${i}, V.o${i}]`])),
  };
  const policies = setOf([rule("true", { output: { when: { ruleActivated: "V.o40" } } })], variables);
  const { outcome, permission } = counted(policies, request({}));
  expect(outcome).toBe("allow");
  expect(permission.outputs).toEqual([expect.objectContaining({ val: null })]);
  expect(permission.errors).toEqual([expect.objectContaining({ message: "step budget exhausted" })]);
});

test("calls within calls are compiled once", () => {
  const nested = (depth: number): string =>
    depth === 0
      ? '["a"]'
      : `[string(hasIntersection(R.attr.a, ["a" + string(hasIntersection(R.attr.a, ${nested(depth - 1)}))]))]`;
  const compilation = (depth: number) =>
    callsOf(() => decide(setOf([rule(`hasIntersection(R.attr.a, ${nested(depth)})`)]), request({ a: ["a"] })));
  expect(compilation(8) / compilation(4)).toBeLessThan(4);
});
