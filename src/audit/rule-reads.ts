/** The values that each rule reads to decide. A program compares them with those that it gives, or varies. */

import { usageOf } from "../cel/expression-usage.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { SourcePosition } from "../policy/issue.js";
import type { AnyPolicy, AnyRule } from "../policy/model.js";
import { reachable } from "../policy/policy-expressions.js";
import { decidingPartsOf } from "./findings/reads.js";
import { type LayerName, layeredPolicies, ruleId } from "./policies.js";

/** One value that a rule reads to decide, and where the read stands. */
export interface RuleRead extends SourcePosition {
  readonly layer: LayerName;
  /** As in verdicts: `resource.api.vdefault#role_may_read`. */
  readonly rule: string;
  /** `P.attr`, `P.id`, `R.attr`, `R.id`, `R` for the resource as a whole, `G` for globals, `now()` for the time, … */
  readonly root: string;
  /** The fields below the root that the text fixes: `["limits", "keys"]`. Empty: the root as a whole. */
  readonly path: readonly string[];
}

/**
 * Every value that the conditions of rules read, also through variables and derived roles. Outputs are left out, since
 * they decide nothing.
 */
export function readsOfRules(policies: PolicySet): readonly RuleRead[] {
  return layeredPolicies(policies).flatMap(({ layer, policy }) =>
    policy.rules.flatMap((rule, i) =>
      readsOfRule(policy, rule).map((read) => ({ layer, rule: ruleId(policy, i), ...read })),
    ),
  );
}

/** The reads of one rule; see {@link readsOfRules}. */
export function readsOfRule(policy: AnyPolicy, rule: AnyRule): readonly Omit<RuleRead, "layer" | "rule">[] {
  return decidingPartsOf(policy, rule)
    .flatMap(reachable)
    .flatMap((expression) => {
      const { reads, needsTime } = usageOf(expression.expr);
      const time = needsTime ? [{ root: "now()", path: [], ...expression.position(0) }] : [];
      return [...reads.map(({ root, path, at }) => ({ root, path, ...expression.position(at) })), ...time];
    });
}
