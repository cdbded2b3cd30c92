/** Clauses in the `controls` of the configuration that no rule carries: such a control would seem to be kept. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { clauseOf } from "../clauses.js";
import { layeredPolicies } from "../policies.js";
import type { Finding } from "./finding.js";

export function clauseFindings(policies: PolicySet): readonly Finding[] {
  const { controls = [] } = policies.model.configuration ?? {};
  if (controls.length === 0) return [];
  const carried = new Set(
    layeredPolicies(policies).flatMap(({ policy }) => policy.rules.map((rule) => clauseOf(policy, rule))),
  );
  return controls
    .filter(({ clause }) => !carried.has(clause))
    .map(({ clause, controls: names, at }) => ({
      code: "unknown_clause",
      severity: "warning",
      message: `no rule carries the clause ${clause}, so it does nothing for ${names.join(", ")}`,
      hint: `write the annotation keyward.clause/RULE: ${JSON.stringify(clause)} into the policy of the rule`,
      ...at,
    }));
}
