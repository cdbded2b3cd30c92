/** Examines one rule: its condition and its output (docs/cerbos-semantics.md §2.11, §2.12; strict: docs/verdicts.md). */

import type { JsonValue } from "../../src/cel/json.js";
import type { Match, RulingDocument } from "./documents.js";
import { toJson } from "./values.js";
import { type Environment, evaluate, stringLiteral } from "./walk.js";

export interface NaiveError {
  readonly policy: string;
  readonly rule: string;
  /** The expression of the condition or output that failed (not that of a variable it reads). */
  readonly expression: string;
  readonly message: string;
}

export type Fail = (expression: string, message: string) => void;

export type Answer = boolean | "error";

/**
 * §2.11, strict: evaluates from left to right, and the first error is the answer. `all` ends at the first false, `any`
 * and `none` at the first true. A leaf that is not a bool is also an error.
 */
export function matchHolds(match: Match | undefined, env: Environment, fail: Fail): Answer {
  if (match === undefined) return true;
  if ("expr" in match) {
    const value = evaluate(match.expr, env);
    if (value.t === "bool") return value.v;
    fail(match.expr, value.t === "error" ? value.msg : "not a boolean");
    return "error";
  }
  const [of, decisive, then, otherwise] =
    "all" in match
      ? [match.all.of, false, false, true]
      : "any" in match
        ? [match.any.of, true, true, false]
        : [match.none.of, true, false, true];
  for (const part of of) {
    const holds = matchHolds(part, env, fail);
    if (holds === "error") return "error";
    if (holds === decisive) return then;
  }
  return otherwise;
}

/** §2.12: an output that fails or has no JSON form is null, with an error that does not deny. */
export function outputOf(
  rule: Pick<RulingDocument, "output">,
  holds: boolean,
  env: Environment,
  fail: Fail,
): JsonValue | undefined {
  const source = holds ? activatedOutput(rule) : rule.output?.when?.conditionNotMet;
  if (source === undefined) return undefined;
  const value = evaluate(source, env);
  const json = value.t === "error" ? undefined : toJson(value);
  if (json !== undefined) return json;
  fail(source, value.t === "error" ? value.msg : "the value has no JSON form");
  return null;
}

function activatedOutput({ output }: Pick<RulingDocument, "output">): string | undefined {
  return output?.when?.ruleActivated ?? output?.expr;
}

/** The reason of a rule: the constant string of its `ruleActivated` output, or its name. */
export function reasonOf(rule: RulingDocument, name: string): string {
  const source = activatedOutput(rule);
  return (source === undefined ? undefined : stringLiteral(source)) ?? name;
}

/**
 * §2.7: a scope that requires its parents' consent grants nothing under a condition. There an ALLOW rule with a
 * condition is a DENY rule that holds where the condition does not (§2.5).
 */
export function asConsenting<R extends RulingDocument>(rule: R): R {
  if (rule.effect !== "EFFECT_ALLOW" || rule.condition === undefined) return rule;
  return { ...rule, effect: "EFFECT_DENY", condition: { match: { none: { of: [rule.condition.match] } } } };
}
