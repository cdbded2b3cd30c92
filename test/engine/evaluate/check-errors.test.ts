/** Errors of checks, which count as false: each is that of the expression under which it is reported. */

import { expect, test } from "vitest";
import { CheckPolicies, check } from "../../../src/engine/evaluate/check.js";
import { WHOLE } from "../../../src/engine/evaluate/whole.js";
import { policy } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const OPTIONS = {
  defaultPolicyVersion: "default",
  defaultScope: "",
  lenientScopeSearch: false,
  globals: {},
  schemaEnforcement: "none",
} as const;

test("an error that another expression made good afterwards is not the one that is reported", () => {
  const members = ["R.attr.a == 1", "R.attr.later == 2 || true"].map((expr) => `{expr: ${JSON.stringify(expr)}}`);
  const condition = `condition: {match: {any: {of: [${members.join(", ")}]}}}`;
  const rule = `name: r, actions: [act], roles: ["*"], effect: EFFECT_ALLOW, ${condition}`;
  const { model } = compiled([{ path: "a.yaml", text: policy({ rules: [rule] }) }], { platform: "none" });
  const both = { attr: {}, scope: "", policyVersion: "" };
  const input = {
    principal: { ...both, id: "u", roles: ["user"] },
    resource: { ...both, id: "d", kind: "doc" },
    actions: ["act"],
    jwt: {},
    now: undefined,
  };
  const { actions, errors } = check(new CheckPolicies(model, "lenient", WHOLE), input, OPTIONS);
  expect(actions.get("act")?.effect).toBe("allow");
  expect(errors).toMatchObject([{ rule: "r", expression: "R.attr.a == 1", message: "no such key: a" }]);
});
