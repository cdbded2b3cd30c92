/** The attributes that a plan's closures may read: only these are copied. */

import { describe, expect, test } from "vitest";
import { namesRead, namesReadBy } from "../../../src/engine/evaluate/names-read.js";
import type { PlannedRule } from "../../../src/engine/plan/plan.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";
import { planOf, role, row, step } from "../plan/parts.js";

const VARIABLES = `variables:
  local: { v: "R.attr.v1 == 1 && V.w", w: "P.attr.w1 == 1", unread: "R.attr.never == 1", late: "now() > timestamp(R.attr.a)" }
constants: { local: { c: x } }`;

/** A rule with the condition `expr` and these output expressions. */
function ruleOf(expr: string, activated?: string, notMet?: string): PlannedRule {
  const outputs = Object.entries({ ruleActivated: activated, conditionNotMet: notMet }).flatMap(([name, one]) =>
    one === undefined ? [] : [`${name}: ${JSON.stringify(one)}`],
  );
  const output = outputs.length === 0 ? "" : `, output: {when: {${outputs.join(", ")}}}`;
  const rules = [
    `actions: [act], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}${output}`,
    `actions: [other], roles: [user], effect: EFFECT_ALLOW, ${when("V.unread")}`,
  ];
  const { permission } = compiled([{ path: "a.yaml", text: policy({ body: VARIABLES, rules }) }], { platform: "none" });
  const part = { id: "x", kind: "doc", roles: ["user"], scope: "", attr: {} };
  const [rule] = permission.planFor(part, part, "act").plan.rules;
  return rule ?? expect.unreachable("no rule");
}

const ANY = undefined;

test.each<readonly [string, readonly string[] | undefined, readonly string[] | undefined]>([
  ["R.attr.a == 1", [], ["a"]],
  ["P.attr.a.b == 1 && R.attr.c == P.attr.a.d", ["a"], ["c"]],
  ["request.principal.attr.a == request.resource.attr.b", ["a"], ["b"]],
  ['R.attr["a"] == 1 && has(P.attr.b)', ["b"], ["a"]],
  ["R.attr.l.exists(t, t == P.attr.a)", ["a"], ["l"]],
  ['P.id == "x" && R.kind == "doc" && "user" in P.roles && R.id == C.c', [], []],
  ['P.attr == {"a": 1}', ANY, []],
  ["R.attr[P.id] == 1", [], ANY],
  ["R.attr.a == 1 && dyn(R) == dyn(1)", [], ANY],
  ["P.attr.a == 1 && dyn(P) == dyn(1) && R.attr.b == 1", ANY, ["b"]],
  ["R.attr.a == 1 && dyn(request) == dyn(1)", ANY, ANY],
  ["dyn(request.resource) == dyn(1)", [], ANY],
  ["V.v", ["w1"], ["v1"]],
  ["V.w || R.attr.a == 1", ["w1"], ["a"]],
])("%s", (expr, principal, resource) => {
  expect(namesRead(planOf([[step([row(ruleOf(expr))])]]))).toEqual({ principal, resource, clock: false });
});

test.each([
  ["now() > timestamp(R.attr.a)", true],
  ['timestamp(R.attr.a).timeSince() > duration("1h")', true],
  ["V.late", true],
  ["R.attr.now == 1", false],
])("%s: reads the clock: %s", (expr, clock) => {
  expect(namesRead(planOf([[step([row(ruleOf(expr))])]])).clock).toBe(clock);
});

describe("all that a plan may evaluate", () => {
  const rule = (name: string, outputs = false) =>
    ruleOf(`R.attr.${name} == 1`, ...(outputs ? [`P.attr.${name}_met`, `P.attr.${name}_not`] : []));
  const guard = (name: string) => role(name, { condition: rule(name).condition });

  test("conditions, both outputs, and derived roles, of the principal's own policies too", () => {
    const open = role("open", { condition: undefined });
    const personal = [step([row(rule("own"))])];
    const plan = planOf(
      [
        [step([row(rule("a"), guard("guard"))], { derivedRoles: [guard("active"), open] })],
        [step([row(rule("b", true))])],
      ],
      { personal },
    );
    expect(namesRead(plan)).toEqual({
      principal: ["b_met", "b_not"],
      resource: ["own", "a", "b", "active", "guard"],
      clock: false,
    });
    expect(namesRead(planOf([]))).toEqual({ principal: [], resource: [], clock: false });
  });

  test("of outputs that are left: these, and the derived roles that are active at their step", () => {
    const told = rule("a", true);
    const at = step([row(told, guard("guard"))], { derivedRoles: [guard("active")] });
    const { whenActivated } = told;
    if (whenActivated === undefined) throw new Error("no output");
    const pending = { rule: told, ifHolds: true, expression: whenActivated, number: 0, src: "", step: at };
    expect(namesReadBy([pending])).toEqual({ principal: ["a_met"], resource: ["active"], clock: false });
    expect(namesReadBy([])).toEqual({ principal: [], resource: [], clock: false });
  });
});
