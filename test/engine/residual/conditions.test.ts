/** Conditions of several policies, and such as take too long: what is left of each, in filters and in query plans. */

import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../../src/cerbos/engine.js";
import { filterText } from "../../../src/engine/query/operand.js";
import { planQuery } from "../../../src/engine/query/plan-query.js";
import { type DecisionRequest, decide, matches, type PolicyFile, planDecisions } from "../../../src/index.js";
import { compiled } from "../../support/policies.js";

type Attributes = NonNullable<DecisionRequest["resource"]["attr"]>;

const rule = (expr: string, effect = "ALLOW") => ({
  actions: ["read"],
  effect: `EFFECT_${effect}`,
  roles: ["user"],
  condition: { match: { expr } },
});

const policy = (rules: readonly object[], more: object = {}) => ({
  resourcePolicy: { resource: "doc", version: "default", rules, ...more },
});

const roles = (set: string, all: { readonly [name: string]: string }) => ({
  derivedRoles: {
    name: set,
    definitions: Object.entries(all).map(([name, expr]) => ({
      name,
      parentRoles: ["user"],
      condition: { match: { expr } },
    })),
  },
});

const listed = (...derivedRoles: readonly string[]) => ({ actions: ["tell"], effect: "EFFECT_ALLOW", derivedRoles });

const filesOf = (documents: readonly object[]): readonly PolicyFile[] =>
  documents.map((one, i) => ({
    path: `${i}.json`,
    text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...one }),
  }));

const KEY = { id: "u1", roles: ["user"], attr: { many: Array.from({ length: 400 }, (_, i) => i) } };
const ASKED = { key: KEY, account: { id: "a1", attr: {} }, operation: "read" };

/** Whether the filter has those rows that are allowed, and the filter. */
function filterOf(documents: readonly object[], scope: string, rows: readonly Attributes[]) {
  const policies = compiled(filesOf(documents), { platform: "none" });
  const { filter, isExact } = planDecisions(policies, { ...ASKED, kind: "doc", resource: { scope } });
  for (const attr of rows) {
    const { outcome } = decide(policies, { ...ASKED, resource: { kind: "doc", id: "d1", scope, attr } });
    const isIn = matches(filter, { id: "d1", attr });
    expect([attr, isExact ? isIn : isIn || outcome !== "allow"]).toEqual([attr, isExact ? outcome === "allow" : true]);
  }
  return { filter, isExact };
}

function queryOf(documents: readonly object[], scope: string): string {
  const made = compileCheckEngine(filesOf(documents), {});
  if (isLeft(made)) throw new Error(JSON.stringify(made.left));
  const { policies, options } = made.right;
  const principal = { ...KEY, scope: "", policyVersion: "" };
  const resource = { kind: "doc", attr: {}, policyVersion: "", scope };
  const found = planQuery(policies, { principal, resource, actions: ["read"], jwt: {}, now: undefined }, options);
  return "fault" in found ? found.fault : filterText(found.filter);
}

const ROWS = [0, 1, 2].flatMap((a) => [0, 1, 2].flatMap((b) => [0, 1].map((c) => ({ a, b, c }))));

test.each([
  ["one", "one"],
  ["two", "one", "two"],
])("which derived roles are active is asked of the policy of each scope: %s", (asked, ...names) => {
  const rolesBy = (set: string, attribute: string) =>
    roles(set, Object.fromEntries(names.map((name, i) => [name, `R.attr.${attribute} == ${i + 1}`])));
  const rules = [rule(`"${asked}" in runtime.effectiveDerivedRoles`), listed(...names)];
  const documents = [
    ...[rolesBy("above", "a"), rolesBy("below", "b")],
    ...[policy(rules, { importDerivedRoles: ["above"] })],
    ...[policy(rules, { importDerivedRoles: ["below"], scope: "acme" })],
  ];
  expect(filterOf(documents, "acme", ROWS).isExact).toBe(true);
  const [above, below] = ["a", "b"].map((name) => {
    const lists = names.map((role, i) => `(if (eq request.resource.attr.${name} ${i + 1}) ["${role}"] [])`);
    return `(in "${asked}" ${lists.length === 1 ? lists[0] : `(add ${lists.join(" ")})`})`;
  });
  expect(queryOf(documents, "acme")).toBe(`(or ${below} ${above})`);
});

test("what takes too long is not known; what is asked after it is", () => {
  const walks = (name: string) =>
    `P.attr.many.exists(${name}, P.attr.many.exists(y, P.attr.many.exists(z, ${name} + y == z - 900.0)))`;
  const term = { of: "attr", path: ["a"] };
  // The first rule may hold, and may err; the second errs where there is no `a`.
  const of = [
    { op: "unknown" },
    {
      op: "any",
      of: [
        { op: "present", term },
        { op: "in", term, values: [1] },
      ],
    },
  ];
  const rules = [rule(walks("x")), rule("R.attr.a == 1")];
  const found = filterOf([policy(rules)], "", []);
  expect(found).toEqual({ filter: { op: "all", of }, isExact: false });
  const variables = { local: { heavy: walks("x"), more: "V.heavy || R.attr.b == 1" } };
  const twice = [rule("V.more && R.attr.c == 1"), rule("R.attr.a == 1"), rule("V.more")];
  const again = filterOf([policy(twice, { variables })], "", []);
  expect(again).toEqual({ filter: { op: "all", of }, isExact: false });
});

test("what takes too long makes no query plan", () => {
  const walks = "P.attr.many.exists(x, P.attr.many.exists(y, x + y == R.attr.a))";
  expect(queryOf([policy([rule(walks)])], "")).toBe("finding out what is known takes too long");
});

const HELD: readonly (readonly [expression: string])[] = [
  ...["R.attr.b == 1", "R.attr.y", "!R.attr.y", "(R.attr.b == 1) == R.attr.y", "R.attr.y != (R.attr.b > 1)"],
  ...["R.attr.y || R.attr.b == 1", "R.attr.y && R.attr.b > 1", "R.attr.y ? R.attr.b > 1 : R.attr.z", "has(R.attr.m.k)"],
  ...["R.attr.l.exists(t, t == 1)", "R.attr.l.all(t, t > 1)", '"k" in R.attr.m', "1 in R.attr.l", "size(R.attr.l) > 1"],
  ...[
    "R.attr.b in [1, R.attr.c]",
    "R.attr.s.startsWith('k')",
    "hasIntersection(R.attr.l, [1, 2])",
    "R.attr.b == R.attr.c",
  ],
  ...[
    "1 in [R.attr.b, R.attr.c]",
    "[1] .exists(i, R.attr.l[i] == 1)",
    "type(R.attr.b) == string",
    "R.attr.s + 'x' == 'kx'",
  ],
  ...[
    "R.attr.l.exists(t, t == 1 && R.attr.y)",
    "isSubset(R.attr.l, [1, 2])",
    "isSubset([1], R.attr.l)",
    "R.attr.l != [1]",
  ],
].map((one) => [one]);

const MIXED = [
  ...[{}, { b: 1, c: 1, y: true }, { b: 2, c: 1, y: false, z: true }, { b: "k", c: "k", y: 1, s: "k" }],
  ...[
    { l: [1], m: { k: 1 }, y: true, s: "a" },
    { l: [2, 3], m: ["k"], b: 2, y: true },
    { l: { k: 1 }, m: "k", y: null, s: 1 },
  ],
  ...[
    { l: ["a", 1], m: {}, b: null, c: null, y: false, z: 1, s: "" },
    { b: 1, y: "true", l: [], m: { k: null } },
  ],
];

/** Whether a rule errs matters where another allows, or denies. */
test.each(HELD)("beside other rules: %s", (expression) => {
  const rows = MIXED.flatMap((one) => [one, { ...one, a: 1 }]);
  for (const effect of ["ALLOW", "DENY"]) {
    const rules = [rule(expression, effect), rule("R.attr.a == 1 || !has(R.attr.a)"), rule("!has(R.attr.b)", "ALLOW")];
    expect(filterOf([policy(rules)], "", rows).isExact).toBe(true);
  }
});
