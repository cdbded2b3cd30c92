/** Records an evaluation: the value of each part, and of each condition. */

import type { Expr } from "../../cel/ast.js";
import type { EvaluationResult } from "../../cel/evaluation.js";
import type { Condition, Expression } from "../../policy/model.js";
import type { Observer } from "../evaluate/observer.js";

/** The value of a part, and its fault if it has no value. */
export interface RecordedValue {
  readonly value: EvaluationResult;
  readonly fault: string;
}

export class Recorder implements Observer {
  private readonly parts = new Map<Expression, Map<Expr, RecordedValue>>();
  private readonly conditions = new Map<Condition, boolean | undefined>();

  /** Forgets all values before the next evaluation. */
  restart(): void {
    this.parts.clear();
    this.conditions.clear();
  }

  watched(expression: Expression, part: Expr, value: EvaluationResult, fault: string): void {
    const parts = this.parts.get(expression) ?? new Map<Expr, RecordedValue>();
    this.parts.set(expression, parts);
    parts.set(part, { value, fault });
  }

  evaluated(expression: Expression, value: EvaluationResult, fault: string): void {
    this.watched(expression, expression.expr, value, fault);
  }

  concluded(condition: Condition, holds: boolean | undefined): void {
    this.conditions.set(condition, holds);
  }

  /** The recorded value of a part of an expression; undefined if it was not evaluated. */
  part(expression: Expression, part: Expr): RecordedValue | undefined {
    return this.parts.get(expression)?.get(part);
  }

  /** The recorded value of a condition; undefined if it was not evaluated. */
  condition(condition: Condition): boolean | "error" | undefined {
    return this.conditions.has(condition) ? (this.conditions.get(condition) ?? "error") : undefined;
  }
}
