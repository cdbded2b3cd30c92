/** Decisions brought to a form in which two that say the same are deep-equal. */

import type { Decision, Outcome } from "../../src/decisions/types.js";
import type { LayerVerdict } from "../../src/engine/plan/verdict.js";
import type { NaiveDecision, NaiveVerdict } from "./naive.js";

export interface ComparableVerdict extends Pick<LayerVerdict, "effect" | "policy" | "scope"> {
  readonly reasons: readonly string[];
  readonly errors: readonly string[];
  readonly outputs: readonly string[];
  readonly derivedRoles: readonly string[];
  readonly fault: string | undefined;
}

export interface ComparableDecision {
  readonly outcome: Outcome;
  readonly permission: ComparableVerdict;
  readonly platform: ComparableVerdict;
}

/**
 * What a decision says, apart from the order of its lists and the wording and place of errors: an error is a policy, a
 * rule and the expression that failed.
 */
export function comparable(decision: Decision | NaiveDecision): ComparableDecision {
  const { outcome, permission, platform } = decision;
  return { outcome, permission: comparableVerdict(permission), platform: comparableVerdict(platform) };
}

export function comparableVerdict(verdict: LayerVerdict | NaiveVerdict): ComparableVerdict {
  const { effect, policy, scope } = verdict;
  return {
    effect,
    policy,
    scope,
    reasons: verdict.reasons.map((r) => `${r.kind} ${r.policy}#${r.rule}: ${r.reason}`).sort(),
    errors: [...new Set(verdict.errors.map((e) => `${e.policy}#${e.rule}: ${e.expression}`))].sort(),
    outputs: verdict.outputs.map(({ src, action, val }) => `${src} ${action} ${sortedJson(val)}`).sort(),
    derivedRoles: [...verdict.derivedRoles].sort(),
    fault: verdict.fault?.kind,
  };
}

/** JSON with the keys of objects in order. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
