/** Inlines variables into expressions, as the server does when it plans queries. */

import { type Expr, testedBy } from "../../cel/ast.js";
import { nameOf } from "../../cel/expression-usage.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import type { Definitions } from "../../policy/model.js";
import { mapParts } from "../residual/map-parts.js";
import { Sizes, UNKNOWN } from "../residual/residual-expression.js";
import { foldConstants } from "./constant-folding.js";

/**
 * For the expressions of one policy, or of one set of derived roles. `UNKNOWN` stands for an expression that is too
 * large.
 */
export class VariableInliner {
  private readonly definitions: Definitions;
  private readonly functions: FunctionSet;
  private readonly sizes = new Sizes();
  private readonly variables = new Map<string, Expr>();
  private readonly made = new Map<Expr, Expr>();

  constructor(definitions: Definitions, functions: FunctionSet) {
    this.definitions = definitions;
    this.functions = functions;
  }

  /** Folds and inlines a whole expression. The result is memoized. */
  of(expr: Expr): Expr {
    const known = this.made.get(expr);
    if (known !== undefined) return known;
    const made = this.sizes.bounded(this.inlined(foldConstants(expr, this.functions)));
    this.made.set(expr, made);
    return made;
  }

  private inlined(expr: Expr): Expr {
    // `has(V.x)` tests whether a variable is present: the server replaces it by the variable itself.
    const name = nameOf(expr.kind === "has" ? testedBy(expr) : expr, "variable");
    return name === undefined ? mapParts(expr, (part) => this.inlined(part)) : this.variable(name);
  }

  private variable(name: string): Expr {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const variable = this.definitions.variables.get(name);
    const made = variable === undefined ? UNKNOWN : this.of(variable.expr);
    this.variables.set(name, made);
    return made;
  }
}
