/** The kinds and actions that rules are about, in one form for the three kinds of policy. */

import { isGlob, looksLikeGlob } from "../../policy/glob.js";
import type { AnyPolicy, AnyRule } from "../../policy/model.js";
import { countEntries, globMatchers, kindMatcher, matchers } from "./actions.js";

export interface RuleTarget {
  /** The kind, or the pattern of kinds, as the policy writes it. */
  readonly written: string;
  /** The kind, sanitised; a pattern as it is written. */
  readonly kind: string;
  readonly actions: readonly string[];
  /** Role policies match each action as a name and as a glob. */
  readonly inRolePolicy: boolean;
}

export function targetOf(policy: AnyPolicy, rule: AnyRule): RuleTarget {
  if ("allowActions" in rule) {
    return { written: rule.resource, kind: rule.resource, actions: rule.allowActions, inRolePolicy: true };
  }
  const { actions } = rule;
  if ("resourceName" in rule) {
    return { written: rule.resource, kind: rule.resourceName, actions, inRolePolicy: false };
  }
  const [written, kind] = policy.kind === "resource" ? [policy.name, policy.resource] : ["", ""];
  return { written, kind, actions, inRolePolicy: false };
}

/** The targets of all rules, in the order of the policies and their rules. */
export function targetsOf(policies: readonly AnyPolicy[]): readonly RuleTarget[] {
  return policies.flatMap((policy) => policy.rules.map((rule) => targetOf(policy, rule)));
}

/** Whether a rule is about a kind, which is sanitised. */
export function isAboutKind({ kind: pattern }: RuleTarget, kind: string): boolean {
  return kindMatcher(pattern)(kind);
}

export function isAboutAction({ actions, inRolePolicy }: RuleTarget, action: string): boolean {
  return countEntries((inRolePolicy ? globMatchers : matchers)(actions), action) > 0;
}

/** Whether a rule matches one of its actions as a glob. */
export function isPattern({ inRolePolicy }: RuleTarget, action: string): boolean {
  return inRolePolicy ? looksLikeGlob(action) : isGlob(action);
}
