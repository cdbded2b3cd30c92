/** Near the end of the step budget, a function combined with closures decides as closures alone do. */

import { expect, test } from "vitest";
import { decide } from "../../../src/index.js";
import { actPolicies, actRequest, allowAct, WARM } from "../../support/act.js";
import { when } from "../../support/compose.js";
import { watchFunctions } from "../../support/functions.js";

test("what a function has found out costs closures as much as if they had: near the end of the budget they are asked for all", () => {
  const [found, left] = ['R.attr.l.exists(t, t == "none")', 'R.attr.m.exists_one(t, t == "x" || t == "z" || t == "")'];
  const rules = [allowAct("found", when(found)), allowAct("left", when(left))];
  const [generated, closures] = [actPolicies(rules, true), actPolicies(rules, false)];
  for (let i = 0; i < WARM; i++) decide(generated, actRequest({ l: [], m: [] }));
  const list = (length: number) => Array.from({ length }, () => "y");
  const said = [0, 8_000, 16_000, 24_000, 32_000, 38_000].map((length) => {
    const request = actRequest({ l: list(10_000), m: ["x", ...list(length)] });
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
