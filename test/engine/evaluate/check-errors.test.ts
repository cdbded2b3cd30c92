/** Errors in checks count as false; each is reported under the expression that raised it. */

import { expect, test } from "vitest";
import { CheckPolicies, check } from "../../../src/engine/evaluate/check.js";
import { FULL_EQUIPMENT } from "../../../src/engine/evaluate/full-equipment.js";
import type { Conditional } from "../../../src/engine/plan/plan.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const OPTIONS = {
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  globals: {},
  schemaEnforcement: "none",
} as const;

const PART = { attr: {}, scope: "", policyVersion: "" };
const INPUT = {
  principal: { ...PART, id: "u", roles: ["user"] },
  resource: { ...PART, id: "d", kind: "doc" },
  actions: ["act"],
  jwt: {},
  now: undefined,
};

test("an observer is told what was found out of each rule", () => {
  const rule = (name: string, expr: string) =>
    `name: ${name}, actions: [act], roles: ["*"], effect: EFFECT_ALLOW, ${when(expr)}`;
  const rules = [rule("yes", "1 == 1"), rule("no", "R.id == 'x'"), rule("errs", "R.attr.none")];
  const { model } = compiled([{ path: "a.yaml", text: policy({ rules }) }], { platform: "none" });
  const told: unknown[] = [];
  const considered = ({ condition }: Conditional, holds: boolean | undefined) =>
    told.push([condition?.kind === "expr" && condition.expr.source, holds]);
  check(new CheckPolicies(model, "strict", FULL_EQUIPMENT, { considered }), INPUT, OPTIONS);
  expect(told).toEqual([
    ["1 == 1", true],
    ["R.id == 'x'", false],
    ["R.attr.none", undefined],
  ]);
});

test("an error that another expression made good afterwards is not the one that is reported", () => {
  const members = ["R.attr.a == 1", "R.attr.later == 2 || true"].map((expr) => `{expr: ${JSON.stringify(expr)}}`);
  const condition = `condition: {match: {any: {of: [${members.join(", ")}]}}}`;
  const rule = `name: r, actions: [act], roles: ["*"], effect: EFFECT_ALLOW, ${condition}`;
  const { model } = compiled([{ path: "a.yaml", text: policy({ rules: [rule] }) }], { platform: "none" });
  const { actions, errors } = check(new CheckPolicies(model, "lenient", FULL_EQUIPMENT), INPUT, OPTIONS);
  expect(actions.get("act")?.effect).toBe("allow");
  expect(errors).toMatchObject([{ rule: "r", expression: "R.attr.a == 1", message: "no such key: a" }]);
});
