/**
 * Formulas: questions for a solver, as data. A formula is a constant, an unknown or an operation on formulas, and it
 * has a sort. Equal formulas are one object: if two formulas simplify to the same form, they are known to be equal
 * without a solver.
 *
 * This file knows no solver: `smtlib.ts` prints formulas for one, and tests evaluate formulas directly.
 */

/** `real` is any rational number, without rounding. `text` is a sequence of code points. */
export type FormulaSort = "bool" | "real" | "text" | "kind";

/** The types of JSON values. `absent` means that there is no value. */
export const JSON_KINDS = ["absent", "null", "bool", "number", "text", "list", "map"] as const;

export type JsonKind = (typeof JSON_KINDS)[number];

/** A rational number in lowest terms; the denominator is positive. */
export interface Rational {
  readonly num: bigint;
  readonly den: bigint;
}

export type FormulaOperation =
  | "and"
  | "or"
  | "not"
  | "="
  | "ite"
  | "<"
  | "<="
  | "+"
  | "-"
  | "*"
  | "whole"
  | "floor"
  | "text.join"
  | "text.length"
  | "text.starts"
  | "text.ends"
  | "text.contains"
  | "text.less";

interface FormulaBase {
  /** Unique among the formulas of one {@link Formulas}. */
  readonly id: number;
  readonly sort: FormulaSort;
}

export interface FormulaConstant extends FormulaBase {
  readonly op: "constant";
  readonly value: boolean | Rational | string;
}

/** A value that the solver chooses. With arguments, it is an uninterpreted function of them. */
export interface FormulaUnknown extends FormulaBase {
  readonly op: "unknown";
  readonly name: string;
  readonly args: readonly Formula[];
}

export interface FormulaApplication extends FormulaBase {
  readonly op: FormulaOperation;
  readonly args: readonly Formula[];
}

export type Formula = FormulaConstant | FormulaUnknown | FormulaApplication;

/** Makes each formula once, simplified by local rules. */
export class Formulas {
  readonly yes: Formula;
  readonly no: Formula;
  private readonly made = new Map<string, Formula>();

  constructor() {
    this.yes = this.constant("bool", true);
    this.no = this.constant("bool", false);
  }

  bool(value: boolean): Formula {
    return value ? this.yes : this.no;
  }

  text(value: string): Formula {
    return this.constant("text", value);
  }

  kind(value: JsonKind): Formula {
    return this.constant("kind", value);
  }

  real(value: Rational): Formula {
    return this.constant("real", value);
  }

  /** The exact value of a number, with infinities as {@link rationalOf} has them. */
  number(value: number | bigint): Formula {
    return this.real(rationalOf(value));
  }

  unknown(sort: FormulaSort, name: string, args: readonly Formula[] = []): Formula {
    return this.keep(`? ${sort} ${name} ${ids(args)}`, (id) => ({ id, sort, op: "unknown", name, args }));
  }

  /** Rebuilds an operation with new arguments in the places of the old ones. */
  applied(op: FormulaOperation, args: readonly Formula[]): Formula {
    const [a = this.no, b = this.no, c = this.no] = args;
    switch (op) {
      case "and":
        return this.and(...args);
      case "or":
        return this.or(...args);
      case "not":
        return this.not(a);
      case "=":
        return this.same(a, b);
      case "ite":
        return this.choose(a, b, c);
      case "<":
        return this.less(a, b);
      case "<=":
        return this.atMost(a, b);
      case "+":
        return this.sum(a, b);
      case "-":
        return this.difference(a, b);
      case "*":
        return this.product(a, b);
      case "whole":
        return this.whole(a);
      case "floor":
        return this.floor(a);
      case "text.join":
        return this.join(a, b);
      case "text.length":
        return this.length(a);
      case "text.starts":
        return this.starts(a, b);
      case "text.ends":
        return this.ends(a, b);
      case "text.contains":
        return this.contains(a, b);
      case "text.less":
        return this.before(a, b);
    }
  }

  not(a: Formula): Formula {
    if (a.op === "constant") return this.bool(a.value === false);
    if (a.op === "not") return a.args[0] ?? this.no;
    return this.apply("bool", "not", [a]);
  }

  and(...parts: readonly Formula[]): Formula {
    return this.junction("and", parts, this.yes, this.no);
  }

  or(...parts: readonly Formula[]): Formula {
    return this.junction("or", parts, this.no, this.yes);
  }

  implies(a: Formula, b: Formula): Formula {
    return this.or(this.not(a), b);
  }

  /** `a` where `test` holds, else `b`. */
  choose(test: Formula, a: Formula, b: Formula): Formula {
    if (test === this.yes || a === b) return a;
    if (test === this.no) return b;
    if (a.sort === "bool") return this.or(this.and(test, a), this.and(this.not(test), b));
    return this.apply(a.sort, "ite", [test, a, b]);
  }

  same(a: Formula, b: Formula): Formula {
    if (a === b) return this.yes;
    if (a.op === "constant" && b.op === "constant") return this.no;
    if (a.sort === "bool") {
      if (a.op === "constant") return a === this.yes ? b : this.not(b);
      if (b.op === "constant") return b === this.yes ? a : this.not(a);
      if (this.not(a) === b) return this.no;
    }
    return this.apply("bool", "=", a.id < b.id ? [a, b] : [b, a]);
  }

  less(a: Formula, b: Formula): Formula {
    if (a === b) return this.no;
    return this.order(a, b, "<");
  }

  atMost(a: Formula, b: Formula): Formula {
    if (a === b) return this.yes;
    return this.order(a, b, "<=");
  }

  sum(a: Formula, b: Formula): Formula {
    return this.arithmetic("+", a, b, (x, y) => rational(x.num * y.den + y.num * x.den, x.den * y.den));
  }

  difference(a: Formula, b: Formula): Formula {
    return this.arithmetic("-", a, b, (x, y) => rational(x.num * y.den - y.num * x.den, x.den * y.den));
  }

  product(a: Formula, b: Formula): Formula {
    return this.arithmetic("*", a, b, (x, y) => rational(x.num * y.num, x.den * y.den));
  }

  /** Whether a number has no fraction. */
  whole(a: Formula): Formula {
    const value = realOf(a);
    return value === undefined ? this.apply("bool", "whole", [a]) : this.bool(value.den === 1n);
  }

  /** The greatest whole number that is at most `a`. */
  floor(a: Formula): Formula {
    const value = realOf(a);
    if (value === undefined) return this.apply("real", "floor", [a]);
    const { num, den } = value;
    const towardsZero = num / den;
    return this.number(num % den < 0n ? towardsZero - 1n : towardsZero);
  }

  join(a: Formula, b: Formula): Formula {
    if (a.op === "constant" && b.op === "constant") return this.text(`${textOf(a)}${textOf(b)}`);
    if (a.op === "constant" && textOf(a) === "") return b;
    if (b.op === "constant" && textOf(b) === "") return a;
    return this.apply("text", "text.join", [a, b]);
  }

  length(a: Formula): Formula {
    if (a.op === "constant") return this.number([...textOf(a)].length);
    return this.apply("real", "text.length", [a]);
  }

  starts(text: Formula, part: Formula): Formula {
    return this.texts("text.starts", text, part, (a, b) => a.startsWith(b));
  }

  ends(text: Formula, part: Formula): Formula {
    return this.texts("text.ends", text, part, (a, b) => a.endsWith(b));
  }

  contains(text: Formula, part: Formula): Formula {
    return this.texts("text.contains", text, part, (a, b) => a.includes(b));
  }

  /** Strict order of texts by code points. */
  before(a: Formula, b: Formula): Formula {
    if (a === b) return this.no;
    return this.apply("bool", "text.less", [a, b]);
  }

  private texts(op: FormulaOperation, a: Formula, b: Formula, value: (a: string, b: string) => boolean): Formula {
    if (a.op === "constant" && b.op === "constant") return this.bool(value(textOf(a), textOf(b)));
    return this.apply("bool", op, [a, b]);
  }

  /** Orders two different formulas. Two different constants have different values, so `<` and `<=` agree on them. */
  private order(a: Formula, b: Formula, op: "<" | "<="): Formula {
    const [x, y] = [realOf(a), realOf(b)];
    if (x !== undefined && y !== undefined) return this.bool(x.num * y.den < y.num * x.den);
    return this.apply("bool", op, [a, b]);
  }

  private arithmetic(op: "+" | "-" | "*", a: Formula, b: Formula, f: (x: Rational, y: Rational) => Rational): Formula {
    const [x, y] = [realOf(a), realOf(b)];
    return x !== undefined && y !== undefined ? this.real(f(x, y)) : this.apply("real", op, [a, b]);
  }

  /** Flattens, sorts and deduplicates the parts: neither their order nor their nesting makes a different formula. */
  private junction(op: "and" | "or", parts: readonly Formula[], neutral: Formula, decisive: Formula): Formula {
    const flat: Formula[] = [];
    for (const part of parts) {
      if (part === decisive) return decisive;
      if (part.op === op) flat.push(...part.args);
      else if (part !== neutral) flat.push(part);
    }
    flat.sort((a, b) => a.id - b.id);
    const members = flat.filter((one, i) => one !== flat[i - 1]);
    const [only = neutral] = members;
    if (members.length < 2) return only;
    return isContradictory(op, members) ? decisive : this.apply("bool", op, members);
  }

  private constant(sort: FormulaSort, value: FormulaConstant["value"]): Formula {
    const key = typeof value === "object" ? `${value.num}/${value.den}` : JSON.stringify(value);
    return this.keep(`= ${sort} ${key}`, (id) => ({ id, sort, op: "constant", value }));
  }

  private apply(sort: FormulaSort, op: FormulaOperation, args: readonly Formula[]): Formula {
    return this.keep(`${op} ${ids(args)}`, (id) => ({ id, sort, op, args }));
  }

  private keep(key: string, make: (id: number) => Formula): Formula {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const formula = make(this.made.size);
    this.made.set(key, formula);
    return formula;
  }
}

/**
 * Whether the parts include both a formula and its negation, or the negation of a junction (with the same operator) of
 * other parts.
 */
function isContradictory(op: "and" | "or", parts: readonly Formula[]): boolean {
  const negated = parts.flatMap((part) => (part.op === "not" ? part.args : []));
  if (negated.length === 0) return false;
  const all = new Set(parts);
  return negated.some((inner) => all.has(inner) || (inner.op === op && inner.args.every((arg) => all.has(arg))));
}

function ids(args: readonly Formula[]): string {
  let text = "";
  for (const { id } of args) text += `${id},`;
  return text;
}

function realOf({ op, ...rest }: Formula): Rational | undefined {
  return op === "constant" && "value" in rest && typeof rest.value === "object" ? rest.value : undefined;
}

function textOf(formula: Formula): string {
  return formula.op === "constant" && typeof formula.value === "string" ? formula.value : "";
}

export function rational(num: bigint, den: bigint): Rational {
  const divisor = gcd(num < 0n ? -num : num, den < 0n ? -den : den) || 1n;
  const sign = den < 0n ? -1n : 1n;
  return { num: (sign * num) / divisor, den: (sign * den) / divisor };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/**
 * Stands for infinity: it is greater than every double and not a whole number, so it differs from doubles as infinity
 * does.
 */
const BEYOND: Rational = { num: 2n ** 1025n + 1n, den: 2n };

/** The exact value of a double or an integer. NaN has none: callers must handle it before. */
export function rationalOf(value: number | bigint): Rational {
  if (typeof value === "bigint") return { num: value, den: 1n };
  if (value === Number.POSITIVE_INFINITY) return BEYOND;
  if (value === Number.NEGATIVE_INFINITY) return { num: -BEYOND.num, den: BEYOND.den };
  if (Number.isInteger(value)) return { num: BigInt(value), den: 1n };
  // Every double is a multiple of 2^-1074.
  let [scaled, shift] = [value, 0n];
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift += 1n;
  }
  return rational(BigInt(scaled), 2n ** shift);
}

export function nearestDouble({ num, den }: Rational): number {
  if (den === 1n) return Number(num);
  const isNegative = num < 0n;
  const size = isNegative ? -num : num;
  // Keeps at least 64 bits of the quotient, or two bits more than the least double has. The last bit is set if there is
  // a remainder, so that the value is rounded only once.
  const shift = Math.min(1076, Math.max(0, 66 + den.toString(2).length - size.toString(2).length));
  const scaled = size << BigInt(shift);
  const quotient = scaled / den;
  const sticky = quotient * den === scaled ? quotient : quotient | 1n;
  // In two steps, because the least power of two that is a double is 2^-1074.
  const value = Number(sticky) * 2 ** -538 * 2 ** (538 - shift);
  return isNegative ? -value : value;
}

/** The unknowns of formulas, each once, in the order they were made. */
export function unknownsIn(formulas: readonly Formula[]): readonly FormulaUnknown[] {
  const found = new Set<FormulaUnknown>();
  const seen = new Set<Formula>();
  const rest = [...formulas];
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (one.op === "unknown") found.add(one);
    if (one.op !== "constant") rest.push(...one.args);
  }
  return [...found].sort((a, b) => a.id - b.id);
}
