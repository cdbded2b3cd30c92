/** Verdicts made from what an evaluation found. */

import type { JsonValue } from "../cel/json.js";
import { toJson } from "../cel/json.js";
import { type Activation, HOLDS, UNMET } from "./activation.js";
import { errorOf } from "./errors.js";
import type { Plan, PlannedOutput, PlannedRule } from "./plan.js";
import type { LayerTable } from "./table.js";
import type { EvaluationError, LayerEffect, LayerVerdict, Output, Reason } from "./verdict.js";

/** What the server calls the policy where there is none for the kind. */
export const NO_MATCH = "NO_MATCH";

const NONE: readonly never[] = Object.freeze([]);

/** The verdict where nothing applies at all. */
export function defaultVerdict(table: LayerTable, policy: string): LayerVerdict {
  return {
    effect: "deny",
    policy,
    scope: "",
    reasons: [defaultReason(table, policy)],
    errors: NONE,
    outputs: NONE,
    derivedRoles: NONE,
  };
}

function defaultReason(table: LayerTable, policy: string): Reason {
  return { kind: "default", reason: table.defaultReason, rule: "", policy: policy === NO_MATCH ? "" : policy };
}

/** The verdict on a request that is not one, or that cannot be read to its end. */
export function refusedVerdict(message: string): LayerVerdict {
  const error: EvaluationError = { policy: "", rule: "", expression: "", message, position: "" };
  return {
    effect: "deny",
    policy: NO_MATCH,
    scope: "",
    reasons: [{ kind: "error", reason: "invalid_request", rule: "", policy: "" }],
    errors: [error],
    outputs: NONE,
    derivedRoles: NONE,
  };
}

/** The verdict of a finished evaluation. `allowing` are the rules of the roles that are allowed, in any order. */
export function finishedVerdict(
  table: LayerTable,
  plan: Plan,
  action: string,
  activation: Activation,
  allowing: ReadonlySet<PlannedRule> | undefined,
): LayerVerdict {
  const { states, failures } = activation;
  const effect: LayerEffect = failures.length === 0 && allowing !== undefined ? "allow" : "deny";
  const reasons: Reason[] = [];
  const outputs: Output[] = [];
  const errors = failures.toSorted((a, b) => a.rule.state - b.rule.state).map(({ error }) => error);
  for (const rule of plan.rules) {
    const state = states[rule.state];
    const decided = effect === "allow" ? allowing?.has(rule) === true : rule.effect === "deny" && state === HOLDS;
    if (decided) reasons.push(rule.reason);
    if (state === HOLDS) emit(plan, rule, rule.whenActivated, action, activation, outputs, errors);
    if (state === UNMET) emit(plan, rule, rule.whenNotMet, action, activation, outputs, errors);
  }
  for (const rule of plan.rules) if (failures.some((f) => f.rule === rule)) reasons.push(rule.errorReason);
  if (reasons.length === 0) reasons.push(defaultReason(table, plan.policy));
  const active = plan.derivedRoles
    .filter((role) => states[role.state] === HOLDS)
    .map((role) => role.source.name)
    .sort();
  return { effect, policy: plan.policy, scope: "", reasons, errors, outputs, derivedRoles: active };
}

/** An output that errs is `null`, and an error that changes no effect. */
function emit(
  plan: Plan,
  rule: PlannedRule,
  output: PlannedOutput | undefined,
  action: string,
  activation: Activation,
  outputs: Output[],
  errors: EvaluationError[],
): void {
  if (output === undefined) return;
  const value = output.code(activation);
  let val: JsonValue | undefined = value === undefined ? undefined : toJson(activation, value);
  if (val === undefined) {
    errors.push(errorOf(plan, rule, output.source, activation));
    val = null;
  }
  outputs.push({ src: `${plan.policy}#${rule.source.name}`, action, val });
}

/** Makes a verdict unchangeable, so that it can be given to every caller whose request has it. */
export function shared(verdict: LayerVerdict): LayerVerdict {
  for (const list of [verdict.reasons, verdict.errors, verdict.outputs, verdict.derivedRoles]) {
    for (const item of list) Object.freeze(item);
    Object.freeze(list);
  }
  return Object.freeze(verdict);
}
