/** Values of generated code, as formulas about a request. */

import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { RawValue } from "../../engine/formula/raw-value.js";

/**
 * The types of values. `object` is an object that is not JSON data (a `Date`, an instance of a class), and `other` a
 * function, a symbol or a bigint. Numbers include NaN and both infinities.
 */
export const CODE_TYPES = ["undefined", "null", "bool", "number", "text", "list", "map", "object", "other"] as const;

export type CodeType = (typeof CODE_TYPES)[number];

/** When a value has each type (absent: never), and the value for this type. No two types hold together. */
export interface PlainValue {
  readonly kind: "plain";
  readonly is: { readonly [type in CodeType]?: Formula };
  readonly bool?: Formula;
  /** With infinities as `rationalOf` has them. */
  readonly number?: Formula;
  readonly nan?: Formula;
  /** True for lengths: whole numbers, so small that sums are not rounded. */
  readonly isLength?: boolean;
  readonly text?: Formula;
  readonly list?: RawValue;
}

/** The answer of a helper (`engine/generate/answers.ts`). */
export interface HelperAnswer {
  readonly kind: "answer";
  /** Its lowest bit, the bit that asks closures, and whether it counts no steps. */
  readonly yes: Formula;
  readonly asks: Formula;
  readonly isFree: Formula;
}

/** The flag `z`, or a copy of it. */
export interface FlagValue {
  readonly kind: "flag";
  readonly set: Formula;
}

export type CodeValue = PlainValue | HelperAnswer | FlagValue;

export const NEVER: PlainValue = { kind: "plain", is: {} };

export function boolValue(bool: Formula, { yes }: Formulas): PlainValue {
  return { kind: "plain", is: { bool: yes }, bool };
}

export function numberValue(number: Formula, formulas: Formulas, nan: Formula = formulas.no): PlainValue {
  return { kind: "plain", is: { number: formulas.yes }, number, nan };
}

/** A length, or a sum or a difference of lengths. */
export function lengthValue(number: Formula, formulas: Formulas): PlainValue {
  return { ...numberValue(number, formulas), isLength: true };
}

export function textValue(text: Formula, { yes }: Formulas): PlainValue {
  return { kind: "plain", is: { text: yes }, text };
}

/** `a` where `test` holds, else `b`. Undefined: the two are values that cannot be told apart later. */
export function chosenValue(test: Formula, a: CodeValue, b: CodeValue, formulas: Formulas): CodeValue | undefined {
  if (test === formulas.yes) return a;
  if (test === formulas.no) return b;
  if (a.kind === "plain" && b.kind === "plain") return chosenPlain(test, a, b, formulas);
  const [x, y] = [answerOf(a, formulas), answerOf(b, formulas)];
  if (x === undefined || y === undefined) return undefined;
  return {
    kind: "answer",
    yes: formulas.choose(test, x.yes, y.yes),
    asks: formulas.choose(test, x.asks, y.asks),
    isFree: formulas.choose(test, x.isFree, y.isFree),
  };
}

/** A constant from 0 to 3 is an answer, too. */
function answerOf(value: CodeValue, formulas: Formulas): HelperAnswer | undefined {
  if (value.kind !== "plain") return value.kind === "answer" ? value : undefined;
  const bits = [0, 1, 2, 3].find((one) => value.number === formulas.number(one));
  if (bits === undefined || value.is.number !== formulas.yes) return undefined;
  const bit = (mask: number) => formulas.bool((bits & mask) !== 0);
  return { kind: "answer", yes: bit(1), asks: bit(2), isFree: formulas.yes };
}

function chosenPlain(test: Formula, a: PlainValue, b: PlainValue, formulas: Formulas): PlainValue | undefined {
  const is: { [type in CodeType]?: Formula } = {};
  for (const type of CODE_TYPES) {
    const guard = formulas.choose(test, a.is[type] ?? formulas.no, b.is[type] ?? formulas.no);
    if (guard !== formulas.no) is[type] = guard;
  }
  if (a.list !== undefined && b.list !== undefined && a.list !== b.list) return undefined;
  const list = a.list ?? b.list;
  const either = (x: Formula | undefined, y: Formula | undefined) =>
    x === undefined || y === undefined ? (x ?? y) : formulas.choose(test, x, y);
  const [bool, number, text] = [either(a.bool, b.bool), either(a.number, b.number), either(a.text, b.text)];
  const nan = formulas.choose(test, a.nan ?? formulas.no, b.nan ?? formulas.no);
  return {
    kind: "plain",
    is,
    nan,
    ...(bool === undefined ? {} : { bool }),
    ...(number === undefined ? {} : { number }),
    ...(text === undefined ? {} : { text }),
    ...(list === undefined ? {} : { list }),
  };
}
