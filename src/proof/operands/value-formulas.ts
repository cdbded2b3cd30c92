/** Formulas about the values of generated code: their types, and the code units of texts. */

import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import type { CodeType, PlainValue } from "./symbolic-values.js";

export class ValueFormulas {
  private readonly world: FormulaWorld;
  private readonly formulas: Formulas;

  constructor(world: FormulaWorld) {
    this.world = world;
    this.formulas = world.formulas;
  }

  /** When a value has one of these types. */
  isOf(value: PlainValue, ...types: readonly CodeType[]): Formula {
    return this.formulas.or(...types.map((type) => value.is[type] ?? this.formulas.no));
  }

  /** When two values are both of a type. */
  areBoth(a: PlainValue, b: PlainValue, type: CodeType): Formula {
    return this.formulas.and(this.isOf(a, type), this.isOf(b, type));
  }

  /** When a value is a number, and neither NaN nor infinite. */
  isFinite({ number, nan = this.formulas.no }: Pick<PlainValue, "number" | "nan">): Formula {
    const { formulas } = this;
    if (number === undefined) return formulas.no;
    const isBelow = formulas.less(number, formulas.number(Number.POSITIVE_INFINITY));
    const isAbove = formulas.less(formulas.number(Number.NEGATIVE_INFINITY), number);
    return formulas.and(formulas.not(nan), isBelow, isAbove);
  }

  /** When a value is JSON: the helper `D`. */
  isData(value: PlainValue): Formula {
    const { formulas } = this;
    const number = formulas.and(this.isOf(value, "number"), this.isFinite(value));
    return formulas.or(this.isOf(value, "null", "bool", "text", "list", "map"), number);
  }

  /** The length of a text in code units. That of a text of the request is any length, and equal for equal texts. */
  units(text: Formula): Formula {
    const { formulas } = this;
    if (text.op === "constant") return formulas.number(String(text.value).length);
    if (text.op === "text.join") return text.args.map((part) => this.units(part)).reduce((a, b) => formulas.sum(a, b));
    const units = formulas.unknown("real", "code units", [text]);
    this.world.fact(formulas.atMost(formulas.number(0), units));
    return units;
  }

  /** The code unit of a text at a place inside it. */
  unit(text: Formula, at: Formula): Formula {
    const { formulas } = this;
    const [a, b] = text.op === "text.join" ? text.args : [];
    if (a === undefined || b === undefined) return formulas.unknown("real", "code unit", [text, at]);
    const length = this.units(a);
    const later = this.unit(b, formulas.difference(at, length));
    return formulas.choose(formulas.less(at, length), this.unit(a, at), later);
  }

  /**
   * `isBuilt` of `engine/generate/answers.ts`: the helper `J`. Of texts with another length than the parts together,
   * nothing is known.
   */
  isBuilt(text: Formula, prefix: Formula, middle: Formula, suffix: Formula): Formula {
    const { formulas } = this;
    const is = formulas.unknown("bool", "is built", [text, prefix, middle, suffix]);
    const whole = formulas.join(formulas.join(prefix, middle), suffix);
    const isAsLong = formulas.same(this.units(text), this.units(whole));
    this.world.fact(formulas.implies(isAsLong, formulas.same(is, formulas.same(text, whole))));
    return is;
  }
}
