/**
 * Evaluates a formula for one request, without a solver, from the values of its unknowns. An unknown without a value in
 * the request (a function that solvers do not know, an element that is only claimed to exist) is undefined, and so is
 * each value that depends on it.
 */

import { isList, isObject, type JsonValue } from "../../src/cel/json.js";
import { compareStrings } from "../../src/cel/text.js";
import { parseDuration, parseTimestamp } from "../../src/cel/time.js";
import {
  type Formula,
  type FormulaOperation,
  type JsonKind,
  type Rational,
  rational,
  rationalOf,
} from "../../src/engine/formula/formula.js";
import type { RawValue } from "../../src/engine/formula/raw-value.js";
import type { FormulaWorld } from "../../src/engine/formula/world.js";

/** Undefined: the value is not known. */
export type Value = boolean | Rational | string | undefined;

/** The part of a request that formulas read. */
export interface Facts {
  readonly key: {
    readonly id: string;
    readonly roles: readonly string[];
    readonly attr: unknown;
    readonly scope?: string;
  };
  readonly account: { readonly id: string; readonly attr: unknown; readonly scope?: string };
  readonly resource: { readonly kind: string; readonly id: string; readonly attr: unknown; readonly scope?: string };
  /** Nanoseconds since 1970. */
  readonly now: bigint | undefined;
}

type Given = (args: readonly Value[]) => Value;

export class FormulaValues {
  private readonly given = new Map<string, Given>();
  private readonly known = new Map<Formula, Value>();

  private readonly world: FormulaWorld;

  constructor(world: FormulaWorld, facts: Facts) {
    this.world = world;
    const { key, account, resource, now } = facts;
    const fixed = (name: string, value: Value) => this.given.set(name, () => value);
    for (const [name, subject] of Object.entries({ key, account, resource })) {
      fixed(`${name}.id`, subject.id);
      fixed(`${name}.scope`, (subject.scope ?? "").replace(/^\./, ""));
      const raw = world.raws.get(`${name}.attr`);
      if (raw !== undefined) this.give(raw, subject.attr);
    }
    fixed("resource.kind", resource.kind);
    this.give(world.roles, key.roles);
    fixed("now is given", now !== undefined);
    if (now !== undefined) fixed("now", rationalOf(now));
    this.given.set("is a time", ([text]) =>
      typeof text === "string" ? parseTimestamp(text) !== undefined : undefined,
    );
    this.given.set("nanos of a time", ([text]) => {
      const time = typeof text === "string" ? parseTimestamp(text) : undefined;
      return time && rationalOf(BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos));
    });
    const duration = (text: Value) => (typeof text === "string" ? parseDuration(text) : undefined);
    this.given.set("is a duration", ([text]) => (text === undefined ? undefined : duration(text) !== undefined));
    this.given.set("nanos of a duration", ([text]) => {
      const found = duration(text);
      return found && rationalOf(found.nanos);
    });
  }

  /** Sets the value of an unknown that is not in the request itself. */
  set(name: string, value: Value): void {
    this.given.set(name, () => value);
  }

  value(formula: Formula): Value {
    if (this.known.has(formula)) return this.known.get(formula);
    const value = this.whole(formula);
    this.known.set(formula, value);
    return value;
  }

  private whole(formula: Formula): Value {
    if (formula.op === "constant") return formula.value;
    const args = formula.args.map((arg) => this.value(arg));
    if (formula.op === "unknown") return this.given.get(formula.name)?.(args);
    return OPERATIONS[formula.op](args);
  }

  /** Sets the unknowns of a value and of all nested values. */
  private give(raw: RawValue, value: unknown): void {
    const { key } = raw;
    const fixed = (name: string, one: Value) => this.given.set(`${key}: ${name}`, () => one);
    fixed("type", kindOf(value));
    if (typeof value === "boolean") fixed("truth", value);
    if (typeof value === "number") fixed("number", rationalOf(value));
    if (typeof value === "string") fixed("text", value);
    if (isJsonList(value)) {
      fixed("size", rationalOf(value.length));
      const has = (what: string, is: (one: JsonValue, arg: Value) => boolean) =>
        this.given.set(`${key} has ${what}`, ([arg]) =>
          arg === undefined && what !== "null" ? undefined : value.some((one) => is(one, arg)),
        );
      has("null", (one) => one === null);
      has("truth", (one, arg) => one === arg);
      has("text", (one, arg) => one === arg);
      has(
        "number",
        (one, arg) => typeof one === "number" && typeof arg === "object" && sameNumber(rationalOf(one), arg),
      );
      for (const [name, part] of this.indexed(raw)) this.give(part, value[name]);
    } else this.given.set(`${key}: size`, () => undefined);
    for (const [name, member] of raw.members) {
      this.give(member, isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);
    }
  }

  private indexed(raw: RawValue): readonly (readonly [number, RawValue])[] {
    return [...this.world.askedIn(raw).values()].flatMap((asked) => {
      const [, at] = asked.raw?.key.startsWith(`${raw.key}[`) === true ? (/\[(\d+)\]$/.exec(asked.raw.key) ?? []) : [];
      return at === undefined || asked.raw === undefined ? [] : [[Number(at), asked.raw] as const];
    });
  }
}

function isJsonList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function kindOf(value: unknown): JsonKind {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (isList(value)) return "list";
  const kinds: { readonly [type: string]: JsonKind } = {
    boolean: "bool",
    number: "number",
    string: "text",
    object: "map",
  };
  return kinds[typeof value] ?? "absent";
}

function sameNumber(a: Rational, b: Rational): boolean {
  return a.num === b.num && a.den === b.den;
}

type Evaluate = (args: readonly Value[]) => Value;

/** A function that is undefined if an argument is. */
function strict(f: (args: readonly Value[]) => Value): Evaluate {
  return (args) => (args.includes(undefined) ? undefined : f(args));
}

function ofNumbers(f: (a: Rational, b: Rational) => Value): Evaluate {
  return strict(([a, b]) => (typeof a === "object" && typeof b === "object" ? f(a, b) : undefined));
}

function ofTexts(f: (a: string, b: string) => Value): Evaluate {
  return strict(([a, b]) => (typeof a === "string" && typeof b === "string" ? f(a, b) : undefined));
}

function order(a: Rational, b: Rational): bigint {
  return a.num * b.den - b.num * a.den;
}

/** The meaning of each operation. */
export const OPERATIONS: { readonly [op in FormulaOperation]: Evaluate } = {
  and: (args) => (args.includes(false) ? false : args.includes(undefined) ? undefined : true),
  or: (args) => (args.includes(true) ? true : args.includes(undefined) ? undefined : false),
  not: strict(([a]) => a === false),
  "=": strict(([a, b]) => (typeof a === "object" && typeof b === "object" ? sameNumber(a, b) : a === b)),
  ite: ([test, a, b]) => (test === undefined ? undefined : test === true ? a : b),
  "<": ofNumbers((a, b) => order(a, b) < 0n),
  "<=": ofNumbers((a, b) => order(a, b) <= 0n),
  "+": ofNumbers((a, b) => rational(a.num * b.den + b.num * a.den, a.den * b.den)),
  "-": ofNumbers((a, b) => rational(a.num * b.den - b.num * a.den, a.den * b.den)),
  "*": ofNumbers((a, b) => rational(a.num * b.num, a.den * b.den)),
  whole: strict(([a]) => typeof a === "object" && a.den === 1n),
  floor: strict(([a]) => {
    if (typeof a !== "object") return undefined;
    const quotient = a.num / a.den;
    return rationalOf(a.num < 0n && quotient * a.den !== a.num ? quotient - 1n : quotient);
  }),
  "text.join": ofTexts((a, b) => `${a}${b}`),
  "text.length": strict(([a]) => (typeof a === "string" ? rationalOf([...a].length) : undefined)),
  "text.starts": ofTexts((a, b) => a.startsWith(b)),
  "text.ends": ofTexts((a, b) => a.endsWith(b)),
  "text.contains": ofTexts((a, b) => a.includes(b)),
  "text.less": ofTexts((a, b) => compareStrings(a, b) < 0),
};
