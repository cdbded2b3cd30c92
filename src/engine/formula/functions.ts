/**
 * Translates function calls to formulas. A function that solvers have is translated to theirs. Of any other function
 * only two things are known: equal arguments give equal values, and the types of the values.
 */

import type { Call, MemberCall } from "../../cel/ast.js";
import type { Overload } from "../../cel/functions/overload.js";
import { overloadsOf } from "../../cel/functions/registry.js";
import { LIST_RELATIONS, type ListRelation } from "../../cel/list-functions.js";
import { parseDuration, parseTimestamp } from "../../cel/time.js";
import type { CelType } from "../../cel/types.js";
import { unknownTerm } from "./attribute-formulas.js";
import type { Formula } from "./formula.js";
import type { OperatorFormulas } from "./operators.js";
import { ERRING, type FormulaTerm, keyOf, type TermType, TYPES } from "./terms.js";
import type { FormulaWorld, TimeText } from "./world.js";

/** Parses a text to nanoseconds, since 1970 or of a duration. Undefined: the text is not valid. */
type ParseNanos = (text: string) => bigint | undefined;

function nanosOfTime(text: string): bigint | undefined {
  const time = parseTimestamp(text);
  return time && BigInt(time.seconds) * 1_000_000_000n + BigInt(time.nanos);
}

export class FunctionFormulas {
  private readonly world: FormulaWorld;
  private readonly operators: OperatorFormulas;

  constructor(world: FormulaWorld, operators: OperatorFormulas) {
    this.world = world;
    this.operators = operators;
  }

  /** The term of a call; undefined if nothing is known about the function. The receiver is the first of `args`. */
  value(expr: Call | MemberCall, args: readonly FormulaTerm[]): FormulaTerm | undefined {
    const [a = ERRING, b = ERRING] = args;
    switch (args.length === 0 ? expr.fn : `${expr.fn}/${args.length}`) {
      case "now":
        return this.now();
      case "timeSince/1":
        return this.since(a);
      case "dyn/1":
      case "id/1":
        return a;
      case "size/1":
        return this.size(a);
      case "startsWith/2":
        return this.test(a, b, (text, part) => this.world.formulas.starts(text, part));
      case "endsWith/2":
        return this.test(a, b, (text, part) => this.world.formulas.ends(text, part));
      case "contains/2":
        return this.test(a, b, (text, part) => this.world.formulas.contains(text, part));
      case "timestamp/1":
        return this.timestamp(a);
      case "duration/1":
        return this.duration(a);
      case "int/1":
        return this.int(a);
      case "double/1":
        return this.double(a);
    }
    const relation = LIST_RELATIONS.get(expr.fn);
    return relation === undefined ? this.typed(expr, args) : this.related(relation, a, b);
  }

  /** Adds facts about the texts that stand in policies: whether each is a time or a duration, and its value. */
  close(): void {
    this.constants(this.world.times, "a time", nanosOfTime);
    this.constants(this.world.durations, "a duration", (text) => parseDuration(text)?.nanos);
  }

  private constants(read: ReadonlyMap<Formula, TimeText>, what: string, parse: ParseNanos): void {
    if (read.size === 0) return;
    const { formulas } = this.world;
    for (const text of this.world.texts) {
      const { isOne, nanos } = this.readText(formulas.text(text), what);
      const value = parse(text);
      this.world.fact(formulas.same(isOne, formulas.bool(value !== undefined)));
      if (value !== undefined) this.world.fact(formulas.same(nanos, formulas.number(value)));
    }
  }

  private readText(text: Formula, what: string): TimeText {
    const { formulas } = this.world;
    return {
      isOne: formulas.unknown("bool", `is ${what}`, [text]),
      nanos: formulas.unknown("real", `nanos of ${what}`, [text]),
    };
  }

  private now(): FormulaTerm {
    return this.world.terms.of("time", { nanos: this.world.now }, this.world.hasNow);
  }

  private since(time: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const known = this.operators.arithmetic("-", this.now(), time);
    const isTime = terms.is(time, "time");
    // `timeSince` is limited to the longest duration where the difference overflows.
    const overflows = formulas.and(isTime, this.world.hasNow, terms.errs(known));
    const nanos = formulas.unknown("real", `longest since ${keyOf(time)}`);
    this.world.dependencies.addTerms(nanos, [time]);
    const longest = terms.of("duration", { nanos });
    return terms.where(isTime, terms.choose(overflows, longest, known));
  }

  private size(of: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const results: FormulaTerm[] = [];
    if (of.text !== undefined)
      results.push(terms.of("int", { number: formulas.length(of.text) }, terms.is(of, "text")));
    if (of.list !== undefined) {
      results.push(terms.of("int", { number: this.operators.size(of.list) }, terms.is(of, "list")));
    }
    const rest = formulas.or(terms.is(of, "map"), terms.is(of, "other"));
    if (rest !== formulas.no) {
      const number = formulas.unknown("real", `size ${keyOf(of)}`);
      this.world.untranslated.addFormula(number);
      this.world.fact(formulas.and(formulas.atMost(formulas.number(0), number), formulas.whole(number)));
      const errs = formulas.unknown("bool", `size errs ${keyOf(of)}`);
      for (const unknown of [number, errs]) this.world.dependencies.addTerms(unknown, [of]);
      const isFine = formulas.and(rest, formulas.not(formulas.and(terms.is(of, "other"), errs)));
      results.push(terms.of("int", { number }, isFine));
    }
    return this.operators.anyOf(results);
  }

  private test(a: FormulaTerm, b: FormulaTerm, holds: (text: Formula, part: Formula) => Formula): FormulaTerm {
    const { formulas, terms } = this.world;
    if (a.text === undefined || b.text === undefined) return ERRING;
    return terms.bool(holds(a.text, b.text), formulas.and(terms.is(a, "text"), terms.is(b, "text")));
  }

  private timestamp(of: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const isWhole = formulas.or(terms.is(of, "int"), terms.is(of, "other"));
    const results = [
      terms.where(terms.is(of, "time"), of),
      this.parsed(of, "time", "a time", this.world.times, nanosOfTime),
      terms.where(isWhole, this.only(unknownTerm(this.world, `timestamp ${keyOf(of)}`), ["time"])),
    ];
    return this.operators.anyOf(results);
  }

  private duration(of: FormulaTerm): FormulaTerm {
    const { terms } = this.world;
    const parse: ParseNanos = (text) => parseDuration(text)?.nanos;
    const results = [
      terms.where(terms.is(of, "duration"), of),
      this.parsed(of, "duration", "a duration", this.world.durations, parse),
      terms.where(terms.is(of, "other"), this.only(unknownTerm(this.world, `duration ${keyOf(of)}`), ["duration"])),
    ];
    return this.operators.anyOf(results);
  }

  /** A text that is parsed as a time or a duration. It errs if the text is not valid. */
  private parsed(
    of: FormulaTerm,
    type: "time" | "duration",
    what: string,
    read: Map<Formula, TimeText>,
    parse: ParseNanos,
  ): FormulaTerm {
    const { formulas, terms } = this.world;
    const { text } = of;
    if (text === undefined) return ERRING;
    if (text.op === "constant") {
      const nanos = parse(String(text.value));
      return nanos === undefined ? ERRING : terms.of(type, { nanos: formulas.number(nanos) }, terms.is(of, "text"));
    }
    const known = this.readText(text, what);
    const { isOne, nanos } = known;
    if (!read.has(text)) {
      read.set(text, known);
      const range = type === "time" ? this.world.isMoment(nanos) : formulas.whole(nanos);
      this.world.fact(formulas.implies(isOne, range));
      this.world.prefer(formulas.implies(isOne, this.world.inSeconds(nanos)));
    }
    return terms.of(type, { nanos }, formulas.and(terms.is(of, "text"), isOne));
  }

  private int(of: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const results: FormulaTerm[] = [terms.where(terms.is(of, "int"), of)];
    if (of.number !== undefined) {
      const zero = formulas.number(0);
      const down = formulas.floor(of.number);
      const up = formulas.difference(zero, formulas.floor(formulas.difference(zero, of.number)));
      const number = formulas.choose(formulas.atMost(zero, of.number), down, up);
      const limit = formulas.number(2n ** 63n);
      const isFine = formulas.and(
        terms.is(of, "double"),
        formulas.not(of.nan ?? formulas.no),
        formulas.less(formulas.difference(zero, limit), of.number),
        formulas.less(of.number, limit),
      );
      results.push(terms.of("int", { number }, isFine));
    }
    const rest = this.anyIs(of, ["uint", "text", "time", "duration", "other"]);
    if (rest !== formulas.no)
      results.push(terms.where(rest, this.only(unknownTerm(this.world, `int ${keyOf(of)}`), ["int"])));
    return this.operators.anyOf(results);
  }

  private double(of: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const rest = this.anyIs(of, ["int", "uint", "text", "other"]);
    const results = [terms.where(terms.is(of, "double"), of)];
    if (rest !== formulas.no) {
      results.push(terms.where(rest, this.only(unknownTerm(this.world, `double ${keyOf(of)}`), ["double"])));
    }
    return this.operators.anyOf(results);
  }

  private anyIs(of: FormulaTerm, types: readonly TermType[]): Formula {
    return this.world.formulas.or(...types.map((type) => this.world.terms.is(of, type)));
  }

  private related(relation: ListRelation, a: FormulaTerm, b: FormulaTerm): FormulaTerm {
    const { formulas, terms } = this.world;
    const [x, y] = [a.list, b.list];
    if (x === undefined || y === undefined) return ERRING;
    const holds = () => {
      switch (relation) {
        case "intersects":
          return this.intersects(x, y);
        case "within":
          return this.isSubset(x, y);
        case "contains":
          return this.isSubset(y, x);
        case "equivalent":
          return formulas.and(this.isSubset(x, y), this.isSubset(y, x));
      }
    };
    return terms.bool(holds(), formulas.and(terms.is(a, "list"), terms.is(b, "list")));
  }

  private intersects(a: NonNullable<FormulaTerm["list"]>, b: NonNullable<FormulaTerm["list"]>): Formula {
    // Takes the elements of the list that is known and looks for each in the other list.
    const [known, other] = b.kind === "items" ? [b, a] : [a, b];
    return this.operators.some(known, (element) => this.isIn(element, other)).some;
  }

  private isSubset(a: NonNullable<FormulaTerm["list"]>, b: NonNullable<FormulaTerm["list"]>): Formula {
    const { formulas } = this.world;
    const outside = this.operators.some(a, (element) => {
      const { holds, fails } = this.isIn(element, b);
      return { holds: fails, fails: holds };
    });
    return formulas.not(outside.some);
  }

  private isIn(
    element: FormulaTerm,
    list: NonNullable<FormulaTerm["list"]>,
  ): { readonly holds: Formula; readonly fails: Formula } {
    const holds = this.operators.isIn(element, list);
    return { holds, fails: this.world.formulas.not(holds) };
  }

  /** A call to a function with known types. */
  private typed(expr: Call | MemberCall, args: readonly FormulaTerm[]): FormulaTerm | undefined {
    const style = expr.kind === "call" ? "global" : "member";
    const all = overloadsOf(expr.fn, style);
    // At another level of the policy language, a function of the same name is another function.
    const level = all[expr.overload ?? -1]?.level;
    const name = level === undefined ? expr.fn : `${expr.fn} of ${level}`;
    const overloads = all.filter(
      (one) => one.params.length === args.length && (level === undefined || one.level === level),
    );
    if (overloads.length === 0 || overloads.some(({ isMisdeclared }) => isMisdeclared)) return undefined;
    const [only] = overloads;
    const plain = only !== undefined && overloads.length === 1 ? this.plain(name, only, args) : undefined;
    if (plain !== undefined) return plain;
    const results = overloads.flatMap(({ result }) => typesOf(result) ?? TYPES);
    const { formulas, terms } = this.world;
    const value = unknownTerm(this.world, `${style} ${name} ${args.map(keyOf).join(" & ")}`);
    // Lazy arguments are evaluated only where they are needed, and may err elsewhere.
    const needed = LAZY.has(expr.fn) ? args.slice(0, 1) : args;
    return terms.where(formulas.and(...needed.map((arg) => terms.exists(arg))), this.only(value, results));
  }

  /** A function of texts, whole numbers and times, as an uninterpreted function of the solver. */
  private plain(fn: string, { params, result }: Overload, args: readonly FormulaTerm[]): FormulaTerm | undefined {
    const { formulas, terms } = this.world;
    const [type] = typesOf(result) ?? [];
    if (type === undefined || !(type in SORTS)) return undefined;
    const guards: Formula[] = [];
    const given: Formula[] = [];
    for (const [i, param] of params.entries()) {
      const arg = args[i] ?? ERRING;
      const wanted = PLAIN.get(param.kind);
      if (wanted === undefined) return undefined;
      const payload = { text: arg.text, int: arg.number, time: arg.nanos }[wanted];
      if (payload === undefined) return ERRING;
      guards.push(terms.is(arg, wanted));
      given.push(payload);
    }
    const name = `${fn} of ${params.map(({ kind }) => kind).join()}`;
    const exists = formulas.and(...guards, formulas.not(formulas.unknown("bool", `${name} errs`, given)));
    const made = (sort: "bool" | "real" | "text") => {
      const value = formulas.unknown(sort, name, given);
      this.world.untranslated.addFormula(value);
      return value;
    };
    switch (type) {
      case "bool":
        return terms.bool(made("bool"), exists);
      case "text":
        return terms.of("text", { text: made("text") }, exists);
      case "int": {
        const number = made("real");
        this.world.fact(formulas.whole(number));
        return terms.of("int", { number }, exists);
      }
      default:
        return undefined;
    }
  }

  /** A value restricted to some types. Where it has another type, it errs. */
  private only(term: FormulaTerm, types: readonly TermType[]): FormulaTerm {
    const is: { [type in TermType]?: Formula } = {};
    for (const type of types) is[type] = this.world.terms.is(term, type);
    return { ...term, is };
  }
}

const LAZY: ReadonlySet<string> = new Set(["or", "orValue"]);

const SORTS = { bool: true, text: true, int: true };

/** The parameter types of plain functions. */
const PLAIN: ReadonlyMap<CelType["kind"], "text" | "int" | "time"> = new Map([
  ["string", "text"],
  ["int", "int"],
  ["timestamp", "time"],
]);

/** The result types of functions. */
const BY_KIND: ReadonlyMap<CelType["kind"], TermType> = new Map<CelType["kind"], TermType>([
  ["bool", "bool"],
  ["int", "int"],
  ["uint", "uint"],
  ["double", "double"],
  ["string", "text"],
  ["list", "list"],
  ["bytes", "other"],
  ["type", "other"],
  ["opaque", "other"],
]);

/** The term types of a declared type; undefined means any type. */
function typesOf({ kind }: CelType): readonly TermType[] | undefined {
  const type = BY_KIND.get(kind);
  return type === undefined ? undefined : [type];
}
