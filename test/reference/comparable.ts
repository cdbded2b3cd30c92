/** Normalizes decisions, so that equivalent ones are deep-equal. */

import type { Decision, Outcome } from "../../src/decisions/types.js";
import type { LayerVerdict, Reason } from "../../src/engine/plan/verdict.js";
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
 * The content of a decision, with lists in their order. Wording and position of errors are left out: an error is a
 * policy, a rule and the failed expression. Errors of one rule are sorted by text, because the naive evaluator does not
 * know their positions.
 */
export function comparable(decision: Decision | NaiveDecision): ComparableDecision {
  return compared(decision, comparableVerdict);
}

/** The same, ignoring the order of lists. */
export function unordered(decision: Decision | NaiveDecision): ComparableDecision {
  return compared(decision, (verdict) => {
    const { reasons, errors, outputs, derivedRoles, ...rest } = comparableVerdict(verdict);
    const sorted = (texts: readonly string[]) => [...texts].sort();
    return {
      ...rest,
      reasons: sorted(reasons),
      errors: sorted(errors),
      outputs: sorted(outputs),
      derivedRoles: sorted(derivedRoles),
    };
  });
}

function compared(
  { outcome, permission, platform }: Decision | NaiveDecision,
  verdictOf: (verdict: LayerVerdict | NaiveVerdict) => ComparableVerdict,
): ComparableDecision {
  return { outcome, permission: verdictOf(permission), platform: verdictOf(platform) };
}

function comparableVerdict(verdict: LayerVerdict | NaiveVerdict): ComparableVerdict {
  const { effect, policy, scope, derivedRoles } = verdict;
  return {
    effect,
    policy,
    scope,
    reasons: verdict.reasons.map((r) => `${r.kind} ${r.policy}#${r.rule}: ${isDerived(r) ? r.rule : r.reason}`),
    errors: errorsOf(verdict),
    outputs: verdict.outputs.map(({ src, action, val }) => `${src} ${action} ${sortedJson(val)}`),
    derivedRoles,
    fault: verdict.fault?.kind,
  };
}

/**
 * True for the reason of a rule without a name. The naive evaluator calls such a rule by its place, as the server does;
 * `test/bundle/rule-reason.test.ts` is about the words of these reasons.
 */
function isDerived({ reason, rule }: Reason): boolean {
  return /(^|_)rule-\d{3}$/.test(rule) && /^(allow|deny)_.*_[0-9a-f]{8}$/.test(reason);
}

/** Distinct errors; consecutive errors of one rule are sorted by text. */
function errorsOf({ errors }: LayerVerdict | NaiveVerdict): readonly string[] {
  const runs: { readonly rule: string; readonly texts: Set<string> }[] = [];
  for (const { policy, rule: name, expression } of errors) {
    const rule = `${policy}#${name}`;
    const last = runs.at(-1);
    if (last?.rule === rule) last.texts.add(`${rule}: ${expression}`);
    else runs.push({ rule, texts: new Set([`${rule}: ${expression}`]) });
  }
  return [...new Set(runs.flatMap(({ texts }) => [...texts].sort()))];
}

/** JSON with sorted keys of objects. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
