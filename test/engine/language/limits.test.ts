/**
 * Size limits: the longest list for which each sort of generated function answers, and the longest for which row plans
 * and query plans are made. One more element is too many. `KEYWARD_WRITE=1` measures them anew.
 *
 * @module-tag long
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, test } from "vitest";
import { compileCheckEngine } from "../../../src/engine/evaluate/compile-check-engine.js";
import { planQuery } from "../../../src/engine/query/plan-query.js";
import { type DecisionRequest, decide, planDecisions } from "../../../src/index.js";
import { watchFunctions } from "../../support/functions.js";
import { corpus, corpusFiles, GLOBALS, NOW } from "./corpus.js";
import { recordingOf } from "./recorded.js";

const recording = recordingOf("limits");
afterAll(() => recording.close());

type Attr = NonNullable<DecisionRequest["resource"]["attr"]>;

const texts = (size: number) => Array.from({ length: size }, (_, i) => `t${i}`);

/** Attribute values by name; some grow with the given size. */
const MADE: { readonly [name: string]: (size: number) => Attr[string] } = {
  ...{ x: () => "none", small: () => ["a", "b"], numbers: (size) => Array(size).fill(2), texts },
  ...{
    mixed: (size) => [...texts(size), 1],
    long: (size) => "y".repeat(size),
    map: (size) => ({ texts: texts(size) }),
  },
  ...{
    rows: (size) => texts(size).map((k) => ({ k, tags: ["a", "b"] })),
    nested: (size) => texts(size).map(() => ["a"]),
  },
};

/** The attributes that an expression reads. */
function attributes(expression: string, size: number): Attr {
  const names = Object.keys(MADE).filter((name) => expression.includes(`.${name}`));
  return Object.fromEntries(names.map((name) => [name, MADE[name]?.(size) ?? null]));
}

const request = (resource: Attr, key: Attr): DecisionRequest => ({
  key: { id: "u1", roles: ["user"], attr: key },
  account: { id: "a1", attr: {} },
  operation: "a0",
  resource: { kind: "doc", id: "d1", attr: resource },
  now: NOW,
});

/** The large value is in the resource, in the key, or in both. */
const SIDES = {
  resource: (expression: string, size: number) => request(attributes(expression, size), attributes(expression, 2)),
  key: (expression: string, size: number) => request(attributes(expression, 2), attributes(expression, size)),
  both: (expression: string, size: number) => request(attributes(expression, size), attributes(expression, size)),
};

const COUNTED: readonly (readonly [expression: string, side: keyof typeof SIDES])[] = [
  ...(["resource", "key"] as const).flatMap((side) => {
    const [a, b] = side === "resource" ? ["R.attr", "P.attr"] : ["P.attr", "R.attr"];
    return [
      ...[`${a}.numbers.exists(t, t == 1)`, `${a}.numbers.all(t, t > 1)`, `${a}.texts.exists(t, t == ${b}.x)`],
      ...[`${a}.texts.exists(t, t in ${b}.small)`, `${a}.texts.all(t, !(t in ${b}.small))`],
      ...[
        `${a}.texts.exists(t, t.startsWith("no"))`,
        `${a}.map.texts.exists(t, t == "no")`,
        `${a}.rows.exists(r, r.k == "none")`,
      ],
      ...[
        `${a}.rows.exists(r, "none" in r.tags)`,
        `${a}.nested.exists(n, "none" in n)`,
        `${a}.rows.exists(r, r.tags.exists(t, t == r.k))`,
      ],
      ...[
        `${a}.rows.all(r, !hasIntersection(r.tags, ["x"]))`,
        `${a}.rows.exists(r, hasIntersection(r.tags, ${b}.numbers))`,
      ],
      ...[`${a}.texts.exists(t, ["u", "v"].exists(u, u == t))`],
    ].map((one) => [one, side] as const);
  }),
  ["hasIntersection(R.attr.texts, P.attr.numbers)", "both"],
  ["R.attr.texts.exists(t, t in P.attr.mixed)", "both"],
  ["P.attr.texts.exists(t, t in R.attr.numbers)", "both"],
  ["R.attr.rows.exists(r, hasIntersection(r.tags, P.attr.numbers))", "both"],
];

/** Longer lists are not tested. */
const MOST = 60_000;

describe.each(COUNTED)("%s, of the %s", (expression, side) => {
  const sized = (size: number) => SIDES[side](expression, size);

  test("a generated function answers, and of no larger one", () => {
    const policies = corpus([expression], true);
    for (let i = 0; i < 25; i++) decide(policies, sized(2));
    recording.expectMost(`${expression}, of the ${side}`, (size) => {
      if (size > MOST) return false;
      const answered: boolean[] = [];
      const unwatch = watchFunctions((_, isFound) => answered.push(isFound));
      decide(policies, sized(size));
      unwatch();
      return answered.includes(true);
    });
  });
});

/** Known values of the key for which a macro is expanded, element by element. */
const WRITTEN_OUT = [
  ...["P.attr.texts.exists(t, t == R.attr.x)", "P.attr.texts.all(t, R.attr.x != t && R.attr.k == 1)"],
  ...["P.attr.texts.exists(i, t, t == R.attr.x && i > 1)", "P.attr.rows.exists(r, r.k == R.attr.x)"],
];

test.each(WRITTEN_OUT)("a filter is exact for %s, and for no longer list", (expression) => {
  const policies = corpus([expression], false);
  recording.expectMost(`filter: ${expression}`, (size) => {
    const { key, operation, account } = SIDES.key(expression, size);
    return planDecisions(policies, { key, operation, account, kind: "doc", now: NOW }).isExact;
  });
});

test.each([...WRITTEN_OUT, "P.attr.texts.map(t, t + R.attr.s).size() == 0"])(
  "a query plan is made for %s",
  (expression) => {
    const compiled = compileCheckEngine(corpusFiles([expression], false), { globals: GLOBALS });
    if (isLeft(compiled)) throw new Error("no engine");
    const { policies, options } = compiled.right;
    recording.expectMost(`query: ${expression}`, (size) => {
      const { key } = SIDES.key(expression, size);
      const principal = { id: key.id, roles: key.roles, attr: key.attr ?? {}, scope: "", policyVersion: "" };
      const resource = { kind: "doc", attr: {}, scope: "", policyVersion: "" };
      return !(
        "fault" in planQuery(policies, { principal, resource, actions: ["a0"], jwt: {}, now: undefined }, options)
      );
    });
  },
);
