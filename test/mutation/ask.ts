/** Requests that reach every part of a policy set, and their results. */

import { parseTimestamp } from "../../src/cel/time.js";
import { CheckPolicies, check } from "../../src/engine/evaluate/check.js";
import type { CheckInput, CheckResult } from "../../src/engine/evaluate/check-types.js";
import { FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import type { PolicyModel, ResourcePolicy } from "../../src/policy/model.js";

const ATTR = {
  id: "a",
  name: "x",
  owner: "john",
  status: "PENDING_APPROVAL",
  geography: "GB",
  public: true,
  amount: 12.5,
  tags: ["a", "b"],
  nested: { a: { b: [1, null] } },
  ip_address: "10.20.1.2",
  team: "design",
};

/** Requests about the resource of each resource policy and principal policy, with the roles and actions named there. */
function inputsOf(model: PolicyModel): readonly CheckInput[] {
  const ids = model.principalPolicies.map(({ name }) => name).slice(0, 2);
  const extra = model.rolePolicies.map(({ role }) => role).slice(0, 3);
  const kinds = model.principalPolicies.flatMap(({ rules, version, scope }) =>
    rules.slice(0, 2).map(({ resource }) => ({ kind: resource, version, scope, roles: [], actions: ["view"] })),
  );
  const wanted = [...model.resourcePolicies.map(subjectOf), ...kinds.slice(0, 3)].slice(0, 8);
  return wanted.flatMap(({ kind, version, scope, roles, actions }) =>
    [...ids, "nobody"].map((id) => ({
      principal: { id, roles: [...new Set([...roles, ...extra, "user"])], attr: ATTR, policyVersion: version, scope },
      resource: { kind, id: "r1", attr: ATTR, policyVersion: version, scope },
      actions,
      jwt: { level: 1, aud: ["a"] },
      now: parseTimestamp("2024-01-01T00:00:00Z"),
    })),
  );
}

function subjectOf({ name, version, scope, rules, derivedRoles }: ResourcePolicy) {
  const parents = [...derivedRoles.values()].flatMap(({ parentRoles }) => parentRoles);
  const roles = [...rules.flatMap((rule) => rule.roles), ...parents].filter((role) => role !== "*").slice(0, 6);
  const actions = [...new Set([...rules.flatMap((rule) => rule.actions).slice(0, 12), "view"])];
  return { kind: name, version, scope, roles, actions };
}

/** Compiles the model in lenient mode, as the server does, and in strict mode; returns the results of all checks. */
export function ask(model: PolicyModel): readonly CheckResult[] {
  const results: CheckResult[] = [];
  for (const strict of [false, true]) {
    const policies = new CheckPolicies(model, strict ? "strict" : "lenient", FULL_EQUIPMENT);
    const options = { defaultPolicyVersion: "default", defaultScope: "", lenientScopeSearch: false, globals: {} };
    for (const input of inputsOf(model)) {
      results.push(check(policies, input, { ...options, schemaEnforcement: strict ? "none" : "warn" }));
    }
  }
  return results;
}
