/**
 * Conditions of several policies, and conditions that exceed the budget: their residuals in filters and query plans.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../../src/cerbos/engine.js";
import { filterText } from "../../../src/engine/query/operand.js";
import { planQuery } from "../../../src/engine/query/plan-query.js";
import {
  type DecisionRequest,
  decide,
  matches,
  type PolicyFile,
  type PolicySet,
  planDecisions,
} from "../../../src/index.js";
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

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

const KEY = { id: "u1", roles: ["user"], attr: { many: upTo(400) } };
const ASKED = { key: KEY, account: { id: "a1", attr: {} }, operation: "read" };

/** Whether the filter selects exactly the allowed rows, and the filter itself. */
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

test("which derived roles are active is a list in the order of their names", () => {
  const documents = [
    roles("set", { two: "R.attr.a == 1", one: "R.attr.b == 1" }),
    policy([rule('runtime.effectiveDerivedRoles == ["one", "two"]'), listed("two", "one")], {
      importDerivedRoles: ["set"],
    }),
  ];
  expect(filterOf(documents, "", ROWS).isExact).toBe(true);
});

test("which derived roles are active is known, where none of them depends on the row", () => {
  const documents = [
    roles("set", { one: 'P.id == "u1"', two: "P.attr.many == []", three: '"user" in P.roles' }),
    policy(
      [rule('runtime.effectiveDerivedRoles == ["one", "three"] && R.attr.a == 1'), listed("one", "two", "three")],
      { importDerivedRoles: ["set"] },
    ),
  ];
  const filter = { op: "in", term: { of: "attr", path: ["a"] }, values: [1] };
  expect(filterOf(documents, "", ROWS)).toEqual({ filter, isExact: true });
});

test("where it is not known whether a derived role is active, the rest of a condition is", () => {
  const set = roles("set", { one: "has(V.may)" });
  const documents = [
    { derivedRoles: { ...set.derivedRoles, variables: { local: { may: "R.attr.a + 1.0 == R.attr.b" } } } },
    policy([rule("cel.bind(v, runtime.effectiveDerivedRoles, R.attr.c == 1 && size(v) >= 0)"), listed("one")], {
      importDerivedRoles: ["set"],
    }),
  ];
  const of = [{ op: "in", term: { of: "attr", path: ["c"] }, values: [1] }, { op: "unknown" }];
  expect(filterOf(documents, "", ROWS)).toEqual({ filter: { op: "all", of }, isExact: false });
});

test("variables of one name are those of their policy, or of their derived roles", () => {
  const set = roles("set", { one: "V.v == 1 && V.w == 4" });
  const documents = [
    { derivedRoles: { ...set.derivedRoles, variables: { local: { v: "size(P.roles)", w: "V.v + 3" } } } },
    policy(
      [
        { ...rule("V.v == 400 && V.w == 401 && R.attr.a == V.v - 399"), roles: undefined, derivedRoles: ["one"] },
        rule("V.w == 401 && R.attr.b == 1", "DENY"),
      ],
      { importDerivedRoles: ["set"], variables: { local: { v: "size(P.attr.many)", w: "V.v + 1" } } },
    ),
  ];
  const filter = {
    op: "all",
    of: [
      { op: "present", term: { of: "attr", path: ["b"] }, isJson: true },
      { op: "not", of: { op: "in", term: { of: "attr", path: ["b"] }, values: [1] } },
      { op: "in", term: { of: "attr", path: ["a"] }, values: [1] },
    ],
  };
  expect(filterOf(documents, "", ROWS)).toEqual({ filter, isExact: true });
});

test("what several rules ask of the row is asked once", () => {
  const variables = { local: { odd: 'string(R.attr.a) == "1"' } };
  const { filter } = filterOf([policy([rule("V.odd"), rule("V.odd")], { variables })], "", ROWS);
  expect(filter).toEqual({ op: "expression", is: true, reads: ["R.attr.a"], value: expect.any(Function) });
});

test("an expression is evaluated for rows that lack what it reads, and costs what it costs for decisions", () => {
  const walks = "[R.attr.l.exists(x, R.attr.l.exists(y, R.attr.l.exists(z, x + y == z - 900.0))) || R.attr.y][0]";
  const rows = [
    {},
    { y: true },
    { l: [], y: true },
    { l: upTo(5), y: true },
    { l: upTo(100), y: true },
    { l: 1, y: true },
  ];
  const { filter } = filterOf([policy([rule(walks)])], "", rows);
  const { filter: isBare } = filterOf([policy([rule("R.attr == {}")])], "", rows);
  const bare = [{}, { attr: undefined }, { id: "d1" }];
  expect(bare.map((row) => [matches(filter, row), matches(isBare, row)])).toEqual(bare.map(() => [false, true]));
});

const KNOWN: readonly Attributes[string][] = [
  ...[null, true, false, 0, 1, 1.5, "", "k", [], ["k"], [1, null, "k"], [1, { k: 1 }], [[1], "k"], {}, { k: 1 }],
];

test.each([
  "R.attr.a in P.attr.v",
  "R.attr.a == P.attr.v",
  "P.attr.v in R.attr.a",
  "hasIntersection(R.attr.a, P.attr.v)",
])("whatever is known of the principal: %s", (expression) => {
  const policies = compiled(filesOf([policy([rule(expression)])]), { platform: "none" });
  for (const v of KNOWN) {
    const asked = { ...ASKED, key: { ...KEY, attr: { v } } };
    const { filter, isExact } = planDecisions(policies, { ...asked, kind: "doc" });
    const rows = KNOWN.map((a) => ({ id: "d1", attr: { a } }));
    const allowed = rows.filter(
      (row) => decide(policies, { ...asked, resource: { kind: "doc", ...row } }).outcome === "allow",
    );
    expect([v, isExact, rows.filter((row) => matches(filter, row))]).toEqual([v, true, allowed]);
  }
});

test("what takes too long is not known; what is asked after it is", () => {
  const walks = (name: string) =>
    `P.attr.many.exists(${name}, P.attr.many.exists(y, P.attr.many.exists(z, ${name} + y == z - 900.0)))`;
  const term = { of: "attr", path: ["a"] };
  // The first rule may hold and may err; the second errs if `a` is absent.
  const of = [
    { op: "unknown" },
    {
      op: "any",
      of: [
        { op: "present", term, isJson: true },
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

const WALKS = "P.attr.many.exists(x, P.attr.many.exists(y, P.attr.many.exists(z, x + y == z - 900.0)))";

test("what is found out before what takes too long says nothing either", () => {
  const match = { all: { of: [{ expr: "R.attr.a == 1" }, { expr: WALKS }] } };
  const found = filterOf([policy([{ ...rule("true"), condition: { match } }])], "", []);
  expect(found).toEqual({ filter: { op: "unknown" }, isExact: false });
});

test("conditions share the steps until they are spent; that a clock was read is known after that", () => {
  const rules = [rule(`now() > timestamp(0) && ${PAIRS}`), rule(`${PAIRS} || R.attr.a == 1`), rule("R.attr.a == 2")];
  const policies = compiled(filesOf([policy(rules)]), { platform: "none" });
  const now = new Date("2024-06-01T12:00:00Z");
  const plan = planDecisions(policies, { ...ASKED, key: { ...KEY, attr: { many: upTo(250) } }, kind: "doc", now });
  const term = { of: "attr", path: ["a"] };
  const last = {
    op: "any",
    of: [
      { op: "present", term, isJson: true },
      { op: "in", term, values: [2] },
    ],
  };
  expect([plan.filter, plan.isExact, plan.now]).toEqual([{ op: "all", of: [{ op: "unknown" }, last] }, false, now]);
});

const PAIRS = "P.attr.many.exists(x, P.attr.many.exists(y, x + y == -1.0))";
const MANY = `[${upTo(22)}]`;
const CUBED = `${MANY}.exists(x, ${MANY}.exists(y, ${MANY}.exists(z, x + y + z == -1)))`;

/** Each exceeds the step budget for some of the requests. */
test.each([
  [
    "a condition on what is known",
    [WALKS, "P.attr.some.exists(x, P.attr.some.exists(y, x + y == 900.0)) || R.attr.a == 1"],
  ],
  [
    "one that is written out",
    [
      `(${PAIRS} || R.attr.a == 1) && P.attr.eight.exists(t, t == R.attr.a && R.attr.b in [${"0,".repeat(2_500)}0])`,
      "P.attr.some.exists(x, P.attr.some.exists(y, x + y == 900.0)) || R.attr.a == 1",
    ],
  ],
  ["one that reads nothing", [`(${PAIRS} || R.attr.a == 1) && (${CUBED} || R.attr.b == 1)`]],
])("what took too long for one request is found out for another: %s", (_, expressions) => {
  const files = filesOf([policy(expressions.map((one) => rule(one)))]);
  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  const keys = [
    { many: upTo(400), some: upTo(400) },
    { many: upTo(400), some: [] },
    { many: upTo(120), some: [1] },
    {},
    { many: [] },
  ];
  const asked = (policies: PolicySet, attr: Attributes) => {
    const { filter, isExact, reasons } = planDecisions(policies, {
      ...ASKED,
      key: { ...KEY, attr: { eight, ...attr } },
      kind: "doc",
    });
    return { filter, isExact, reasons };
  };
  const alone = keys.map((key) => asked(compiled(files, { platform: "none" }), key));
  expect(new Set(alone.map(({ isExact }) => isExact))).toEqual(new Set([true, false]));
  const policies = compiled(files, { platform: "none" });
  expect(keys.map((key) => asked(policies, key))).toEqual(alone);
  const others = compiled(files, { platform: "none" });
  expect(keys.toReversed().map((key) => asked(others, key))).toEqual(alone.toReversed());
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
    "(R.attr.b == 1) != (R.attr.c == 1)",
    "V.id",
    "V.id > 1 || R.attr.b == 1",
    "has(V.errs) || R.attr.y",
    "has(V.decided) && R.attr.y",
    "(R.attr.b == 1) == (R.attr.y == true) || R.attr.s == 'k'",
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

/** Values that depend on the row, that err for every row, and that hold for every row. */
const variables = { local: { id: "R.id", errs: "P.attr.nope == R.attr.b", decided: "P.id == 'u1' || R.attr.b" } };

/** An erring rule matters when another rule allows or denies. */
test.each(HELD)("beside other rules: %s", (expression) => {
  const rows = MIXED.flatMap((one) => [one, { ...one, a: 1 }]);
  for (const effect of ["ALLOW", "DENY"]) {
    const rules = [rule(expression, effect), rule("R.attr.a == 1 || !has(R.attr.a)"), rule("!has(R.attr.b)", "ALLOW")];
    expect(filterOf([policy(rules, { variables })], "", rows).isExact).toBe(true);
  }
});

test("where what is known leaves a row less than half of the budget, the filter is not exact: decisions may run out of steps", () => {
  const known = "P.attr.many.all(x, P.attr.few.all(y, y >= 0)) && P.attr.more.all(x, x >= 0)";
  const ofRow = 'R.attr.a.lowerAscii().contains("x") && R.attr.a != "y"';
  const policies = compiled(filesOf([policy([rule(`${known} && ${ofRow}`)])]), { platform: "none" });
  const attr = { a: "x" };
  const found = (many: number, more: number) => {
    const key = { ...KEY, attr: { many: upTo(many), few: upTo(100), more: upTo(more) } };
    const { filter, isExact } = planDecisions(policies, { ...ASKED, key, kind: "doc", resource: {} });
    const { outcome } = decide(policies, { ...ASKED, key, resource: { kind: "doc", id: "d1", attr } });
    return { isExact, isIn: matches(filter, { id: "d1", attr }), outcome };
  };
  const allowed = { isExact: false, isIn: true, outcome: "allow" };
  expect(found(250, 0)).toEqual({ ...allowed, isExact: true });
  expect(found(300, 0)).toEqual(allowed);
  const atTheEdge = [0, 60, 120, 240].map((more) => found(562, more));
  expect(atTheEdge.filter(({ isExact }) => isExact)).toEqual([]);
  expect(new Set(atTheEdge.map(({ outcome }) => outcome))).toEqual(new Set(["allow", "insufficient_permissions"]));
});
