/**
 * Complete traces of decisions, without positions, as recorded: a change shows in review. `test/property/trace.test.ts`
 * tests that traces match the decisions. `KEYWARD_WRITE=1 npx vitest run test/engine/observe` writes them anew.
 */

import { afterAll, expect, test } from "vitest";
import { decisionTracer, traceDecision } from "../../../src/decisions/trace.js";
import { toFiles } from "../../property/arbitraries/index.js";
import { ACCOUNTS, DOCUMENTS, KEYS, NOW, RESOURCES } from "../../support/many-plans.js";
import { compiled } from "../../support/policies.js";
import { Recording } from "../../support/recording.js";
import { corpus, RESOURCES as ROWS, requestOf } from "../language/corpus.js";

const recording = new Recording("test/engine/observe/traces.json");
afterAll(() => recording.close());

function expectKnown(name: string, trace: unknown): void {
  // On one line, without positions, which are in files made for the test. Distinguishes undefined from absent fields.
  const plain = JSON.stringify(trace, (name, value) =>
    name === "at" || name === "start" || name === "end" ? undefined : value === undefined ? "undefined" : value,
  );
  expect(plain).toEqual(recording.of(name, plain));
}

/** Without the policies that have many rules for an action. */
const SMALL = DOCUMENTS.map(({ resourcePolicy, ...rest }) => ({
  ...rest,
  ...(resourcePolicy && {
    resourcePolicy: {
      ...resourcePolicy,
      rules: (resourcePolicy.rules ?? []).filter(({ name }) => !/_\d+$/.test(name ?? "")),
    },
  }),
}));

test.each(["list", "read", "edit", "tell"])("%s", (operation) => {
  const tracer = decisionTracer(compiled(toFiles(SMALL)));
  for (const [k, key] of KEYS.entries()) {
    if (k === 1 || k === 5) continue;
    const resource = RESOURCES[(operation.length + 2 * k) % 5];
    const account = ACCOUNTS[k % ACCOUNTS.length];
    if (resource === undefined || account === undefined) throw new Error("nothing to ask about");
    expectKnown(`${operation} by ${k}`, traceDecision(tracer, { key, operation, resource, account, now: NOW }));
  }
});

/** One or two expressions of each form. */
const EXPRESSIONS = [
  "R.attr.x == 1 && !R.attr.y || has(R.attr.m.z)",
  "R.attr.l.exists(t, t == 1 && R.attr.y)",
  "R.attr.l.all(i, t, t > i)",
  "R.attr.rows.filter(r, r.n > 1).map(r, r.k) == ['red']",
  "cel.bind(v, R.attr.x, v == 1 || v == 2)",
  "R.attr.y ? V.vx == 1 : V.vbad == {'a': [P.id, R.id]}",
  "R.attr.?x.?a.orValue(C.cn) + G.limit > 3",
  "R.attr.s.startsWith('r') && R.attr.s in P.attr.groups && R.attr.tags[0] == R.attr.s",
  "timestamp(R.attr.t) < now() || duration(R.attr.d) > duration('1m')",
  "R.attr.nope.a == 1 || R.attr.x == 1",
  "R.attr.x == 1 || R.attr.y || R.attr.b || R.attr.nope",
  "R.attr.x == 1 && R.attr.y && R.attr.b && !R.attr.nope",
  "R.attr.s + 'x' + R.attr.k + 'y' == 'redxky'",
  "type(R.attr.x) == int || [int, string].exists(t, t == type(R.attr.s)) || int(R.attr.s) == 1",
  "(R.attr.y ? true : R.attr.x == 1) && !false || (false && R.attr.x == 2)",
  "R.attr.n - 1.0 - 1.0 == 0.0 && R.attr.m.z == 1 && {'a': R.attr.x}.a == 1 && -R.attr.n < 0.0",
];

test.each(EXPRESSIONS)("%s", (expression) => {
  const set = decisionTracer(corpus([expression], false));
  for (const [row, resource] of ROWS.slice(0, 4).entries()) {
    const { permission } = traceDecision(set, requestOf(0, resource));
    expectKnown(`${expression} on row ${row}`, permission);
  }
});

test("variables go by their places among those of the policy and of the derived roles that it lists", () => {
  const role = (name: string, expr: string) => ({ name, parentRoles: ["user"], condition: { match: { expr } } });
  const set = (name: string, local: object, ...definitions: readonly object[]) => ({
    derivedRoles: { name, variables: { local }, definitions },
  });
  const rule = { actions: ["a0"], effect: "EFFECT_ALLOW", condition: { match: { expr: "V.two || V.one" } } };
  const resourcePolicy = {
    ...{ resource: "doc", version: "default", importDerivedRoles: ["x", "y"] },
    variables: { local: { one: "R.attr.x == 1", two: "R.attr.x == 2" } },
    rules: [{ ...rule, derivedRoles: ["a", "b", "c"] }],
  };
  const documents = [
    set("x", { one: "R.attr.n == 2", other: "R.attr.n == 3" }, role("a", "V.other"), role("b", "V.one")),
    set("y", { two: "R.attr.y" }, role("c", "V.two")),
    { resourcePolicy },
  ].map((one, i) => ({ path: `${i}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...one }) }));
  const [resource] = ROWS;
  if (resource === undefined) throw new Error("no rows");
  const { permission } = traceDecision(
    decisionTracer(compiled(documents, { platform: "none" })),
    requestOf(0, resource),
  );
  const [policy] = permission.policies;
  expect(policy?.variables.map(({ name, expression }) => `${name} ${expression?.state}`)).toEqual([
    ...["one true", "two false", "other false", "one true", "two true"],
  ]);
  const indexes = JSON.stringify([policy?.derivedRoles, policy?.rules]).match(/"variable":\d+/g);
  expect(indexes?.map((one) => Number(one.slice(11)))).toEqual([2, 3, 4, 1, 0]);
});
