/** Makes the verdict of a layer from the findings on a plan (docs/verdicts.md). */

import type { JsonValue } from "../../cel/json.js";
import { compareText } from "../../policy/issue-log.js";
import { NO_MATCH, type Plan, type PlanStep } from "../plan/plan.js";
import type { EvaluationError, LayerVerdict, PolicyOutput, Reason, WiringFault } from "../plan/verdict.js";
import {
  decidingRules,
  erringRules,
  steadyAttributionOf,
  undecidedRules,
  type WalkResult,
  walk,
} from "../plan/walk.js";
import type { Activation } from "./activation.js";
import type { Closures } from "./closures.js";
import { type EvaluateCondition, errorOf, faultIn, PlanExamination, sourceOf } from "./examination.js";
import { isLiteral, outputsOf, type PlannedOutput } from "./outputs.js";
import { NONE, refusedVerdict } from "./verdicts.js";

/** An output that is still to be evaluated. */
export interface PendingOutput extends PlannedOutput {
  /** Its index among the outputs of the plan. */
  readonly number: number;
  readonly src: string;
  readonly step: PlanStep;
}

/** A verdict without its outputs. */
export interface VerdictDraft {
  readonly verdict: LayerVerdict;
  readonly pending: readonly PendingOutput[];
}

/** A walk, its findings, and the verdict. */
export interface EvaluatedPlan extends VerdictDraft {
  readonly walked: WalkResult;
  readonly examination: PlanExamination;
}

/** Walks a plan strictly. */
export function evaluatePlan(plan: Plan, defaultReason: string, decide: EvaluateCondition): EvaluatedPlan {
  const examination = new PlanExamination(decide);
  const walked = walk(plan, examination, true);
  if (plan.refusal !== undefined) return { verdict: refusedVerdict(plan.refusal), pending: NONE, walked, examination };
  const { policy, scope } = steadyAttributionOf(walked, plan);
  const fault = faultOf([...undecidedRules(walked)].flatMap((rule) => examination.errorsOf(rule)));
  const verdict: LayerVerdict = {
    effect: walked.effect,
    policy,
    scope,
    reasons: reasonsOf(walked, plan, defaultReason, policy),
    errors: plan.rules.flatMap((rule) => examination.errorsOf(rule)),
    outputs: NONE,
    derivedRoles: examination.activeRoles(),
    ...(fault === undefined ? {} : { fault }),
  };
  return { verdict, pending: pendingOf(plan, examination), walked, examination };
}

/**
 * The verdict, and how it came about. The walk evaluates the conditions that it needs, one by one. The activation must
 * have begun. May throw the errors of reading the request.
 */
export function evaluateWithClosures(
  plan: Plan,
  action: string,
  defaultReason: string,
  closures: Closures,
  activation: Activation,
): Omit<EvaluatedPlan, "pending"> {
  const decide: EvaluateCondition = (what, step) => {
    const holds = closures.checkAt(what, step)(activation);
    if (holds !== undefined) return holds;
    const { failed } = activation;
    if (failed === undefined) throw new Error("keyward: a condition that errs without an expression");
    return faultIn(failed.expression, failed);
  };
  const evaluated = evaluatePlan(plan, defaultReason, decide);
  return { ...evaluated, verdict: completeOutputs(evaluated, action, closures, activation) };
}

/** The rules that decided, then those that erred. If there are neither, the default reason. */
function reasonsOf(walked: WalkResult, { rules }: Plan, defaultReason: string, policy: string): readonly Reason[] {
  const deciding = decidingRules(walked);
  const erring = erringRules(walked);
  const reasons = [
    ...rules.flatMap((rule) => (deciding.has(rule) && rule.kind !== "role" ? rule.reason : NONE)),
    ...rules.flatMap((rule) => (erring.has(rule) ? rule.errorReason : NONE)),
  ];
  // Rules of one policy may have the same name, and those of role policies have no name: equal reasons appear once.
  if (reasons.length > 0) return [...new Map(reasons.map((reason) => [textOf(reason), reason])).values()];
  return [{ kind: "default", reason: defaultReason, rule: "", policy: policy === NO_MATCH ? "" : policy }];
}

/**
 * The error that kept the rules from deciding. Of several errors it is the first by name, so that the order of files
 * and rules makes no difference.
 */
function faultOf(errors: readonly EvaluationError[]): WiringFault | undefined {
  let first: WiringFault | undefined;
  for (const error of errors) {
    const message = nameOf(error);
    if (first !== undefined && compareText(first.message, message) <= 0) continue;
    first = { kind: "evaluation", path: error.position, message };
  }
  return first;
}

function nameOf({ policy, rule, expression, message }: EvaluationError): string {
  const where = rule === "" ? policy : `${policy}#${rule}`;
  return `${where}: ${expression}: ${message}`;
}

/** Equal texts mean equal reasons. */
function textOf({ kind, reason, rule, policy }: Reason): string {
  return `${kind} ${policy.length} ${rule.length} ${policy}${rule}${reason}`;
}

function pendingOf(plan: Plan, examination: PlanExamination): readonly PendingOutput[] {
  return outputsOf(plan).flatMap((output, number): readonly PendingOutput[] => {
    const { rule, ifHolds } = output;
    const found = examination.rules.get(rule);
    return found?.finding === ifHolds ? [{ ...output, number, src: sourceOf(rule), step: found.step }] : NONE;
  });
}

/** The verdict with its outputs. An output that errs is `null`; its error does not change the effect. */
export function completeOutputs(
  { verdict, pending }: VerdictDraft,
  action: string,
  closures: Closures,
  activation: Activation,
): LayerVerdict {
  if (pending.length === 0) return verdict;
  // Outputs have a budget of their own: it makes no difference to them whether closures or a function found the
  // conditions.
  activation.replenish();
  let outputs: PolicyOutput[] | undefined;
  let { errors } = verdict;
  for (const { rule, step, expression, src } of pending) {
    const val = closures.outputAt(expression, rule.definitions, step)(activation);
    if (val === undefined) errors = [...errors, errorOf(rule, faultIn(expression, activation))];
    outputs = withOne(outputs, { src, action, val: val ?? null });
  }
  return withOutputs(verdict, errors, outputs);
}

/**
 * The same with values that a generated function has found: they stand in a list from `first` on. Undefined if one is
 * missing.
 */
export function completeOutputsFrom(
  { verdict, pending }: VerdictDraft,
  action: string,
  values: readonly unknown[],
  first: number,
): LayerVerdict | undefined {
  if (pending.length === 0) return verdict;
  let outputs: PolicyOutput[] | undefined;
  for (const { number, src } of pending) {
    const val = values[first + number];
    if (!isValue(val)) return undefined;
    outputs = withOne(outputs, { src, action, val });
  }
  return withOutputs(verdict, verdict.errors, outputs);
}

/** The first output makes a list of one: a list that grows would have room for many more. */
function withOne(outputs: PolicyOutput[] | undefined, output: PolicyOutput): PolicyOutput[] {
  if (outputs === undefined) return [output];
  if (!outputs.some((one) => one.src === output.src && isDeepEqual(one.val, output.val))) outputs.push(output);
  return outputs;
}

function withOutputs(
  { effect, policy, scope, reasons, derivedRoles, fault }: LayerVerdict,
  errors: LayerVerdict["errors"],
  outputs: LayerVerdict["outputs"] = NONE,
): LayerVerdict {
  const made = { effect, policy, scope, reasons, errors, outputs, derivedRoles };
  return fault === undefined ? made : { ...made, fault };
}

/** A generated function returns `undefined` for an output that closures have to evaluate. */
function isValue(given: unknown): given is JsonValue {
  return given !== undefined;
}

function isDeepEqual(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether the verdict is the same for every request on which the same rules hold. */
export function isConstant({ pending }: VerdictDraft): boolean {
  return pending.every(isLiteral);
}
