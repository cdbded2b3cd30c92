/** Near the end of the budget of steps a function and closures together decide as closures alone would. */

import { expect, test } from "vitest";
import { type DecisionRequest, decide, type PolicySet } from "../../../src/index.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { watchFunctions } from "../../support/functions.js";
import { compiled } from "../../support/policies.js";

const allow = (name: string, more: string) =>
  `name: ${name}, actions: [act], roles: [user], effect: EFFECT_ALLOW, ${more}`;
const setOf = (rules: readonly string[], codegen: boolean, body = ""): PolicySet =>
  compiled([{ path: "a.yaml", text: policy({ rules, body }) }, ...supportAll("doc")], { codegen });

const requestOf = (attr: object, key: object = {}): DecisionRequest => ({
  key: { id: "k", roles: ["user"], attr: key as NonNullable<DecisionRequest["key"]["attr"]> },
  operation: "act",
  resource: { kind: "doc", id: "d", attr: attr as NonNullable<DecisionRequest["resource"]["attr"]> },
  account: { id: "a", attr: {} },
});

/** Asked until there is a function. */
const WARM = 22;

test("what a function has found out costs closures as much as if they had: near the end of the budget they are asked for all", () => {
  const [found, left] = ['R.attr.l.exists(t, t == "none")', 'R.attr.m.exists_one(t, t == "x")'];
  const rules = [allow("found", when(found)), allow("left", when(left))];
  const [generated, closures] = [setOf(rules, true), setOf(rules, false)];
  for (let i = 0; i < WARM; i++) decide(generated, requestOf({ l: [], m: [] }));
  const list = (length: number) => Array.from({ length }, () => "y");
  const said = [0, 40_000, 80_000, 120_000, 160_000, 200_000].map((length) => {
    const request = requestOf({ l: list(20_000), m: ["x", ...list(length)] });
    const answered: boolean[] = [];
    const unwatch = watchFunctions((_, isFound) => answered.push(isFound));
    const decision = decide(generated, request);
    unwatch();
    expect(answered).toEqual([true]);
    expect(decision).toEqual(decide(closures, request));
    return `${decision.permission.effect} ${decision.permission.errors.length > 0}`;
  });
  expect(new Set(said)).toEqual(new Set(["allow false", "deny true"]));
});
