/** Conditions that are never true, or never false. */

import type { AnyPolicy, Condition, Definitions } from "../../policy/model.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";
import { formulaOf } from "./formula.js";
import { isSatisfiable } from "./satisfiable.js";

export function conditionFindings(policy: AnyPolicy): readonly Finding[] {
  const { definitions } = policy;
  const ofRules = policy.rules.flatMap(({ condition, at, name }, i) =>
    findingsOf(condition, definitions).map((finding) => ({
      ...finding,
      ...at,
      message: `${describe(policy, name)}: ${finding.message}`,
      rule: ruleId(policy, i),
    })),
  );
  const roles = policy.kind === "resource" ? [...policy.derivedRoles.values()] : [];
  const ofRoles = roles.flatMap(({ name, condition, definitions: own, at }) =>
    findingsOf(condition, own).map((finding) => ({
      ...finding,
      ...at,
      message: `derived role ${name}: ${finding.message}`,
    })),
  );
  return [...ofRules, ...ofRoles];
}

function describe(policy: AnyPolicy, rule: string): string {
  return rule === "" ? `a rule of ${policy.key}` : `rule ${rule}`;
}

function findingsOf(
  condition: Condition | undefined,
  definitions: Definitions,
): readonly Pick<Finding, "code" | "severity" | "message" | "hint">[] {
  if (condition === undefined) return [];
  if (!isSatisfiable(formulaOf(condition, definitions, true))) {
    return [
      {
        code: "contradictory_condition",
        severity: "warning",
        message: "its condition is never true, because its parts exclude each other",
        hint: "write || if one part is enough, or remove the rule",
      },
    ];
  }
  if (!isSatisfiable(formulaOf(condition, definitions, false))) {
    return [
      {
        code: "tautological_condition",
        severity: "warning",
        message: "its condition is never false, so the rule always applies (unless the condition errs)",
        hint: "write && if all parts are needed, or remove the condition",
      },
    ];
  }
  return [];
}
