/** The operators of generated code on values of requests. Where JavaScript would convert a value, nothing is claimed. */

import type { Formula, Formulas } from "../../engine/formula/formula.js";
import { OperatorFormulas } from "../../engine/formula/operators.js";
import type { FormulaTerm } from "../../engine/formula/terms.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { type CodeType, lengthValue, numberValue, type PlainValue, textValue } from "./symbolic-values.js";
import type { ValueFormulas } from "./value-formulas.js";

/** The code that has the operators. */
export interface OperatorCode {
  /** Claims nothing for the requests of `path` where `when` holds. */
  stuckWhere(path: Formula, when: Formula): void;
  /** Claims nothing where a value has none of these types. */
  only(value: PlainValue, types: readonly CodeType[], path: Formula): void;
  /** Says why the code has no translation. */
  untold(why: string): PlainValue;
}

const OBJECTS = ["list", "map", "object", "other"] as const;

export class CodeOperators {
  private readonly formulas: Formulas;
  private readonly operators: OperatorFormulas;
  private readonly values: ValueFormulas;
  private readonly code: OperatorCode;

  constructor(world: FormulaWorld, values: ValueFormulas, code: OperatorCode) {
    this.formulas = world.formulas;
    this.operators = new OperatorFormulas(world);
    this.values = values;
    this.code = code;
  }

  negative(value: PlainValue, path: Formula): PlainValue {
    this.code.only(value, ["number"], path);
    const { formulas } = this;
    const zero = formulas.number(0);
    return numberValue(formulas.difference(zero, value.number ?? zero), formulas, value.nan);
  }

  /** `a === b`. Nothing is claimed of two objects. */
  same(a: PlainValue, b: PlainValue, path: Formula): Formula {
    const { formulas } = this;
    const both = (type: CodeType) => this.values.areBoth(a, b, type);
    const payload = (type: CodeType, x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? formulas.no : formulas.and(both(type), formulas.same(x, y));
    this.code.stuckWhere(path, formulas.or(...OBJECTS.map(both)));
    return formulas.or(
      both("undefined"),
      both("null"),
      payload("bool", a.bool, b.bool),
      payload("text", a.text, b.text),
      formulas.and(
        payload("number", a.number, b.number),
        formulas.not(a.nan ?? formulas.no),
        formulas.not(b.nan ?? formulas.no),
      ),
    );
  }

  order(operator: "<" | "<=" | ">" | ">=", a: PlainValue, b: PlainValue, path: Formula): Formula {
    const { formulas } = this;
    this.code.only(a, ["number"], path);
    this.code.only(b, ["number"], path);
    const zero = formulas.number(0);
    const [x, y] = [a.number ?? zero, b.number ?? zero];
    const [low, high] = operator === "<" || operator === "<=" ? [x, y] : [y, x];
    const isOrdered = operator === "<" || operator === ">" ? formulas.less(low, high) : formulas.atMost(low, high);
    return formulas.and(formulas.not(a.nan ?? formulas.no), formulas.not(b.nan ?? formulas.no), isOrdered);
  }

  /** `isSame`: both operands are the same variable. */
  arithmetic(
    operator: "+" | "-" | "*" | "/",
    a: PlainValue,
    b: PlainValue,
    isSame: boolean,
    path: Formula,
  ): PlainValue {
    const { formulas } = this;
    if (operator === "+" && a.text !== undefined && b.text !== undefined) {
      this.code.only(a, ["text"], path);
      this.code.only(b, ["text"], path);
      return textValue(formulas.join(a.text, b.text), formulas);
    }
    this.code.only(a, ["number"], path);
    this.code.only(b, ["number"], path);
    const zero = formulas.number(0);
    if (operator === "-" && isSame) {
      return numberValue(zero, formulas, formulas.not(this.values.isFinite(a)));
    }
    // Formulas have one zero, and a quotient tells 0 from -0.
    const isDivisor = b.number?.op === "constant" && b.number !== zero && b.nan === formulas.no;
    if (operator === "/" && !isDivisor) return this.code.untold("a quotient of two values of the request");
    if (a.isLength === true && b.isLength === true && (operator === "+" || operator === "-")) {
      const [x, y] = [a.number ?? zero, b.number ?? zero];
      return lengthValue(operator === "+" ? formulas.sum(x, y) : formulas.difference(x, y), formulas);
    }
    const made = this.operators.arithmetic(operator, this.double(a), this.double(b));
    return numberValue(made.number ?? zero, formulas, made.nan);
  }

  private double({ number = this.formulas.number(0), nan }: PlainValue): FormulaTerm {
    return { is: { double: this.formulas.yes }, number, ...(nan === undefined ? {} : { nan }) };
  }
}
