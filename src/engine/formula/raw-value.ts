/**
 * Unknown values of a request, as formulas: the type of each, whether it is present, and its contents. A list is known
 * by its elements and its size.
 */

import type { Formula, Formulas, JsonKind } from "./formula.js";

/** A value that is unknown, and may be absent. Its members are made on first access. */
export class RawValue {
  /** Names the value: its path (`resource.attr.limits`), an element of a list, or the expression with this value. */
  readonly key: string;
  /** True for JSON of a request or of globals. False for results of expressions, which can have any type. */
  readonly isData: boolean;
  readonly kind: Formula;
  readonly bool: Formula;
  readonly number: Formula;
  readonly text: Formula;
  readonly members = new Map<string, RawValue>();
  private readonly formulas: Formulas;
  private readonly tell: (fact: Formula) => void;

  /** `tell` receives facts about every such value. */
  constructor(key: string, isData: boolean, formulas: Formulas, tell: (fact: Formula) => void) {
    this.key = key;
    this.isData = isData;
    this.formulas = formulas;
    this.tell = tell;
    this.kind = formulas.unknown("kind", `${key}: type`);
    this.bool = formulas.unknown("bool", `${key}: truth`);
    this.number = formulas.unknown("real", `${key}: number`);
    this.text = formulas.unknown("text", `${key}: text`);
  }

  is(kind: JsonKind): Formula {
    return this.formulas.same(this.kind, this.formulas.kind(kind));
  }

  isThere(): Formula {
    return this.formulas.not(this.is("absent"));
  }

  member(name: string): RawValue {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    const made = new RawValue(`${this.key}.${JSON.stringify(name)}`, this.isData, this.formulas, this.tell);
    this.members.set(name, made);
    this.tell(this.formulas.implies(made.isThere(), this.is("map")));
    return made;
  }

  /** The number of elements, if the value is a list. */
  get size(): Formula {
    return this.formulas.unknown("real", `${this.key}: size`);
  }
}
