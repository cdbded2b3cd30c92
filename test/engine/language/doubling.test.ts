/**
 * A value that is read twice is computed once. Otherwise `n` variables that each read the previous one twice would take
 * 2 ** `n` steps.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { compileCheckEngine } from "../../../src/engine/evaluate/compile-check-engine.js";
import { planQuery } from "../../../src/engine/query/plan-query.js";
import { type DecisionRequest, decide, type PolicyFile, planDecisions } from "../../../src/index.js";
import { compiled } from "../../support/policies.js";
import { NOW } from "./corpus.js";
import { OF_POLICIES } from "./readers.js";

/** Without the cache, each of these takes minutes. */
const DOUBLINGS = 24;

function files(first: string, next: (before: string) => string): PolicyFile[] {
  const local = Object.fromEntries(
    Array.from({ length: DOUBLINGS }, (_, i) => [`v${i}`, i === 0 ? first : next(`V.v${i - 1}`)]),
  );
  const rule = { actions: ["a0"], effect: "EFFECT_ALLOW", roles: ["user"] };
  const condition = { match: { expr: `V.v${DOUBLINGS - 1}` } };
  const rules = [{ ...rule, condition }];
  const resourcePolicy = { resource: "doc", version: "default", variables: { local }, rules };
  return [{ path: "a.json", text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) }];
}

const CHAINS: readonly (readonly [what: string, files: PolicyFile[]])[] = [
  ["of a row", files("R.attr.y", (before) => `${before} || ${before}`)],
  ["of a key", files("P.attr.y", (before) => `${before} && ${before}`)],
  ["of both", files("R.attr.y == P.attr.y", (before) => `${before} ? ${before} : R.attr.x == 1`)],
];

test.each(CHAINS.flatMap(([what, of]) => [...OF_POLICIES].map(([name, read]) => [name, what, read, of] as const)))(
  "%s of variables %s",
  (_, __, read, of) => {
    expect(read(compiled(of, { platform: "none" }), "a0").join().length).toBeLessThan(1_000_000);
  },
);

test.each(CHAINS)("decisions and query plans of variables %s", (_, of) => {
  const policies = compiled(of, { platform: "none" });
  const attr = { y: true, x: 1 };
  const key = { id: "u1", roles: ["user"], attr };
  const resource = { kind: "doc", id: "d1", attr };
  const request: DecisionRequest = { key, operation: "a0", resource, account: { id: "a1", attr: {} }, now: NOW };
  for (let i = 0; i < 30; i++) expect(decide(policies, request).outcome).toBe("allow");
  const engine = compileCheckEngine(of, {});
  if (isLeft(engine)) throw new Error("no engine");
  const principal = { ...key, scope: "", policyVersion: "" };
  const about = { ...resource, attr: {}, scope: "", policyVersion: "" };
  const input = { principal, resource: about, actions: ["a0"], jwt: {}, now: undefined };
  expect(planQuery(engine.right.policies, input, engine.right.options)).toMatchObject({});
});

/** A variable that takes more than a tenth of the step budget, and rules that each read it. */
function sharing(): PolicyFile[] {
  const rule = { actions: ["a0"], effect: "EFFECT_ALLOW", roles: ["user"] };
  const rules = Array.from({ length: 12 }, (_, i) => ({
    ...rule,
    condition: { match: { expr: `V.heavy || R.attr.x == ${i}` } },
  }));
  const local = { heavy: 'P.attr.names.exists(n, n == "none")' };
  const resourcePolicy = { resource: "doc", version: "default", variables: { local }, rules };
  return [{ path: "a.json", text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) }];
}

test("what a variable comes to is found out once for all rules, and for all rows", () => {
  const policies = compiled(sharing(), { platform: "none", codegen: false });
  const key = { id: "u1", roles: ["user"], attr: { names: Array(12_000).fill("a") } };
  const asked = { key, account: { id: "a1", attr: {} }, operation: "a0", now: NOW };
  const { permission } = decide(policies, { ...asked, resource: { kind: "doc", id: "d1", attr: { x: 11 } } });
  expect([permission.effect, permission.errors]).toEqual(["allow", []]);
  expect(planDecisions(policies, { ...asked, kind: "doc" })).toMatchObject({ outcome: "some", isExact: true });
});
