/**
 * The findings of an evaluation of a plan, rule by rule. Each condition is evaluated once for all roles (the invariant
 * "one scope a rule"), and only if the walk reaches it.
 */

import { positionText } from "../../policy/issue.js";
import type { Expression } from "../../policy/model.js";
import type { Conditional, PlannedRole, PlannedRule, PlanRow, PlanStep } from "../plan/plan.js";
import type { EvaluationError } from "../plan/verdict.js";
import type { Examiner } from "../plan/walk.js";
import type { Activation } from "./activation.js";

const NONE: readonly never[] = Object.freeze([]);

/** The error of a condition. */
export interface ConditionFault {
  /** The expression that erred. */
  readonly expression: Expression;
  readonly message: string;
  readonly position: string;
}

/** Whether a condition holds, or its error. */
export type ConditionFinding = boolean | ConditionFault;

/** Evaluates a rule or a derived role by itself. */
export type EvaluateCondition = (what: Conditional, step: PlanStep) => ConditionFinding;

export class PlanExamination implements Examiner {
  /** The steps that were reached, in their order. */
  readonly steps = new Set<PlanStep>();
  /** The rules that were evaluated, with the step and the finding. */
  readonly rules = new Map<PlannedRule, { readonly step: PlanStep; readonly finding: ConditionFinding }>();
  readonly roles = new Map<PlannedRole, ConditionFinding>();
  private readonly decide: EvaluateCondition;
  private readonly failed = new Map<PlannedRule, ConditionFault[]>();

  constructor(decide: EvaluateCondition) {
    this.decide = decide;
  }

  enter(step: PlanStep): void {
    this.steps.add(step);
  }

  examine({ rule, guard }: PlanRow, step: PlanStep): boolean | undefined {
    if (guard !== undefined) {
      const active = this.role(guard, step);
      if (typeof active !== "boolean") return this.fail(rule, active);
      if (!active) return false;
    }
    const { finding } = this.rule(rule, step);
    return typeof finding === "boolean" ? finding : this.fail(rule, finding);
  }

  /** The derived roles that were reached and are active, sorted. */
  activeRoles(): readonly string[] {
    const active = new Set<string>();
    for (const [{ name }, finding] of this.roles) if (finding === true) active.add(name);
    return [...active].sort();
  }

  /** The errors of a rule: its own, and those of the derived roles that it lists. */
  errorsOf(rule: PlannedRule): readonly EvaluationError[] {
    const faults = this.failed.get(rule);
    if (faults === undefined) return NONE;
    return faults.map((fault) => errorOf(rule, fault)).sort((a, b) => (a.position < b.position ? -1 : 1));
  }

  private rule(rule: PlannedRule, step: PlanStep): { readonly step: PlanStep; readonly finding: ConditionFinding } {
    const known = this.rules.get(rule);
    if (known !== undefined) return known;
    const made = { step, finding: this.decide(rule, step) };
    this.rules.set(rule, made);
    return made;
  }

  private role(role: PlannedRole, step: PlanStep): ConditionFinding {
    const known = this.roles.get(role);
    if (known !== undefined) return known;
    const made = this.decide(role, step);
    this.roles.set(role, made);
    return made;
  }

  /** Records an error. A rule can have several: its own, and one for each derived role that it lists. */
  private fail(rule: PlannedRule, fault: ConditionFault): undefined {
    const faults = this.failed.get(rule);
    if (faults === undefined) this.failed.set(rule, [fault]);
    else if (!faults.some(({ expression }) => expression === fault.expression)) faults.push(fault);
    return undefined;
  }
}

/** A fault as an error of a rule. */
export function errorOf(
  { policy, name }: PlannedRule,
  { expression, message, position }: ConditionFault,
): EvaluationError {
  return { policy, rule: name, expression: expression.source, message, position };
}

/** The output expression of a rule by the finding on its condition. A condition that errs has no output. */
export function outputWhere(rule: PlannedRule, finding: ConditionFinding | undefined): Expression | undefined {
  if (finding === true) return rule.whenActivated;
  return finding === false ? rule.whenNotMet : undefined;
}

/** The `src` of a rule's outputs. */
export function sourceOf({ policy, name }: PlannedRule): string {
  return `${policy}#${name}`;
}

/** A fault of an evaluation, in `expression`. */
export function faultIn(
  expression: Expression,
  { fault, faultAt }: Pick<Activation, "fault" | "faultAt">,
): ConditionFault {
  return { expression, message: fault, position: positionText(expression.position(Math.max(faultAt, 0))) };
}
