/**
 * The answers of helpers that generated code calls (`engine/generate/answers.ts`), by their specifications. A helper that
 * counts steps may decline at any time.
 */

import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { LONG_TEXT } from "../../engine/frame/budget.js";
import type { CodeType, HelperAnswer, PlainValue } from "./symbolic-values.js";
import type { ValueFormulas } from "./value-formulas.js";

/** An answer without its steps. */
export type AnswerBits = Pick<HelperAnswer, "yes" | "asks">;

export class HelperFormulas {
  private readonly world: FormulaWorld;
  private readonly formulas: Formulas;
  private readonly values: ValueFormulas;
  private count = 0;

  constructor(world: FormulaWorld, values: ValueFormulas) {
    this.world = world;
    this.formulas = world.formulas;
    this.values = values;
  }

  /** True until a helper is asked. */
  get isUnused(): boolean {
    return this.count === 0;
  }

  /** An unknown part of an answer. */
  any(what: string): Formula {
    return this.formulas.unknown("bool", `answer ${++this.count} ${what}`);
  }

  /** A number of steps. */
  steps(): Formula {
    return this.formulas.unknown("real", `steps ${++this.count}`);
  }

  /** The answer of a helper that may decline; `is` where `knows` holds. If it declines, its lowest bit says nothing. */
  declining(knows: Formula, is: Formula): AnswerBits {
    const { formulas } = this;
    const asks = formulas.or(formulas.not(knows), this.any("declines"));
    return { yes: formulas.choose(asks, this.any("means nothing"), is), asks };
  }

  /** `same` of `answers.ts`. */
  same(a: PlainValue, b: PlainValue): AnswerBits {
    const { formulas, values } = this;
    const both = (type: CodeType) => values.areBoth(a, b, type);
    const numbers = formulas.and(both("number"), values.isFinite(a), values.isFinite(b));
    const is = (guard: Formula, x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? formulas.no : formulas.and(guard, formulas.same(x, y));
    return this.declining(
      formulas.or(both("text"), both("bool"), numbers),
      formulas.or(is(both("text"), a.text, b.text), is(both("bool"), a.bool, b.bool), is(numbers, a.number, b.number)),
    );
  }

  /** `contains` of `answers.ts`. */
  contains(a: PlainValue, b: PlainValue): AnswerBits {
    const { formulas, values } = this;
    const texts = formulas.and(values.isOf(a, "text"), values.isOf(b, "text"));
    const found = a.text === undefined || b.text === undefined ? formulas.no : formulas.contains(a.text, b.text);
    return this.declining(texts, found);
  }

  /** `has` of `answers.ts`. */
  has(list: PlainValue, { text }: PlainValue): AnswerBits {
    const { formulas, values, world } = this;
    if (list.list === undefined || text === undefined) return this.declining(formulas.no, formulas.no);
    const isShort = formulas.less(values.units(text), formulas.number(LONG_TEXT));
    const isIn = world.isIn(world.terms.of("text", { text }), list.list);
    return this.declining(formulas.and(values.isOf(list, "list"), isShort), isIn);
  }
}
