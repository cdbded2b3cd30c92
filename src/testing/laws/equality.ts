/** Compares decisions and verdicts. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { Decision } from "../../decisions/types.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";

/** Deep equality of two verdicts: the order of reasons, errors and outputs counts. */
export function isSameVerdict(a: LayerVerdict, b: LayerVerdict): boolean {
  return a === b || sortedJson(a) === sortedJson(b);
}

/**
 * Equality of two decisions, ignoring the order of lists, and the wording and position of errors. Errors are compared
 * by their rules only, since order determines which of several faults of a rule is found first.
 */
export function isSameExceptOrder(a: Decision, b: Decision): boolean {
  return (
    a.outcome === b.outcome &&
    (["permission", "platform"] as const).every((layer) => unordered(a[layer]) === unordered(b[layer]))
  );
}

function unordered({ effect, policy, scope, reasons, errors, outputs, derivedRoles }: LayerVerdict): string {
  return sortedJson({
    effect,
    policy,
    scope,
    reasons: reasons.map(sortedJson).sort(),
    errors: [...new Set(errors.map((error) => `${error.policy}#${error.rule}`))].sort(),
    outputs: outputs.map(sortedJson).sort(),
    derivedRoles: [...derivedRoles].sort(),
  });
}

/** JSON with object keys sorted. */
function sortedJson(value: object): string {
  return JSON.stringify(value, (_, inner: JsonValue) => {
    if (isList(inner) || !isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
