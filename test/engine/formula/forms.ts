/** Statistics by form of expression: the compared formulas, and how often they gave a definite value. */

import { children, type Expr } from "../../../src/cel/ast.js";
import type { EvaluationResult } from "../../../src/cel/evaluation.js";

interface Reached {
  pairs: number;
  known: number;
  errs: number;
}

export class Forms {
  private readonly reached = new Map<string, Reached>();
  private readonly outcomes = new Map<string, number>();
  private readonly formsOf = new Map<Expr, readonly string[]>();

  note(expr: Expr, outcome: EvaluationResult, isKnown: boolean): void {
    const name = outcome === undefined ? "error" : typeof outcome === "boolean" ? String(outcome) : "no truth";
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
    for (const form of this.of(expr)) {
      const { pairs, known, errs } = this.get(form);
      this.reached.set(form, {
        pairs: pairs + 1,
        known: known + (isKnown ? 1 : 0),
        errs: errs + (outcome === undefined ? 1 : 0),
      });
    }
  }

  private get(form: string): Readonly<Reached> {
    return this.reached.get(form) ?? { pairs: 0, known: 0, errs: 0 };
  }

  /** The number of pairs of expression and request with this result. */
  outcome(name: "true" | "false" | "error"): number {
    return this.outcomes.get(name) ?? 0;
  }

  /** Each form, with its number of pairs, the pairs that formulas decide, and the errors. */
  toString(): string {
    const forms = [...this.reached].sort(([, a], [, b]) => b.pairs - a.pairs);
    const words = forms.map(([form, { pairs, known, errs }]) => `${form} ${pairs}/${known}/${errs}`);
    return `${JSON.stringify(Object.fromEntries(this.outcomes))}\n${words.join(", ")}`;
  }

  private of(expr: Expr): readonly string[] {
    const made = this.formsOf.get(expr) ?? [...new Set(formsIn(expr))].sort();
    this.formsOf.set(expr, made);
    return made;
  }
}

function formsIn(expr: Expr): readonly string[] {
  return [formOf(expr), ...children(expr).flatMap(formsIn)];
}

function formOf(expr: Expr): string {
  switch (expr.kind) {
    case "call":
      return expr.fn;
    case "member":
      return `.${expr.fn}`;
    case "macro":
      return expr.v2 === undefined ? expr.macro : `${expr.macro} of two`;
    case "literal":
      return expr.value === null ? "null" : typeof expr.value;
    default:
      return expr.kind;
  }
}
