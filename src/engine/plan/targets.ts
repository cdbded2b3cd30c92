/** The kinds and actions that rules are about, in one form for the three kinds of policy. */

import { isGlob, looksLikeGlob } from "../../policy/glob.js";
import type { AnyPolicy, AnyRule, RolePolicyRule } from "../../policy/model.js";
import { type ActionForm, actionMatchers, countEntries, isAnyAction, kindMatcher } from "./actions.js";

export interface RuleTarget {
  /** The kind, or the pattern of kinds, as the policy writes it. */
  readonly written: string;
  /** The kind, sanitised; a pattern as it is written. */
  readonly kind: string;
  readonly actions: readonly string[];
  readonly actionForm: ActionForm;
}

export function targetOf(policy: AnyPolicy, rule: AnyRule): RuleTarget {
  if ("allowActions" in rule) {
    const { resource, resourceName, allowActions } = rule;
    return { written: resource, kind: resourceName, actions: allowActions, actionForm: actionFormOf(rule) };
  }
  const { actions } = rule;
  if ("resourceName" in rule) {
    return { written: rule.resource, kind: rule.resourceName, actions, actionForm: "globs" };
  }
  const [written, kind] = policy.kind === "resource" ? [policy.name, policy.resource] : ["", ""];
  return { written, kind, actions, actionForm: "globs" };
}

export function actionFormOf({ allowsByGlobs }: RolePolicyRule): ActionForm {
  return allowsByGlobs ? "names_and_globs" : "names";
}

/** The targets of all rules, in the order of the policies and their rules. */
export function targetsOf(policies: readonly AnyPolicy[]): readonly RuleTarget[] {
  return policies.flatMap((policy) => policy.rules.map((rule) => targetOf(policy, rule)));
}

/** Whether a rule is about a kind, which is sanitised. */
export function isAboutKind({ kind: pattern }: RuleTarget, kind: string): boolean {
  return kindMatcher(pattern)(kind);
}

export function isAboutAction({ actions, actionForm }: RuleTarget, action: string): boolean {
  return countEntries(actionMatchers(actions, actionForm), action) > 0;
}

/** True if a rule matches one of its actions as a glob. */
export function isPattern({ actionForm }: RuleTarget, action: string): boolean {
  return PATTERN_TESTS[actionForm](action);
}

const PATTERN_TESTS = { globs: isGlob, names: isAnyAction, names_and_globs: looksLikeGlob } as const;
