/**
 * What an evaluation of a plan finds out, rule by rule: each condition once, whichever role asks first (the invariant
 * "one scope a rule"), and only if the walk reaches it.
 */

import { positionText } from "../../policy/issue.js";
import type { Expression } from "../../policy/model.js";
import type { Conditional, PlannedRole, PlannedRule, Row, Step } from "../plan/plan.js";
import type { EvaluationError } from "../plan/verdict.js";
import type { Examiner } from "../plan/walk.js";
import type { Activation } from "./activation.js";

const NONE: readonly never[] = Object.freeze([]);

/** Why a condition cannot be said to hold or not. */
export interface Fault {
  /** The expression that erred. */
  readonly expression: Expression;
  readonly message: string;
  readonly position: string;
}

/** Whether a condition holds, or why that cannot be said. */
export type Finding = boolean | Fault;

/** Finds out whether a rule or a derived role holds, by itself. */
export type Decide = (what: Conditional, step: Step) => Finding;

export class Examination implements Examiner {
  /** The steps that were reached, in their order. */
  readonly steps = new Set<Step>();
  /** Every rule whose condition was reached. */
  readonly rules = new Map<PlannedRule, { readonly step: Step; readonly finding: Finding }>();
  readonly roles = new Map<PlannedRole, Finding>();
  private readonly decide: Decide;
  private readonly failed = new Map<PlannedRule, Map<Expression, Fault>>();

  constructor(decide: Decide) {
    this.decide = decide;
  }

  enter(step: Step): void {
    this.steps.add(step);
  }

  examine({ rule, guard }: Row, step: Step): boolean | undefined {
    if (guard !== undefined) {
      const active = this.role(guard, step);
      if (typeof active !== "boolean") return this.fail(rule, active);
      if (!active) return false;
    }
    const { finding } = this.rule(rule, step);
    return typeof finding === "boolean" ? finding : this.fail(rule, finding);
  }

  /** The derived roles that are active, of those that were reached, sorted. */
  activeRoles(): readonly string[] {
    const active = new Set<string>();
    for (const [{ name }, finding] of this.roles) if (finding === true) active.add(name);
    return [...active].sort();
  }

  /** How a rule failed: by itself, or by a derived role that it lists. */
  errorsOf(rule: PlannedRule): readonly EvaluationError[] {
    const faults = this.failed.get(rule);
    if (faults === undefined) return NONE;
    const errors = [...faults.values()].map((fault) => errorOf(rule, fault));
    return errors.sort((a, b) => (a.position < b.position ? -1 : 1));
  }

  private rule(rule: PlannedRule, step: Step): { readonly step: Step; readonly finding: Finding } {
    const known = this.rules.get(rule);
    if (known !== undefined) return known;
    const made = { step, finding: this.decide(rule, step) };
    this.rules.set(rule, made);
    return made;
  }

  private role(role: PlannedRole, step: Step): Finding {
    const known = this.roles.get(role);
    if (known !== undefined) return known;
    const made = this.decide(role, step);
    this.roles.set(role, made);
    return made;
  }

  /** A rule can fail for several reasons: itself, and each derived role that it lists. */
  private fail(rule: PlannedRule, fault: Fault): undefined {
    const faults = this.failed.get(rule) ?? new Map<Expression, Fault>();
    this.failed.set(rule, faults);
    faults.set(fault.expression, fault);
    return undefined;
  }
}

/** A fault as an error of a rule. */
export function errorOf({ policy, name }: PlannedRule, { expression, message, position }: Fault): EvaluationError {
  return { policy, rule: name, expression: expression.source, message, position };
}

/** What a rule puts out where its condition was found to hold, or not to; an error puts nothing out. */
export function outputWhere(rule: PlannedRule, finding: Finding | undefined): Expression | undefined {
  if (finding === true) return rule.whenActivated;
  return finding === false ? rule.whenNotMet : undefined;
}

/** What the outputs of a rule are reported under. */
export function sourceOf({ policy, name }: PlannedRule): string {
  return `${policy}#${name}`;
}

/** A fault of an evaluation, in `expression`. */
export function faultIn(expression: Expression, { fault, faultAt }: Pick<Activation, "fault" | "faultAt">): Fault {
  return { expression, message: fault, position: positionText(expression.position(Math.max(faultAt, 0))) };
}
