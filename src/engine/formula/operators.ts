/**
 * Translates operators to formulas: equality, order, arithmetic (`cel/equality.ts`, `cel/functions/operators.ts`).
 *
 * Formulas compute with exact rationals, but doubles are rounded. Facts state only what is certain about a rounded
 * result: it is exact if the exact result is whole and at most 2^53, and otherwise within one part in 2^53 of it. That
 * a result is not rounded at all is a preference: it helps to find requests, and proves nothing.
 */

import { MAX_INT, MAX_UINT, MIN_INT } from "../../cel/numbers.js";
import { compareStrings } from "../../cel/text.js";
import { MAX_NANOS, MIN_NANOS } from "../../cel/time.js";
import { unknownTerm } from "./attribute-formulas.js";
import { type Formula, nearestDouble } from "./formula.js";
import {
  type FormulaTerm,
  keyOf,
  keyOfPart,
  type ListValue,
  type MapValue,
  NUMBERS,
  type TermType,
  type TruthFormulas,
} from "./terms.js";
import type { FormulaWorld } from "./world.js";

const EXACT = 2n ** 53n;

/** Lists up to this length are translated element by element. */
export const MAX_ITEMS = 64;

export class OperatorFormulas {
  private readonly world: FormulaWorld;

  constructor(world: FormulaWorld) {
    this.world = world;
  }

  /** Whether a value has one of the given types. */
  private isOf(term: FormulaTerm, types: readonly TermType[]): Formula {
    return this.world.formulas.or(...types.map((type) => this.world.terms.is(term, type)));
  }

  /** The number that a comparison with doubles uses: an integer is rounded. */
  private asDouble(term: FormulaTerm): Formula {
    const { formulas } = this.world;
    const number = term.number ?? formulas.number(0);
    if (number.op === "constant" && typeof number.value === "object") {
      return formulas.number(nearestDouble(number.value));
    }
    const integer = this.isOf(term, ["int", "uint"]);
    if (integer === formulas.no) return number;
    const rounded = formulas.unknown("real", "nearest double", [number]);
    const isSmall = this.within(number, EXACT);
    return formulas.choose(formulas.or(formulas.not(integer), isSmall), number, rounded);
  }

  private within(number: Formula, size: bigint): Formula {
    const { formulas } = this.world;
    return formulas.and(
      formulas.atMost(formulas.number(-size), number),
      formulas.atMost(number, formulas.number(size)),
    );
  }

  /** The two numbers that a comparison of `a` and `b` uses. */
  private compared(a: FormulaTerm, b: FormulaTerm): readonly [Formula, Formula] {
    const { formulas } = this.world;
    const number = (term: FormulaTerm) => term.number ?? formulas.number(0);
    const hasDouble = formulas.or(this.world.terms.is(a, "double"), this.world.terms.is(b, "double"));
    const pair = (term: FormulaTerm) => formulas.choose(hasDouble, this.asDouble(term), number(term));
    return [pair(a), pair(b)];
  }

  /** Whether two existing values are equal. Values that err, and values of different types, are not equal. */
  same(a: FormulaTerm, b: FormulaTerm): Formula {
    const { formulas, terms } = this.world;
    const both = (type: TermType) => formulas.and(terms.is(a, type), terms.is(b, type));
    const payload = (type: TermType, x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? formulas.no : formulas.and(both(type), formulas.same(x, y));
    const [x, y] = this.compared(a, b);
    const numbers = formulas.and(
      this.isOf(a, NUMBERS),
      this.isOf(b, NUMBERS),
      formulas.not(formulas.and(terms.is(a, "double"), a.nan ?? formulas.no)),
      formulas.not(formulas.and(terms.is(b, "double"), b.nan ?? formulas.no)),
      formulas.same(x, y),
    );
    return formulas.or(
      both("null"),
      payload("bool", a.bool, b.bool),
      payload("text", a.text, b.text),
      payload("time", a.nanos, b.nanos),
      payload("duration", a.nanos, b.nanos),
      numbers,
      a.list && b.list ? formulas.and(both("list"), this.sameList(a.list, b.list)) : formulas.no,
      a.map && b.map ? formulas.and(both("map"), this.sameMap(a.map, b.map)) : formulas.no,
      formulas.and(this.isOpen(a, b), this.unknownTruth("same", [a, b])),
    );
  }

  /** Where nothing is known about how two values compare. */
  private isOpen(a: FormulaTerm, b: FormulaTerm): Formula {
    const { formulas, terms } = this.world;
    return formulas.and(terms.exists(a), terms.exists(b), formulas.or(terms.is(a, "other"), terms.is(b, "other")));
  }

  private unknownTruth(what: string, of: readonly FormulaTerm[]): Formula {
    const truth = this.world.formulas.unknown("bool", `${what} ${of.map(keyOf).join(" and ")}`);
    this.world.dependencies.addTerms(truth, of);
    return truth;
  }

  /** `a == b`; with `wanted: false`, `a != b`. */
  equality(a: FormulaTerm, b: FormulaTerm, wanted: boolean): FormulaTerm {
    const { formulas, terms } = this.world;
    const errs = formulas.and(this.isOpen(a, b), this.unknownTruth(wanted ? "== errs" : "!= errs", [a, b]));
    const exists = formulas.and(terms.exists(a), terms.exists(b), formulas.not(errs));
    const same = this.same(a, b);
    if (wanted) return terms.bool(same, exists);
    // Values that cannot be compared differ and are not equal. Where nothing is known, `!=` has an unknown of its own.
    const differs = formulas.choose(this.isOpen(a, b), this.unknownTruth("!=", [a, b]), formulas.not(same));
    return terms.bool(differs, exists);
  }

  private sameList(a: ListValue, b: ListValue): Formula {
    const { formulas } = this.world;
    if (a.kind === "raw" && b.kind === "raw" && a.raw === b.raw) return formulas.yes;
    if (a.kind === "choice") return formulas.choose(a.test, this.sameList(a.a, b), this.sameList(a.b, b));
    if (b.kind === "choice") return this.sameList(b, a);
    if (a.kind === "items" && b.kind === "items") {
      if (a.items.length !== b.items.length) return formulas.no;
      return formulas.and(...a.items.map((item, i) => this.same(item, b.items[i] ?? item)));
    }
    const isEmpty = (list: ListValue) => list.kind === "items" && list.items.length === 0;
    const sameSize = formulas.same(this.size(a), this.size(b));
    if (isEmpty(a) || isEmpty(b)) return sameSize;
    const [known, raw] = a.kind === "items" ? [a, b] : [b, a];
    if (known.kind === "items" && raw.kind === "raw") {
      const [item, ...more] = known.items;
      if (item !== undefined && more.length === 0) return formulas.and(sameSize, this.isIn(item, raw));
    }
    const same = formulas.unknown("bool", `same ${[keyOfPart(a), keyOfPart(b)].sort().join(" and ")}`);
    this.world.untranslated.addFormula(same);
    this.world.dependencies.addTerms(same, [
      { is: {}, list: a },
      { is: {}, list: b },
    ]);
    if (a.kind === "raw" && b.kind === "raw") this.world.compared.push({ same, of: [a.raw, b.raw] });
    this.world.fact(formulas.implies(same, sameSize));
    if (known.kind === "items" && raw.kind === "raw") {
      this.world.spelled.push({ same, raw: raw.raw, items: known.items });
      for (const item of known.items) this.world.fact(formulas.implies(same, this.isIn(item, raw)));
    }
    return same;
  }

  private sameMap(a: MapValue, b: MapValue): Formula {
    if (a.kind === "raw" && b.kind === "raw" && a.raw === b.raw) return this.world.formulas.yes;
    const same = this.world.formulas.unknown("bool", `same ${[keyOfPart(a), keyOfPart(b)].sort().join(" and ")}`);
    this.world.untranslated.addFormula(same);
    this.world.dependencies.addTerms(same, [
      { is: {}, map: a },
      { is: {}, map: b },
    ]);
    if (a.kind === "raw" && b.kind === "raw") this.world.compared.push({ same, of: [a.raw, b.raw] });
    return same;
  }

  /** `a < b`, or with `orEqual` `a <= b`. */
  order(a: FormulaTerm, b: FormulaTerm, orEqual: boolean): FormulaTerm {
    const { formulas, terms } = this.world;
    const before = (x: Formula, y: Formula) => (orEqual ? formulas.atMost(x, y) : formulas.less(x, y));
    const both = (type: TermType) => formulas.and(terms.is(a, type), terms.is(b, type));
    const [x, y] = this.compared(a, b);
    const numbers = formulas.and(this.isOf(a, NUMBERS), this.isOf(b, NUMBERS));
    const nan = formulas.or(
      formulas.and(terms.is(a, "double"), a.nan ?? formulas.no),
      formulas.and(terms.is(b, "double"), b.nan ?? formulas.no),
    );
    const times = formulas.or(both("time"), both("duration"));
    const open = this.isOpen(a, b);
    const errs = formulas.and(open, this.unknownTruth("order errs", [a, b]));
    const holds = formulas.or(
      formulas.and(numbers, formulas.not(nan), before(x, y)),
      a.nanos && b.nanos ? formulas.and(times, before(a.nanos, b.nanos)) : formulas.no,
      a.text && b.text ? formulas.and(both("text"), this.textOrder(a.text, b.text, orEqual)) : formulas.no,
      a.bool && b.bool ? formulas.and(both("bool"), this.boolOrder(a.bool, b.bool, orEqual)) : formulas.no,
      formulas.and(open, this.unknownTruth(orEqual ? "<=" : "<", [a, b])),
    );
    const isFine = formulas.or(numbers, times, both("text"), both("bool"), formulas.and(open, formulas.not(errs)));
    return terms.bool(holds, isFine);
  }

  private textOrder(a: Formula, b: Formula, orEqual: boolean): Formula {
    const { formulas } = this.world;
    if (typeof constantOf(a) === "string" && typeof constantOf(b) === "string") {
      const order = compareStrings(String(constantOf(a)), String(constantOf(b)));
      return formulas.bool(orEqual ? order <= 0 : order < 0);
    }
    return orEqual ? formulas.not(formulas.before(b, a)) : formulas.before(a, b);
  }

  private boolOrder(a: Formula, b: Formula, orEqual: boolean): Formula {
    const { formulas } = this.world;
    return orEqual ? formulas.implies(a, b) : formulas.and(formulas.not(a), b);
  }

  /** `value in list`, if the container is a list. */
  isIn(value: FormulaTerm, list: ListValue): Formula {
    const { formulas } = this.world;
    switch (list.kind) {
      case "items":
        return formulas.or(...list.items.map((item) => this.same(value, item)));
      case "choice":
        return formulas.choose(list.test, this.isIn(value, list.a), this.isIn(value, list.b));
      case "joined":
        return formulas.or(this.isIn(value, list.a), this.isIn(value, list.b));
      case "raw":
        return this.world.isIn(list.raw.isData ? this.forData(value) : value, list.raw);
    }
  }

  /** A value in the form in which lists of data are searched for it: their numbers are doubles. */
  private forData(value: FormulaTerm): FormulaTerm {
    return value.number === undefined ? value : { ...value, number: this.asDouble(value) };
  }

  size(list: ListValue): Formula {
    const { formulas } = this.world;
    switch (list.kind) {
      case "items":
        return formulas.number(list.items.length);
      case "choice":
        return formulas.choose(list.test, this.size(list.a), this.size(list.b));
      case "joined":
        return formulas.sum(this.size(list.a), this.size(list.b));
      case "raw":
        return this.world.sizeOf(list.raw);
    }
  }

  /** Whether `body` holds of some element of a list, and whether it errs on one. */
  some(
    list: ListValue,
    body: (element: FormulaTerm) => TruthFormulas,
  ): { readonly some: Formula; readonly errs: Formula } {
    const { formulas } = this.world;
    switch (list.kind) {
      case "items": {
        const each = list.items.map(body);
        const errs = each.map(({ holds, fails }) => formulas.not(formulas.or(holds, fails)));
        return { some: formulas.or(...each.map(({ holds }) => holds)), errs: formulas.or(...errs) };
      }
      case "choice": {
        const [a, b] = [this.some(list.a, body), this.some(list.b, body)];
        return { some: formulas.choose(list.test, a.some, b.some), errs: formulas.choose(list.test, a.errs, b.errs) };
      }
      case "joined": {
        const [a, b] = [this.some(list.a, body), this.some(list.b, body)];
        return { some: formulas.or(a.some, b.some), errs: formulas.or(a.errs, b.errs) };
      }
      case "raw":
        return this.world.some(list.raw, body);
    }
  }

  arithmetic(symbol: "+" | "-" | "*" | "/" | "%", a: FormulaTerm, b: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const both = (type: TermType) => formulas.and(terms.is(a, type), terms.is(b, type));
    const results: FormulaTerm[] = [];
    const add = (where: Formula, made: () => FormulaTerm) => {
      if (where !== formulas.no) results.push(terms.where(where, made()));
    };
    if (a.number !== undefined && b.number !== undefined) {
      const [x, y] = [a.number, b.number];
      if (symbol !== "%") add(both("double"), () => this.doubles(symbol, a, b, x, y));
      add(both("int"), () => this.integers(symbol, "int", x, y));
      add(both("uint"), () => this.integers(symbol, "uint", x, y));
    }
    if (symbol === "+" && a.text !== undefined && b.text !== undefined) {
      const joined = formulas.join(a.text, b.text);
      add(both("text"), () => terms.of("text", { text: joined }));
    }
    const [x, y] = [a.list, b.list];
    if (symbol === "+" && x !== undefined && y !== undefined) {
      add(both("list"), () => terms.of("list", { list: joinedLists(x, y) }));
    }
    if (a.nanos !== undefined && b.nanos !== undefined && (symbol === "+" || symbol === "-")) {
      const made = symbol === "+" ? formulas.sum(a.nanos, b.nanos) : formulas.difference(a.nanos, b.nanos);
      const moment = () => terms.of("time", { nanos: made }, this.world.isMoment(made));
      const length = () => terms.of("duration", { nanos: made }, this.isLength(made));
      const and = (p: TermType, q: TermType) => formulas.and(terms.is(a, p), terms.is(b, q));
      add(and("duration", "duration"), length);
      add(and("time", "duration"), () => this.shifted(symbol, moment(), b.nanos));
      if (symbol === "+") add(and("duration", "time"), moment);
      else add(and("time", "time"), length);
    }
    add(this.isOpen(a, b), () => unknownTerm(this.world, `${symbol} ${keyOf(a)} ${keyOf(b)}`));
    return this.anyOf(results);
  }

  /** Subtraction adds the opposite duration, and the shortest duration has no opposite. */
  private shifted(symbol: string, moment: FormulaTerm, length: Formula | undefined): FormulaTerm {
    const { formulas, terms } = this.world;
    if (symbol === "+" || length === undefined) return moment;
    return terms.where(formulas.not(formulas.same(length, formulas.number(MIN_NANOS))), moment);
  }

  private isLength(nanos: Formula): Formula {
    const { formulas } = this.world;
    return formulas.and(
      formulas.atMost(formulas.number(MIN_NANOS), nanos),
      formulas.atMost(nanos, formulas.number(MAX_NANOS)),
    );
  }

  /** The value of the one term that exists. At most one of them may exist. */
  anyOf(results: readonly FormulaTerm[]): FormulaTerm {
    const { terms } = this.world;
    return results.reduce<FormulaTerm>(
      (rest, one) => (Object.keys(rest.is).length === 0 ? one : terms.choose(terms.exists(one), one, rest)),
      { is: {} },
    );
  }

  private integers(symbol: "+" | "-" | "*" | "/" | "%", type: "int" | "uint", x: Formula, y: Formula): FormulaTerm {
    const { formulas, terms } = this.world;
    const [min, max] = type === "int" ? [MIN_INT, MAX_INT] : [0n, MAX_UINT];
    const inRange = (value: Formula) =>
      formulas.and(formulas.atMost(formulas.number(min), value), formulas.atMost(value, formulas.number(max)));
    const made = {
      "+": () => formulas.sum(x, y),
      "-": () => formulas.difference(x, y),
      "*": () => formulas.product(x, y),
    };
    if (symbol !== "/" && symbol !== "%") {
      const value = made[symbol]();
      return terms.of(type, { number: value }, inRange(value));
    }
    // Division rounds towards zero, and a remainder has the sign of the dividend. Only facts that hold in every case
    // are stated.
    const value = formulas.unknown("real", `${symbol} of ${type}`, [x, y]);
    const errs = formulas.unknown("bool", `${symbol} of ${type} errs`, [x, y]);
    const zero = formulas.number(0);
    this.world.fact(formulas.whole(value));
    this.world.fact(formulas.implies(formulas.same(y, zero), errs));
    this.world.fact(formulas.implies(formulas.same(x, zero), formulas.same(value, zero)));
    this.world.prefer(formulas.implies(formulas.not(formulas.same(y, zero)), formulas.not(errs)));
    if (symbol === "%") this.world.fact(formulas.implies(formulas.atMost(zero, x), formulas.atMost(zero, value)));
    return terms.of(type, { number: value }, formulas.and(formulas.not(errs), inRange(value)));
  }

  private doubles(symbol: "+" | "-" | "*" | "/", a: FormulaTerm, b: FormulaTerm, x: Formula, y: Formula): FormulaTerm {
    const { formulas, terms } = this.world;
    const [m, n] = [constantOf(x), constantOf(y)];
    const isNumber = (a.nan ?? formulas.no) === formulas.no && (b.nan ?? formulas.no) === formulas.no;
    if (typeof m === "object" && typeof n === "object" && isNumber && symbol !== "/") {
      const [p, q] = [nearestDouble(m), nearestDouble(n)];
      const value = symbol === "+" ? p + q : symbol === "-" ? p - q : p * q;
      if (Number.isFinite(value)) return terms.of("double", { number: formulas.number(value) });
    }
    const given = [x, y, a.nan ?? formulas.no, b.nan ?? formulas.no];
    const value = formulas.unknown("real", `${symbol} of doubles`, given);
    const nan = formulas.unknown("bool", `${symbol} of doubles is no number`, given);
    if (symbol === "/") this.divided(value, nan, x, y);
    else {
      const exact =
        symbol === "+" ? formulas.sum(x, y) : symbol === "-" ? formulas.difference(x, y) : formulas.product(x, y);
      const isLinear = symbol !== "*" || m !== undefined || n !== undefined;
      this.rounded(value, nan, exact, formulas.and(this.isFinite(a), this.isFinite(b)), isLinear);
      if (symbol !== "*") this.signOfSum(value, nan, exact);
    }
    return terms.of("double", { number: value, nan });
  }

  private isFinite(term: FormulaTerm): Formula {
    const { formulas } = this.world;
    const number = term.number ?? formulas.number(0);
    return formulas.and(formulas.not(term.nan ?? formulas.no), this.within(number, 2n ** 1023n));
  }

  private rounded(value: Formula, nan: Formula, exact: Formula, finite: Formula, isLinear: boolean): void {
    const { formulas } = this.world;
    const isExact = formulas.and(formulas.same(value, exact), formulas.not(nan));
    this.world.prefer(isExact);
    if (!isLinear) return;
    this.world.fact(formulas.implies(formulas.and(finite, formulas.whole(exact), this.within(exact, EXACT)), isExact));
    // Below 2^-1021 doubles are evenly spaced.
    const tiny = formulas.real({ num: 1n, den: 2n ** 1022n });
    const part = (num: bigint) => formulas.product(exact, formulas.real({ num, den: EXACT }));
    const [less, more] = [part(EXACT - 1n), part(EXACT + 1n)];
    const isPositive = formulas.atMost(formulas.number(0), exact);
    const [low, high] = [formulas.choose(isPositive, less, more), formulas.choose(isPositive, more, less)];
    const near = formulas.and(
      formulas.not(nan),
      formulas.atMost(formulas.difference(low, tiny), value),
      formulas.atMost(value, formulas.sum(high, tiny)),
    );
    this.world.fact(formulas.implies(formulas.and(finite, this.within(exact, 2n ** 1022n)), near));
  }

  /** Tiny sums are exact, so a sum or a difference has the right sign in spite of rounding. */
  private signOfSum(value: Formula, nan: Formula, exact: Formula): void {
    const { formulas } = this.world;
    const zero = formulas.number(0);
    const isPositive = formulas.same(formulas.less(zero, exact), formulas.less(zero, value));
    const isNegative = formulas.same(formulas.less(exact, zero), formulas.less(value, zero));
    this.world.fact(formulas.or(nan, formulas.and(isPositive, isNegative)));
  }

  private divided(value: Formula, nan: Formula, x: Formula, y: Formula): void {
    const { formulas } = this.world;
    const isZero = formulas.same(y, formulas.number(0));
    const isQuotient = formulas.and(formulas.same(formulas.product(value, y), x), formulas.not(nan));
    this.world.prefer(formulas.or(isZero, isQuotient));
  }

  /** `-a`. */
  negative(a: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const zero = formulas.number(0);
    const results: FormulaTerm[] = [];
    if (a.number !== undefined) {
      const number = formulas.difference(zero, a.number);
      const double = { number, ...(a.nan === undefined ? {} : { nan: a.nan }) };
      results.push(terms.of("double", double, terms.is(a, "double")));
      results.push(terms.where(terms.is(a, "int"), this.integers("-", "int", zero, a.number)));
    }
    if (a.nanos !== undefined) {
      const nanos = formulas.difference(zero, a.nanos);
      results.push(terms.of("duration", { nanos }, formulas.and(terms.is(a, "duration"), this.isLength(nanos))));
    }
    results.push(terms.where(terms.is(a, "other"), unknownTerm(this.world, `- ${keyOf(a)}`)));
    return this.anyOf(results);
  }
}

function constantOf(formula: Formula): boolean | string | { readonly num: bigint; readonly den: bigint } | undefined {
  return formula.op === "constant" ? formula.value : undefined;
}

function joinedLists(a: ListValue, b: ListValue): ListValue {
  if (a.kind === "items" && b.kind === "items" && a.items.length + b.items.length <= MAX_ITEMS) {
    return { kind: "items", items: [...a.items, ...b.items] };
  }
  return { kind: "joined", a, b };
}
