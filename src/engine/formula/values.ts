/**
 * Values of a request that are not known, as formulas: of which type each is, whether it is there at all, and what is in
 * it. Lists are known by what is in them and by their size.
 */

import type { Formula, Formulas, Kind } from "./formula.js";

/** A value of JSON data that is not known, or that there is none. Its parts are made when they are first asked for. */
export class RawValue {
  /** Where it is: `resource.attr.limits`, an element of a list, or of which expression it is the value. */
  readonly key: string;
  readonly kind: Formula;
  readonly bool: Formula;
  readonly number: Formula;
  readonly text: Formula;
  readonly members = new Map<string, RawValue>();
  private readonly formulas: Formulas;
  private readonly tell: (fact: Formula) => void;

  /** `tell` is given what holds of every value. */
  constructor(key: string, formulas: Formulas, tell: (fact: Formula) => void) {
    this.key = key;
    this.formulas = formulas;
    this.tell = tell;
    this.kind = formulas.unknown("kind", `${key}: type`);
    this.bool = formulas.unknown("bool", `${key}: truth`);
    this.number = formulas.unknown("real", `${key}: number`);
    this.text = formulas.unknown("text", `${key}: text`);
  }

  is(kind: Kind): Formula {
    return this.formulas.same(this.kind, this.formulas.kind(kind));
  }

  isThere(): Formula {
    return this.formulas.not(this.is("absent"));
  }

  member(name: string): RawValue {
    const known = this.members.get(name);
    if (known !== undefined) return known;
    const made = new RawValue(`${this.key}.${JSON.stringify(name)}`, this.formulas, this.tell);
    this.members.set(name, made);
    this.tell(this.formulas.implies(made.isThere(), this.is("map")));
    return made;
  }

  /** If it is a list: how many elements it has. */
  get size(): Formula {
    return this.formulas.unknown("real", `${this.key}: size`);
  }
}
