/**
 * Values of expressions as formulas. A term says when the value has each type, and the value for this type. Where it
 * has no type, the expression errs.
 */

import type { Formula, Formulas } from "./formula.js";
import type { RawValue } from "./raw-value.js";

/** `other`: bytes, types, optionals, values of Cerbos's own functions. Only the origin of such a value is known. */
export const TYPES = [
  "null",
  "bool",
  "double",
  "int",
  "uint",
  "text",
  "time",
  "duration",
  "list",
  "map",
  "other",
] as const;

export type TermType = (typeof TYPES)[number];

/** The value for each type that it may have. */
interface TermPayload {
  readonly bool?: Formula;
  /** Of a double, an int or a uint. */
  readonly number?: Formula;
  /** Of a double: whether it is NaN. Absent: it is not. */
  readonly nan?: Formula;
  readonly text?: Formula;
  /** Of an instant (since 1970) or of a duration. */
  readonly nanos?: Formula;
  readonly list?: ListValue;
  readonly map?: MapValue;
  /** Of an `other` value: equal origins mean equal values. */
  readonly origin?: string;
}

export interface FormulaTerm extends TermPayload {
  /** When the value has each type; absent means never. No two hold together; where none holds, the expression errs. */
  readonly is: { readonly [type in TermType]?: Formula };
}

export const NUMBERS = ["double", "int", "uint"] as const;

/** An expression that always errs. */
export const ERRING: FormulaTerm = { is: {} };

export class FormulaTerms {
  readonly formulas: Formulas;

  constructor(formulas: Formulas) {
    this.formulas = formulas;
  }

  of(type: TermType, payload: TermPayload = {}, where: Formula = this.formulas.yes): FormulaTerm {
    return { is: { [type]: where }, ...payload };
  }

  is(term: FormulaTerm, type: TermType): Formula {
    return term.is[type] ?? this.formulas.no;
  }

  /** When an expression has a value. */
  exists(term: FormulaTerm): Formula {
    return this.formulas.or(...Object.values(term.is));
  }

  errs(term: FormulaTerm): Formula {
    return this.formulas.not(this.exists(term));
  }

  bool(value: Formula, where: Formula = this.formulas.yes): FormulaTerm {
    return this.of("bool", { bool: value }, where);
  }

  /** A truth value that may be an error. */
  three({ holds, fails }: TruthFormulas): FormulaTerm {
    return this.bool(holds, this.formulas.or(holds, fails));
  }

  truth(term: FormulaTerm): TruthFormulas {
    const { formulas } = this;
    const value = term.bool ?? formulas.no;
    const is = this.is(term, "bool");
    return { holds: formulas.and(is, value), fails: formulas.and(is, formulas.not(value)) };
  }

  /** Joins truths by `||` (`decisive`) or by `&&`. An operand that decides counts even if others err. */
  junction(decisive: boolean, parts: readonly TruthFormulas[]): TruthFormulas {
    const { formulas } = this;
    const holds = parts.map((part) => part.holds);
    const fails = parts.map((part) => part.fails);
    return decisive
      ? { holds: formulas.or(...holds), fails: formulas.and(...fails) }
      : { holds: formulas.and(...holds), fails: formulas.or(...fails) };
  }

  /** The term where `test` holds. Elsewhere it errs. */
  where(test: Formula, term: FormulaTerm): FormulaTerm {
    return { ...term, is: this.each(term, (guard) => this.formulas.and(test, guard)) };
  }

  /** `a` where `test` holds, else `b`. */
  choose(test: Formula, a: FormulaTerm, b: FormulaTerm): FormulaTerm {
    const { formulas } = this;
    if (test === formulas.yes) return a;
    if (test === formulas.no) return b;
    const is: { [type in TermType]?: Formula } = {};
    for (const type of TYPES) {
      const guard = formulas.choose(test, this.is(a, type), this.is(b, type));
      if (guard !== formulas.no) is[type] = guard;
    }
    const either = (x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? (x ?? y) : formulas.choose(test, x, y);
    return {
      is,
      ...defined("bool", either(a.bool, b.bool)),
      ...defined("number", either(a.number, b.number)),
      ...defined(
        "nan",
        a.nan === undefined && b.nan === undefined ? undefined : either(a.nan ?? formulas.no, b.nan ?? formulas.no),
      ),
      ...defined("text", either(a.text, b.text)),
      ...defined("nanos", either(a.nanos, b.nanos)),
      ...defined("list", a.list && b.list ? chosen(test, a.list, b.list) : (a.list ?? b.list)),
      ...defined("map", a.map && b.map ? chosen(test, a.map, b.map) : (a.map ?? b.map)),
      ...defined("origin", originOf(test, a.origin, b.origin)),
    };
  }

  /** A value of the request as expressions see it: numbers are doubles. It errs where the value is absent. */
  raw(raw: RawValue): FormulaTerm {
    return {
      is: {
        null: raw.is("null"),
        bool: raw.is("bool"),
        double: raw.is("number"),
        text: raw.is("text"),
        list: raw.is("list"),
        map: raw.is("map"),
      },
      bool: raw.bool,
      number: raw.number,
      text: raw.text,
      list: { kind: "raw", raw },
      map: { kind: "raw", raw },
    };
  }

  private each(term: FormulaTerm, change: (guard: Formula) => Formula): FormulaTerm["is"] {
    const is: { [type in TermType]?: Formula } = {};
    for (const type of TYPES) {
      const guard = term.is[type];
      const changed = guard === undefined ? this.formulas.no : change(guard);
      if (changed !== this.formulas.no) is[type] = changed;
    }
    return is;
  }
}

/** A translated membership test: the element, and whether the list has it. */
export interface MembershipTest {
  readonly element: FormulaTerm;
  readonly isIn: Formula;
  /** The raw value of the element, if it was made as an element of this list. */
  readonly raw: RawValue | undefined;
}

/** A list, as far as it is known. */
export type ListValue =
  | { readonly kind: "raw"; readonly raw: RawValue }
  | { readonly kind: "items"; readonly items: readonly FormulaTerm[] }
  | { readonly kind: "choice"; readonly test: Formula; readonly a: ListValue; readonly b: ListValue }
  | { readonly kind: "joined"; readonly a: ListValue; readonly b: ListValue };

/** A map, as far as it is known. */
export type MapValue =
  | { readonly kind: "raw"; readonly raw: RawValue }
  | { readonly kind: "members"; readonly members: ReadonlyMap<string, FormulaTerm> }
  | { readonly kind: "choice"; readonly test: Formula; readonly a: MapValue; readonly b: MapValue };

/** A truth value: true, false, or neither, which is an error. */
export interface TruthFormulas {
  readonly holds: Formula;
  readonly fails: Formula;
}

function defined<K extends string, V>(name: K, value: V | undefined): { readonly [key in K]?: V } {
  const made: { [key in K]?: V } = {};
  if (value !== undefined) made[name] = value;
  return made;
}

function chosen<V extends ListValue | MapValue>(
  test: Formula,
  a: V,
  b: V,
): V | { kind: "choice"; test: Formula; a: V; b: V } {
  return sameKey(a, b) ? a : { kind: "choice", test, a, b };
}

function sameKey(a: ListValue | MapValue, b: ListValue | MapValue): boolean {
  return a === b || keyOfPart(a) === keyOfPart(b);
}

function originOf(test: Formula, a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  return `(${test.id}?${a}:${b})`;
}

/** A key for a term: equal keys mean equal values. */
export function keyOf(term: FormulaTerm): string {
  const { is, bool, number, nan, text, nanos, list, map, origin } = term;
  const guards = TYPES.map((type) => is[type]?.id ?? "").join();
  const parts = [bool, number, nan, text, nanos].map((one) => one?.id ?? "").join();
  return `${guards};${parts};${list ? keyOfPart(list) : ""};${map ? keyOfPart(map) : ""};${origin ?? ""}`;
}

export function keyOfPart(value: ListValue | MapValue): string {
  switch (value.kind) {
    case "raw":
      return value.raw.key;
    case "items":
      return `[${value.items.map(keyOf).join("|")}]`;
    case "members":
      return `{${[...value.members].map(([name, term]) => `${JSON.stringify(name)}:${keyOf(term)}`).join("|")}}`;
    case "choice":
      return `(${value.test.id}?${keyOfPart(value.a)}:${keyOfPart(value.b)})`;
    case "joined":
      return `(${keyOfPart(value.a)}+${keyOfPart(value.b)})`;
  }
}

/** The formulas that the value of a term depends on. */
export function formulasOfTerm(term: FormulaTerm): readonly Formula[] {
  const formulas: Formula[] = [];
  const addTerm = ({ is, bool, number, nan, text, nanos, list, map }: FormulaTerm): void => {
    for (const one of [...Object.values(is), bool, number, nan, text, nanos]) if (one !== undefined) formulas.push(one);
    if (list !== undefined) addValue(list);
    if (map !== undefined) addValue(map);
  };
  const addValue = (value: ListValue | MapValue): void => {
    switch (value.kind) {
      case "raw":
        break;
      case "items":
        for (const item of value.items) addTerm(item);
        break;
      case "members":
        for (const member of value.members.values()) addTerm(member);
        break;
      case "choice":
        formulas.push(value.test);
        addValue(value.a);
        addValue(value.b);
        break;
      case "joined":
        addValue(value.a);
        addValue(value.b);
    }
  };
  addTerm(term);
  return formulas;
}
