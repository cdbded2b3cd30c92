/**
 * Executes the code of an operand on all requests at once: its value and its flag as formulas.
 *
 * Every path of the code is followed, each with the formula of the requests that take it. Code that this file does not
 * know has no value here, and `unknown` says why. Where JavaScript would throw, or convert a value of another type,
 * nothing is claimed: {@link SymbolicCode.stuck} says for which requests.
 *
 * The helpers that the code calls are not executed. Each stands for its specification, which tests hold it to
 * (`engine/generate/answers.ts`). A helper that counts steps may decline at any time. The steps themselves are not
 * followed: see the invariant "budget of generated code" of `engine/frame/budget.ts`.
 */

import type { AssignmentExpression, BinaryExpression, CallExpression, Expression, MemberExpression } from "acorn";
import type { Formula, Formulas } from "../../engine/formula/formula.js";
import { OperatorFormulas } from "../../engine/formula/operators.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import { MAX_CHAR } from "../../engine/formula/smtlib.js";
import type { FormulaTerm } from "../../engine/formula/terms.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { LONG_TEXT } from "../../engine/frame/budget.js";
import type { AheadValue } from "./judge-syntax.js";
import type { IndexSyntax, SearchSyntax } from "./search-syntax.js";
import {
  boolValue,
  type CodeType,
  type CodeValue,
  chosenValue,
  type HelperAnswer,
  lengthValue,
  NEVER,
  numberValue,
  type PlainValue,
  textValue,
} from "./symbolic-values.js";

/** The values of the names that the code may read. */
export interface CodeNames {
  /** A value of the request; undefined for other names. */
  valueOf(name: string): PlainValue | undefined;
  /** The values that were evaluated before the code. */
  readonly aheads: readonly AheadValue[];
  /** The functions that the code may call, and the indexes that it may give to them. */
  readonly searches: ReadonlyMap<string, SearchSyntax>;
  readonly indexes: ReadonlyMap<string, IndexSyntax>;
  /** When all elements of a list are texts. Undefined: it is not known. */
  areTexts(list: RawValue): Formula | undefined;
}

interface TemporaryValue {
  readonly value: CodeValue;
  /** When it has been assigned. */
  readonly when: Formula;
}

export class SymbolicCode {
  /** The first reason for which the code has no translation. */
  unknown: string | undefined;
  private readonly world: FormulaWorld;
  private readonly formulas: Formulas;
  private readonly operators: OperatorFormulas;
  private readonly names: CodeNames;
  private readonly temps = new Map<string, TemporaryValue>();
  private readonly stuckAt: Formula[] = [];
  /** The offset before which a value must have been evaluated ahead. */
  private before = 0;
  private flag: Formula;
  private answers = 0;

  constructor(world: FormulaWorld, names: CodeNames) {
    this.world = world;
    this.formulas = world.formulas;
    this.operators = new OperatorFormulas(world);
    this.names = names;
    this.flag = this.formulas.no;
  }

  /**
   * Executes an operand, which begins at `at`. When its value is true? Read {@link isFlagged} afterwards. Nothing is
   * claimed of an unset flag beside a value that is not a boolean.
   */
  run(code: Expression, at: number): Formula {
    const { yes } = this.formulas;
    this.before = at;
    const value = this.plain(this.value(code, yes));
    this.only(value, ["bool"], this.formulas.not(this.flag));
    return this.truth(value, yes);
  }

  /** When the flag is set. */
  get isFlagged(): Formula {
    return this.flag;
  }

  /** When the code does something that has no formula. */
  get stuck(): Formula {
    return this.formulas.or(...this.stuckAt);
  }

  private untold(why: string): PlainValue {
    this.unknown ??= why;
    return NEVER;
  }

  private stuckWhere(path: Formula, when: Formula): void {
    const both = this.formulas.and(path, when);
    if (both !== this.formulas.no) this.stuckAt.push(both);
  }

  /** Claims nothing where a value has none of these types. */
  private only(value: PlainValue, types: readonly CodeType[], path: Formula): void {
    this.stuckWhere(path, this.formulas.not(this.isOf(value, ...types)));
  }

  private isOf(value: PlainValue, ...types: readonly CodeType[]): Formula {
    return this.formulas.or(...types.map((type) => value.is[type] ?? this.formulas.no));
  }

  /** `path`: the requests for which the code is reached. */
  private value(code: Expression, path: Formula): CodeValue {
    const { formulas } = this;
    switch (code.type) {
      case "Literal":
        return this.literal(code.value, code.raw);
      case "Identifier":
        return this.read(code.name, path);
      case "UnaryExpression": {
        const of = this.value(code.argument, path);
        if (code.operator === "!") return boolValue(formulas.not(this.truth(of, path)), formulas);
        return code.operator === "-" ? this.negative(of, path) : this.untold(`code with ${code.operator}`);
      }
      case "BinaryExpression":
        return this.binary(code, path);
      case "LogicalExpression": {
        if (code.operator === "??") return this.untold("code with ??");
        const left = this.value(code.left, path);
        const test = this.truth(left, path);
        const goesOn = code.operator === "&&" ? test : formulas.not(test);
        const right = this.value(code.right, formulas.and(path, goesOn));
        return this.chosen(goesOn, right, left);
      }
      case "ConditionalExpression": {
        const test = this.truth(this.value(code.test, path), path);
        const yes = this.value(code.consequent, formulas.and(path, test));
        const no = this.value(code.alternate, formulas.and(path, formulas.not(test)));
        return this.chosen(test, yes, no);
      }
      case "SequenceExpression":
        return code.expressions.reduce<CodeValue>((_, one) => this.value(one, path), NEVER);
      case "AssignmentExpression":
        return this.assignment(code, path);
      case "MemberExpression":
        return this.member(code, path);
      case "CallExpression":
        return this.call(code, path);
      default:
        return this.untold(`code of the form ${code.type}`);
    }
  }

  private chosen(test: Formula, a: CodeValue, b: CodeValue): CodeValue {
    return chosenValue(test, a, b, this.formulas) ?? this.untold("a choice of two values");
  }

  private literal(value: unknown, raw: string | undefined): PlainValue {
    const { formulas } = this;
    if (typeof value === "boolean") return boolValue(formulas.bool(value), formulas);
    if (typeof value === "number" && Number.isFinite(value)) {
      const isLength = Number.isInteger(value) && Math.abs(value) < MAX_UNITS;
      return { ...numberValue(formulas.number(value), formulas), isLength };
    }
    if (value === null && raw === "null") return { kind: "plain", is: { null: formulas.yes } };
    if (typeof value !== "string") return this.untold("a literal of another type");
    return textValue(this.text(value), formulas);
  }

  /** A text constant. Solvers do not have all characters. */
  private text(value: string): Formula {
    const isKnown = Array.from(value).every((char) => (char.codePointAt(0) ?? 0) <= MAX_CHAR);
    if (!isKnown) this.untold("a character beyond those of solvers");
    return this.world.text(isKnown ? value : "");
  }

  private read(name: string, path: Formula): CodeValue {
    if (name === "undefined") return { kind: "plain", is: { undefined: this.formulas.yes } };
    if (name === "z") return { kind: "flag", set: this.flag };
    const value = this.names.valueOf(name);
    if (value !== undefined) return value;
    const known = this.temps.get(name) ?? this.evaluatedAhead(name);
    if (known === undefined) return this.untold(OF_TIMES.test(name) ? TIMES : `the name ${name}`);
    this.stuckWhere(path, this.formulas.not(known.when));
    return known.value;
  }

  /** Executes the code that was evaluated ahead: from an unset flag, for every request. */
  private evaluatedAhead(name: string): TemporaryValue | undefined {
    const ahead = this.names.aheads.find((one) => one.end <= this.before && (one.name === name || one.flag === name));
    if (ahead === undefined) return undefined;
    const { before, flag } = this;
    const temps = [...this.temps];
    const when = this.formulas.yes;
    this.before = ahead.value.start;
    this.flag = this.formulas.no;
    this.temps.clear();
    const value = this.value(ahead.value, when);
    const failed: CodeValue = { kind: "flag", set: this.flag };
    this.before = before;
    this.flag = flag;
    // No other code reads the temporary variables inside it.
    this.temps.clear();
    for (const [other, known] of temps) this.temps.set(other, known);
    this.temps.set(ahead.name, { value, when }).set(ahead.flag, { value: failed, when });
    return this.temps.get(name);
  }

  /** When a value counts as true. */
  private truth(value: CodeValue, path: Formula): Formula {
    const { formulas } = this;
    if (value.kind === "flag") return value.set;
    if (value.kind === "answer") return formulas.not(this.isAnswer(value, 0));
    const { bool, number, nan = formulas.no, text } = value;
    this.stuckWhere(path, this.isOf(value, "other"));
    return formulas.or(
      formulas.and(this.isOf(value, "bool"), bool ?? formulas.no),
      number === undefined
        ? formulas.no
        : formulas.and(
            this.isOf(value, "number"),
            formulas.not(nan),
            formulas.not(formulas.same(number, formulas.number(0))),
          ),
      text === undefined
        ? formulas.no
        : formulas.and(this.isOf(value, "text"), formulas.not(formulas.same(text, formulas.text("")))),
      this.isOf(value, "list", "map", "object"),
    );
  }

  private isAnswer({ yes, asks, isFree }: HelperAnswer, bits: number): Formula {
    const { formulas } = this;
    const is = (bit: Formula, mask: number) => ((bits & mask) === 0 ? formulas.not(bit) : bit);
    return formulas.and(is(yes, 1), is(asks, 2), isFree);
  }

  private plain(value: CodeValue): PlainValue {
    return value.kind === "plain" ? value : this.untold("the answer of a helper as a value");
  }

  private negative(of: CodeValue, path: Formula): PlainValue {
    const value = this.plain(of);
    this.only(value, ["number"], path);
    const { formulas } = this;
    const zero = formulas.number(0);
    return numberValue(formulas.difference(zero, value.number ?? zero), formulas, value.nan);
  }

  private binary(code: BinaryExpression, path: Formula): CodeValue {
    const { formulas } = this;
    const { operator, left, right } = code;
    if (left.type === "PrivateIdentifier") return this.untold("a private name");
    switch (operator) {
      case "===":
        return boolValue(this.equality(left, right, path), formulas);
      case "!==":
        return boolValue(formulas.not(this.equality(left, right, path)), formulas);
      case "<":
      case "<=":
      case ">":
      case ">=":
        return boolValue(this.order(operator, left, right, path), formulas);
      case "+":
      case "-":
      case "*":
      case "/":
        return this.arithmetic(operator, left, right, path);
      case "&": {
        const answer = this.value(left, path);
        const mask = right.type === "Literal" ? right.value : undefined;
        if (answer.kind !== "answer" || (mask !== 1 && mask !== 2)) return this.untold("code with &");
        const bit = mask === 1 ? answer.yes : answer.asks;
        return numberValue(formulas.choose(bit, formulas.number(mask), formulas.number(0)), formulas);
      }
      default:
        return this.untold(`code with ${operator}`);
    }
  }

  private equality(left: Expression, right: Expression, path: Formula): Formula {
    if (left.type === "UnaryExpression" && left.operator === "typeof") {
      return this.hasType(this.plain(this.value(left.argument, path)), right);
    }
    const a = this.value(left, path);
    const constant = right.type === "Literal" ? right.value : undefined;
    if (a.kind === "flag" && constant === 0) return this.formulas.not(a.set);
    if (a.kind === "answer" && typeof constant === "number" && [0, 1, 2, 3].includes(constant)) {
      return this.isAnswer(a, constant);
    }
    return this.same(this.plain(a), this.plain(this.value(right, path)), path);
  }

  private hasType(value: PlainValue, type: Expression): Formula {
    const types = type.type === "Literal" && typeof type.value === "string" ? TYPES_OF.get(type.value) : undefined;
    if (types !== undefined) return this.isOf(value, ...types);
    this.untold("code with typeof");
    return this.formulas.no;
  }

  /** `a === b`. Whether two objects are the same one is not known. */
  private same(a: PlainValue, b: PlainValue, path: Formula): Formula {
    const { formulas } = this;
    const both = (type: CodeType) => formulas.and(this.isOf(a, type), this.isOf(b, type));
    const payload = (type: CodeType, x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? formulas.no : formulas.and(both(type), formulas.same(x, y));
    this.stuckWhere(path, formulas.or(...OBJECTS.map(both)));
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

  private order(operator: "<" | "<=" | ">" | ">=", left: Expression, right: Expression, path: Formula): Formula {
    const { formulas } = this;
    const [a, b] = [this.plain(this.value(left, path)), this.plain(this.value(right, path))];
    this.only(a, ["number"], path);
    this.only(b, ["number"], path);
    const zero = formulas.number(0);
    const [x, y] = [a.number ?? zero, b.number ?? zero];
    const [low, high] = operator === "<" || operator === "<=" ? [x, y] : [y, x];
    const isOrdered = operator === "<" || operator === ">" ? formulas.less(low, high) : formulas.atMost(low, high);
    return formulas.and(formulas.not(a.nan ?? formulas.no), formulas.not(b.nan ?? formulas.no), isOrdered);
  }

  private arithmetic(operator: "+" | "-" | "*" | "/", left: Expression, right: Expression, path: Formula): PlainValue {
    const { formulas } = this;
    const [a, b] = [this.plain(this.value(left, path)), this.plain(this.value(right, path))];
    if (operator === "+" && a.text !== undefined && b.text !== undefined) {
      this.only(a, ["text"], path);
      this.only(b, ["text"], path);
      return textValue(formulas.join(a.text, b.text), formulas);
    }
    this.only(a, ["number"], path);
    this.only(b, ["number"], path);
    const zero = formulas.number(0);
    if (operator === "-" && left.type === "Identifier" && right.type === "Identifier" && left.name === right.name) {
      return numberValue(zero, formulas, formulas.not(this.isFinite(a)));
    }
    // Formulas have one zero, and a quotient tells 0 from -0.
    const isDivisor = b.number?.op === "constant" && b.number !== zero && b.nan === formulas.no;
    if (operator === "/" && !isDivisor) return this.untold("a quotient of two values of the request");
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

  private isFinite({ number, nan = this.formulas.no }: PlainValue): Formula {
    const { formulas } = this;
    if (number === undefined) return formulas.no;
    const isBelow = formulas.less(number, formulas.number(Number.POSITIVE_INFINITY));
    const isAbove = formulas.less(formulas.number(Number.NEGATIVE_INFINITY), number);
    return formulas.and(formulas.not(nan), isBelow, isAbove);
  }

  private assignment({ operator, left, right }: AssignmentExpression, path: Formula): CodeValue {
    const { formulas } = this;
    if (left.type !== "Identifier") return this.untold("another assignment");
    const { name } = left;
    if (name === "k") {
      const isCount = operator === "+=" && right.type === "BinaryExpression" && right.operator === ">>";
      return isCount && right.left.type === "Identifier" && TEMPORARY.test(right.left.name)
        ? numberValue(formulas.unknown("real", `steps ${++this.answers}`), formulas)
        : this.untold("another count of steps");
    }
    const value = this.value(right, path);
    if (name === "z") {
      const isBit = operator === "|=" && right.type === "BinaryExpression" && right.operator === "&";
      const isOne = operator === "=" && right.type === "Literal" && right.value === 1;
      if (!isBit && !isOne) return this.untold("another change of the flag");
      this.flag = formulas.or(this.flag, formulas.and(path, this.truth(value, path)));
      return isOne ? value : { kind: "flag", set: this.flag };
    }
    if (operator !== "=" || !TEMPORARY.test(name)) return this.untold("another assignment");
    const before = this.temps.get(name);
    this.temps.set(name, {
      value: before === undefined ? value : this.chosen(path, value, before.value),
      when: formulas.or(path, before?.when ?? formulas.no),
    });
    return value;
  }

  private member({ object, property, computed, optional }: MemberExpression, path: Formula): PlainValue {
    const isLength = !computed && !optional && property.type === "Identifier" && property.name === "length";
    if (object.type === "Super" || !isLength) return this.untold("it reads elements of a list");
    const of = this.plain(this.value(object, path));
    this.only(of, ["text", "list"], path);
    const { formulas } = this;
    const size = of.list && this.world.sizeOf(of.list);
    const units = of.text && this.units(of.text);
    const number =
      size !== undefined && units !== undefined
        ? formulas.choose(this.isOf(of, "list"), size, units)
        : (size ?? units ?? formulas.number(0));
    return lengthValue(number, formulas);
  }

  /** The length of a text in code units. That of a text of the request is any length, and equal for equal texts. */
  private units(text: Formula): Formula {
    const { formulas } = this;
    if (text.op === "constant") return formulas.number(String(text.value).length);
    if (text.op === "text.join") return text.args.map((part) => this.units(part)).reduce((a, b) => formulas.sum(a, b));
    const units = formulas.unknown("real", "code units", [text]);
    this.world.fact(formulas.atMost(formulas.number(0), units));
    return units;
  }

  private call(code: CallExpression, path: Formula): CodeValue {
    const { formulas } = this;
    const { callee } = code;
    if (code.optional || callee.type === "Super") return this.untold("another call");
    const given: Expression[] = [];
    for (const one of code.arguments) {
      if (one.type === "SpreadElement") return this.untold("another call");
      given.push(one);
    }
    if (callee.type === "MemberExpression") return this.method(callee, given, path);
    if (callee.type !== "Identifier") return this.untold("another call");
    const [first, second, third] = given;
    switch (`${callee.name}/${given.length}`) {
      case "D/1":
        return boolValue(this.isData(this.argument(first, path)), formulas);
      case "L/1":
        return boolValue(this.isOf(this.argument(first, path), "list"), formulas);
      case "U/1": {
        const of = this.argument(first, path);
        this.only(of, ["text"], path);
        return numberValue(of.text === undefined ? formulas.number(0) : formulas.length(of.text), formulas);
      }
      case "S/3":
        return this.counting(third, this.sameAnswer(this.argument(first, path), this.argument(second, path)));
      case "C/3":
        return this.counting(third, this.containsAnswer(this.argument(first, path), this.argument(second, path)));
      case "H/3": {
        const [list, text] = [this.argument(first, path), this.argument(third, path)];
        this.only(text, ["text"], path);
        return this.counting(second, this.hasAnswer(list, text));
      }
      case "J/4":
        return this.isBuilt(
          given.map((one) => this.argument(one, path)),
          path,
        );
      default:
        if (this.names.searches.has(callee.name)) return this.searched(callee.name, given, path);
        return this.untold(
          HELPERS.get(callee.name) ?? (/^f\d+$/.test(callee.name) ? SEARCH : `a call of ${callee.name}`),
        );
    }
  }

  private argument(code: Expression | undefined, path: Formula): PlainValue {
    return code === undefined ? NEVER : this.plain(this.value(code, path));
  }

  /** `a.startsWith(b)` and `a.endsWith(b)`. */
  private method(
    { object, property, computed, optional }: MemberExpression,
    [part, ...more]: readonly Expression[],
    path: Formula,
  ): PlainValue {
    const { formulas } = this;
    const name = !computed && !optional && property.type === "Identifier" ? property.name : "";
    if (object.type !== "Super" && name === "charCodeAt" && more.length === 0) {
      return this.unitAt(this.plain(this.value(object, path)), this.argument(part, path), path);
    }
    if (object.type === "Super" || (name !== "startsWith" && name !== "endsWith") || more.length > 0) {
      return this.untold("another call");
    }
    const [a, b] = [this.plain(this.value(object, path)), this.argument(part, path)];
    this.only(a, ["text"], path);
    this.only(b, ["text"], path);
    const empty = formulas.text("");
    const test =
      name === "startsWith"
        ? formulas.starts(a.text ?? empty, b.text ?? empty)
        : formulas.ends(a.text ?? empty, b.text ?? empty);
    return boolValue(test, formulas);
  }

  /** `text.charCodeAt(at)`. */
  private unitAt(of: PlainValue, at: PlainValue, path: Formula): PlainValue {
    const { formulas } = this;
    this.only(of, ["text"], path);
    this.only(at, ["number"], path);
    if (of.text === undefined || at.number === undefined) return this.untold("another call");
    const isThere = formulas.and(
      formulas.atMost(formulas.number(0), at.number),
      formulas.less(at.number, this.units(of.text)),
    );
    return numberValue(this.unit(of.text, at.number), formulas, formulas.not(isThere));
  }

  /** The code unit of a text at a place inside it. */
  private unit(text: Formula, at: Formula): Formula {
    const { formulas } = this;
    const [a, b] = text.op === "text.join" ? text.args : [];
    if (a === undefined || b === undefined) return formulas.unknown("real", "code unit", [text, at]);
    const length = this.units(a);
    const later = this.unit(b, formulas.difference(at, length));
    return formulas.choose(formulas.less(at, length), this.unit(a, at), later);
  }

  /** `isBuilt` of `answers.ts`. Of texts with another length than the parts together, nothing is known. */
  private isBuilt(values: readonly PlainValue[], path: Formula): PlainValue {
    const { formulas, world } = this;
    for (const one of values) this.only(one, ["text"], path);
    const [text, prefix, middle, suffix] = values.map((one) => one.text);
    if (text === undefined || prefix === undefined || middle === undefined || suffix === undefined) {
      return this.untold("another call");
    }
    const is = formulas.unknown("bool", "is built", [text, prefix, middle, suffix]);
    const whole = formulas.join(formulas.join(prefix, middle), suffix);
    const isAsLong = formulas.same(this.units(text), this.units(whole));
    world.fact(formulas.implies(isAsLong, formulas.same(is, formulas.same(text, whole))));
    return boolValue(is, formulas);
  }

  /** The answer of a function that searches a list: see `search-syntax.ts`. */
  private searched(name: string, given: readonly Expression[], path: Formula): CodeValue {
    const { formulas, world } = this;
    const search = this.names.searches.get(name);
    const [first, steps, ...more] = given;
    const list = this.argument(first, path);
    if (search === undefined || list.list === undefined) return this.untold(SEARCH);
    const { lookup, texts, constants } = search;
    const index = lookup === undefined ? undefined : this.indexOf(more.shift(), list.list);
    if (more.length !== texts.length) return this.untold(SEARCH);
    const bound = new Map<string, PlainValue>();
    for (const [i, text] of texts.entries()) {
      const value = this.argument(more[i], path);
      this.only(value, ["text"], path);
      bound.set(text, value);
    }
    const inside = this.inside(bound);
    for (const { name: constant, value } of constants) {
      bound.set(constant, inside.plain(inside.value(value, formulas.yes)));
    }
    this.unknown ??= inside.whyUnclear;
    const { some } = world.some(list.list, (element) => {
      const holds = formulas.and(world.terms.is(element, "text"), this.passes(search, bound, element.text));
      return { holds, fails: formulas.not(holds) };
    });
    const areTexts = search.areTexts ? this.names.areTexts(list.list) : undefined;
    const isList = formulas.and(this.isOf(list, "list"), areTexts ?? formulas.yes);
    if (lookup === undefined) return this.counting(steps, this.declining(isList, some));
    const found = index && this.lookup(lookup, index, bound, list.list);
    if (found === undefined) return this.untold(SEARCH);
    const isFound = formulas.choose(this.any("is of an index"), found, some);
    return this.counting(steps, this.declining(isList, isFound));
  }

  /** Whether an element of a list passes one of the tests. */
  private passes({ tests }: SearchSyntax, bound: ReadonlyMap<string, PlainValue>, text: Formula | undefined): Formula {
    const { formulas } = this;
    if (text === undefined) return formulas.no;
    const names = new Map(bound).set("s", textValue(text, formulas)).set("w", lengthValue(this.units(text), formulas));
    const inside = this.inside(names);
    const passes = tests.map((test) => inside.truth(inside.value(test, formulas.yes), formulas.yes));
    this.unknown ??= inside.whyUnclear;
    return formulas.or(...passes);
  }

  /** Code inside another function, with its own names. It is always reached. */
  private inside(bound: ReadonlyMap<string, PlainValue>): SymbolicCode {
    return new SymbolicCode(this.world, {
      valueOf: (name) => bound.get(name),
      aheads: [],
      searches: new Map(),
      indexes: new Map(),
      areTexts: () => undefined,
    });
  }

  /** Why code inside another function has no translation. None of it may be stuck, set the flag or ask a helper. */
  private get whyUnclear(): string | undefined {
    const isClear = this.stuck === this.formulas.no && this.flag === this.formulas.no && this.answers === 0;
    return this.unknown ?? (isClear ? undefined : SEARCH);
  }

  /** The index that a name stands for, if it is the index of this list. */
  private indexOf(code: Expression | undefined, list: RawValue): IndexSyntax | undefined {
    const index = code?.type === "Identifier" ? this.names.indexes.get(code.name) : undefined;
    return index !== undefined && this.names.valueOf(index.list)?.list === list ? index : undefined;
  }

  /** `b.has || K(m0, b.middles[0]) || …`: whether a list has one of the texts of its index. Undefined: other code. */
  private lookup(
    code: Expression,
    index: IndexSyntax,
    bound: ReadonlyMap<string, PlainValue>,
    list: RawValue,
  ): Formula | undefined {
    const { formulas, world } = this;
    const isIn = (text: Formula) => world.isIn(world.terms.of("text", { text }), list);
    if (code.type === "LogicalExpression" && code.operator === "||") {
      const [left, right] = [code.left, code.right].map((one) => this.lookup(one, index, bound, list));
      return left && right && formulas.or(left, right);
    }
    if (code.type === "MemberExpression" && isOf(code, "has")) {
      return formulas.or(...index.known.map((text) => isIn(this.text(text))));
    }
    if (code.type !== "CallExpression" || code.callee.type !== "Identifier") return undefined;
    const [middle, place, ...more] = code.arguments;
    if (code.callee.name !== "K" || middle?.type !== "Identifier" || more.length > 0) return undefined;
    if (place?.type !== "MemberExpression" || !place.computed || place.property.type !== "Literal") return undefined;
    const { object, property } = place;
    if (object.type !== "MemberExpression" || !isOf(object, "middles")) return undefined;
    const text = bound.get(middle.name)?.text;
    const [prefix, suffix] = index.built[Number(property.value)] ?? [];
    if (text === undefined || prefix === undefined || suffix === undefined) return undefined;
    return isIn(formulas.join(formulas.join(this.text(prefix), text), this.text(suffix)));
  }

  private isData(value: PlainValue): Formula {
    const { formulas } = this;
    const number = formulas.and(this.isOf(value, "number"), this.isFinite(value));
    return formulas.or(this.isOf(value, "null", "bool", "text", "list", "map"), number);
  }

  /** An answer of a helper that gets the steps so far. */
  private counting(steps: Expression | undefined, answer: Pick<HelperAnswer, "yes" | "asks">): CodeValue {
    if (steps?.type !== "Identifier" || steps.name !== "k") return this.untold("another count of steps");
    return { kind: "answer", ...answer, isFree: this.any("counts no steps") };
  }

  /** The answer of a helper that may decline; `is` where `knows` holds. */
  private declining(knows: Formula, is: Formula): Pick<HelperAnswer, "yes" | "asks"> {
    const { formulas } = this;
    const asks = formulas.or(formulas.not(knows), this.any("declines"));
    return { yes: formulas.and(formulas.not(asks), is), asks };
  }

  private any(what: string): Formula {
    return this.formulas.unknown("bool", `answer ${++this.answers} ${what}`);
  }

  /** `same` of `answers.ts`. */
  private sameAnswer(a: PlainValue, b: PlainValue): Pick<HelperAnswer, "yes" | "asks"> {
    const { formulas } = this;
    const both = (type: CodeType) => formulas.and(this.isOf(a, type), this.isOf(b, type));
    const numbers = formulas.and(both("number"), this.isFinite(a), this.isFinite(b));
    const is = (guard: Formula, x: Formula | undefined, y: Formula | undefined) =>
      x === undefined || y === undefined ? formulas.no : formulas.and(guard, formulas.same(x, y));
    return this.declining(
      formulas.or(both("text"), both("bool"), numbers),
      formulas.or(is(both("text"), a.text, b.text), is(both("bool"), a.bool, b.bool), is(numbers, a.number, b.number)),
    );
  }

  /** `contains` of `answers.ts`. */
  private containsAnswer(a: PlainValue, b: PlainValue): Pick<HelperAnswer, "yes" | "asks"> {
    const { formulas } = this;
    const texts = formulas.and(this.isOf(a, "text"), this.isOf(b, "text"));
    const found = a.text === undefined || b.text === undefined ? formulas.no : formulas.contains(a.text, b.text);
    return this.declining(texts, found);
  }

  /** `has` of `answers.ts`. */
  private hasAnswer(list: PlainValue, { text }: PlainValue): Pick<HelperAnswer, "yes" | "asks"> {
    const { formulas, world } = this;
    if (list.list === undefined || text === undefined) return this.declining(formulas.no, formulas.no);
    const isShort = formulas.less(this.units(text), formulas.number(LONG_TEXT));
    const isIn = world.isIn(world.terms.of("text", { text }), list.list);
    return this.declining(formulas.and(this.isOf(list, "list"), isShort), isIn);
  }
}

/** Whether code is `b.name`. */
function isOf({ object, property, computed, optional }: MemberExpression, name: string): boolean {
  const isMember = !computed && !optional && property.type === "Identifier" && property.name === name;
  return isMember && object.type === "Identifier" && object.name === "b";
}

/** No engine has texts or lists of such a length. */
const MAX_UNITS = 2 ** 32;

const TEMPORARY = /^t\d+$/;

const OBJECTS = ["list", "map", "object", "other"] as const;

const TYPES_OF: ReadonlyMap<string, readonly CodeType[]> = new Map<string, readonly CodeType[]>([
  ["undefined", ["undefined"]],
  ["boolean", ["bool"]],
  ["number", ["number"]],
  ["string", ["text"]],
  ["object", ["null", "list", "map", "object"]],
]);

const SEARCH = "it searches a list";
const TIMES = "it computes with times";
const OF_TIMES = /^(?:n|E|q\d+)$/;

/** The helpers without a formula. */
const HELPERS: ReadonlyMap<string, string> = new Map([
  ["A", "it reads elements of a list"],
  ["M", SEARCH],
  ["Z", SEARCH],
  ["R", "it looks up an address in a network"],
  ...["T", "Y", "TP", "TM", "SB", "SP", "SM", "N"].map((name) => [name, TIMES] as const),
]);
