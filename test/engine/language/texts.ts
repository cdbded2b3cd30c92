/** The results of policy readers, as text. */

import type { Formula, Rational } from "../../../src/engine/formula/formula.js";
import { KnownValue } from "../../../src/engine/residual/residual-expression.js";
import { TestValues } from "../../../src/engine/residual/test-values.js";

/** The residual of expressions, without the overloads, which are unchanged. */
export function jsonText(what: unknown): string {
  return JSON.stringify(what, (name, value: unknown) => {
    if (name === "overload") return undefined;
    if (value instanceof TestValues) return value.constant ?? Reflect.get(value, "name");
    if (value instanceof KnownValue) return `${value.field} ${value.sort}`;
    return typeof value === "bigint" ? `${value}n` : value;
  });
}

/** Formulas as text. A shared part is written out at its first use, with a number for the later ones. */
export function formulaTexts(parts: readonly (readonly Formula[])[]): readonly string[] {
  const written = new Written(parts.flat());
  return parts.map((all) => all.map((one) => written.text(one)).join("\n"));
}

class Written {
  private readonly uses = new Map<Formula, number>();
  private readonly numbers = new Map<Formula, number>();

  constructor(all: readonly Formula[]) {
    for (const one of all) this.count(one);
  }

  private count(formula: Formula): void {
    const uses = this.uses.get(formula) ?? 0;
    this.uses.set(formula, uses + 1);
    if (uses === 0 && formula.op !== "constant") for (const arg of formula.args) this.count(arg);
  }

  text(formula: Formula): string {
    if (formula.op === "constant") return constant(formula.value);
    const name = formula.op === "unknown" ? `<${formula.sort} ${formula.name}>` : formula.op;
    if (formula.args.length === 0) return name;
    const known = this.numbers.get(formula);
    if (known !== undefined) return `#${known}`;
    const number = this.numbers.size;
    const isShared = (this.uses.get(formula) ?? 0) > 1;
    if (isShared) this.numbers.set(formula, number);
    return `${isShared ? `${number}:` : ""}(${[name, ...formula.args.map((one) => this.text(one))].join(" ")})`;
  }
}

function constant(value: boolean | string | Rational): string {
  if (typeof value !== "object") return JSON.stringify(value);
  return value.den === 1n ? `${value.num}` : `${value.num}/${value.den}`;
}
