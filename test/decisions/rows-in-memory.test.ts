/** In-memory rows with values that are not JSON: for an exact plan, `matches` agrees with `decide` on the row. */

import { expect, test } from "vitest";
import { compilePoliciesOrThrow, decide, matches, planDecisions } from "../../src/index.js";

class Instance {
  readonly b = 1;
}

const throwing = Object.defineProperty({}, "b", {
  enumerable: true,
  get: () => {
    throw new Error("a getter");
  },
});

/** Attributes by the odd part in them. */
const ROWS: readonly (readonly [what: string, attr: { readonly [name: string]: unknown }])[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  5n,
  new Date(0),
  new Instance(),
  new Map([["b", 1]]),
  Object("x"),
  () => 1,
  Symbol("x"),
  throwing,
  Object.create({ b: 1 }),
  [Number.NaN],
  ["x", Number.NaN],
  [Number.NaN, "x"],
  [new Date(0), "x"],
  [1n, 1],
  [{ b: 1 }, new Date(0)],
  { b: Number.NaN },
  { b: 1, c: new Date(0) },
  { b: new Instance() },
  "\ud800",
  ["\ud800"],
].flatMap((value, i) => [
  [`${i}`, { a: value, c: value }] as const,
  [`${i} beside 1`, { a: value, c: 1 }] as const,
  [`1 beside ${i}`, { a: 1, c: value }] as const,
]);

const CONDITIONS = [
  ..."has(R.attr.a)|!has(R.attr.a)|has(R.attr.a.b)|!has(R.attr.a.b)|R.attr.a == 1|R.attr.a != 1|R.attr.a != 'x'".split(
    "|",
  ),
  ..."R.attr.a < 5|!(R.attr.a < 5)|R.attr.a in ['x', 1]|!(R.attr.a in ['x'])|'x' in R.attr.a|!('x' in R.attr.a)".split(
    "|",
  ),
  ..."'b' in R.attr.a|!('b' in R.attr.a)|R.attr.a.b == 1|R.attr.a.b != 1|size(R.attr.a) == 2|size(R.attr.a) != 2".split(
    "|",
  ),
  ..."R.attr.a == R.attr.c|R.attr.a != R.attr.c|R.attr.a.exists(x, x == 'x')|R.attr.a.all(x, x != 'x')".split("|"),
  ..."!R.attr.a.all(x, x != 'x')|R.attr.a.all(x, true)|R.attr.a.exists(x, x.b == 1)|type(R.attr.a) == double".split(
    "|",
  ),
  ..."type(R.attr.a) != double|hasIntersection(R.attr.a, ['x'])|!hasIntersection(R.attr.a, ['x'])".split("|"),
  ..."R.attr.a.isSubset(['x', 'y'])|!R.attr.a.isSubset(['x', 'y'])|['x'].isSubset(R.attr.a)".split("|"),
  ..."R.attr.a * 2.0 == 2.0|R.attr.a == {'b': 1}|R.attr.a != {'b': 1}|R.attr.a.exists_one(x, x == 'x')".split("|"),
  ..."R.attr.a.startsWith('x')|R.attr.a[0] == 'x'|R.attr.c in R.attr.a".split("|"),
  "size(R.attr.a) > 0 || R.attr.c == 1",
];

const policies = compilePoliciesOrThrow(
  [
    {
      path: "doc.json",
      text: JSON.stringify({
        apiVersion: "api.cerbos.dev/v1",
        resourcePolicy: {
          resource: "doc",
          version: "default",
          rules: CONDITIONS.map((expr, i) => ({
            actions: [`a${i}`],
            effect: "EFFECT_ALLOW",
            roles: ["*"],
            condition: { match: { expr } },
          })),
        },
      }),
    },
  ],
  { platform: "none" },
);

const asked = (i: number) => ({ key: { id: "k", roles: ["user"], attr: {} }, operation: `a${i}` });
const isAllowed = (i: number, attr: { readonly [name: string]: unknown }) =>
  decide(policies, { ...asked(i), resource: { kind: "doc", id: "d", attr } }).outcome === "allow";

test.each(CONDITIONS.map((condition, i) => [condition, i] as const))("%s", (_, i) => {
  const { filter, isExact } = planDecisions(policies, { ...asked(i), kind: "doc" });
  expect(isExact).toBe(true);
  const found = ROWS.map(([what, attr]) => [what, matches(filter, { id: "d", attr })]);
  expect(found).toEqual(ROWS.map(([what, attr]) => [what, isAllowed(i, attr)]));
});

// Expressions without a filter form read a row as `decide` does.
const FORMS = CONDITIONS.map((condition, i) => [condition, i] as const).filter(
  ([, i]) => planDecisions(policies, { ...asked(i), kind: "doc" }).filter.op !== "expression",
);

test.each(FORMS)("undefined is absent: %s", (_, i) => {
  const { filter } = planDecisions(policies, { ...asked(i), kind: "doc" });
  const odd = [{ a: undefined }, { a: { b: undefined } }, { a: { b: 1, c: undefined } }];
  const found = odd.map((attr) => matches(filter, { id: "d", attr }));
  expect(found).toEqual(odd.map((attr) => isAllowed(i, JSON.parse(JSON.stringify(attr)))));
});

test("what has more values than decide reads is in no filter", () => {
  const attr = { a: new Proxy({}, { ownKeys: () => Array.from({ length: 1_000_001 }, (_, i) => String(i)) }) };
  const plan = planDecisions(policies, { ...asked(CONDITIONS.indexOf("R.attr.a != 1")), kind: "doc" });
  expect(matches(plan.filter, { id: "d", attr })).toBe(false);
  expect(matches({ op: "not", of: { op: "in", term: { of: "attr", path: ["a"] }, values: [1] } }, { attr })).toBe(
    false,
  );
});

test("each attribute of a row is read once", () => {
  const reads: string[] = [];
  const attr = new Proxy(
    { a: "y", c: 1 },
    {
      get: (target, name) => {
        reads.push(String(name));
        return Reflect.get(target, name);
      },
    },
  );
  const { filter } = planDecisions(policies, { ...asked(CONDITIONS.indexOf("R.attr.a != 'x'")), kind: "doc" });
  expect([matches(filter, { id: "d", attr }), reads]).toEqual([true, ["a"]]);
});
