/** Remembers which expressions of policies a solver is not told about, so that messages can name them. */

import type { Expression } from "../../policy/model.js";
import { type Formula, type FormulaUnknown, unknownsIn } from "./formula.js";

/** A part of an expression. */
export interface ExpressionPart {
  readonly of: Expression;
  /** The offset of the part in the source of the expression. */
  readonly at: number;
}

export class UntranslatedParts {
  /** By the names of unknowns: an unknown belongs to the part if its name begins so. */
  private readonly byName = new Map<string, ExpressionPart>();
  private readonly byFormula = new Map<Formula, ExpressionPart>();
  private expression: Expression | undefined;
  private at = 0;

  /** Translates an expression: parts that are recorded meanwhile belong to it. */
  during<T>(expression: Expression | undefined, translate: () => T): T {
    const [outer, at] = [this.expression, this.at];
    this.expression = expression;
    const made = translate();
    this.expression = outer;
    this.at = at;
    return made;
  }

  /** Translates a part of the present expression. */
  part<T>(at: number, translate: () => T): T {
    const outer = this.at;
    this.at = at;
    const made = translate();
    this.at = outer;
    return made;
  }

  /** Records that unknowns with names that begin with `name` stand for the present part. */
  addName(name: string): void {
    if (this.expression !== undefined && !this.byName.has(name)) {
      this.byName.set(name, { of: this.expression, at: this.at });
    }
  }

  /** Records that an unknown stands for the present part. */
  addFormula(unknown: Formula): void {
    if (this.expression !== undefined && !this.byFormula.has(unknown)) {
      this.byFormula.set(unknown, { of: this.expression, at: this.at });
    }
  }

  /** The parts that a formula depends on, each once, in the order of their first unknowns. */
  in(formula: Formula): readonly ExpressionPart[] {
    const found = new Map<string, ExpressionPart>();
    for (const unknown of unknownsIn([formula])) {
      const part = this.of(unknown);
      if (part === undefined) continue;
      const { file, line, column } = part.of.position(part.at);
      found.set(`${file}:${line}:${column}`, part);
    }
    return [...found.values()];
  }

  private of(unknown: FormulaUnknown): ExpressionPart | undefined {
    const known = this.byFormula.get(unknown);
    if (known !== undefined) return known;
    const names = [...this.byName.keys()].filter((name) => unknown.name.startsWith(name));
    const longest = names.reduce<string | undefined>(
      (a, b) => (a === undefined || b.length > a.length ? b : a),
      undefined,
    );
    return longest === undefined ? undefined : this.byName.get(longest);
  }
}
