/**
 * Executes the code of an operand on all requests at once: its value and its flag as formulas.
 *
 * Every path of the code is followed, each with the formula of the requests that take it. Code that this file does not
 * know has no value here, and `unknown` says why. Where JavaScript would throw, or convert a value of another type,
 * nothing is claimed: {@link SymbolicCode.stuck} says for which requests.
 *
 * The helpers that the code calls are not executed. Each stands for its specification (`helper-formulas.ts`), which tests
 * hold it to. The steps that helpers count are not followed: see the invariant "budget of generated code" of
 * `engine/frame/budget.ts`.
 */

import type { AssignmentExpression, BinaryExpression, CallExpression, Expression, MemberExpression } from "acorn";
import type { Formula, Formulas } from "../../engine/formula/formula.js";
import { MAX_CHAR } from "../../engine/formula/smtlib.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import { CodeOperators, type OperatorCode } from "./code-operators.js";
import { type AnswerBits, HelperFormulas } from "./helper-formulas.js";
import type { AheadValue } from "./judge-syntax.js";
import { type CallingCode, type InnerCode, SEARCH, SearchFormulas, type SearchNames } from "./search-formulas.js";
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
import { ValueFormulas } from "./value-formulas.js";

/** The values of the names that the code may read. */
export interface CodeNames extends SearchNames {
  /** The values that were evaluated before the code. */
  readonly aheads: readonly AheadValue[];
  /** False in functions beside the judge: the flag `z` is not in their scope. */
  readonly hasFlag: boolean;
}

interface TemporaryValue {
  readonly value: CodeValue;
  /** When it has been assigned. */
  readonly when: Formula;
}

export class SymbolicCode implements CallingCode, InnerCode, OperatorCode {
  /** The first reason for which the code has no translation. */
  unknown: string | undefined;
  private readonly world: FormulaWorld;
  private readonly formulas: Formulas;
  private readonly operators: CodeOperators;
  private readonly names: CodeNames;
  private readonly values: ValueFormulas;
  private readonly helpers: HelperFormulas;
  private readonly searches: SearchFormulas;
  private readonly temps = new Map<string, TemporaryValue>();
  private readonly stuckAt: Formula[] = [];
  /** The offset before which a value must have been evaluated ahead. */
  private before = 0;
  private flag: Formula;

  constructor(world: FormulaWorld, names: CodeNames) {
    this.world = world;
    this.formulas = world.formulas;
    this.values = new ValueFormulas(world);
    this.operators = new CodeOperators(world, this.values, this);
    this.helpers = new HelperFormulas(world, this.values);
    this.searches = new SearchFormulas(world, this.values, this.helpers, names, this);
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

  untold(why: string): PlainValue {
    this.tell(why);
    return NEVER;
  }

  tell(why: string | undefined): void {
    this.unknown ??= why;
  }

  stuckWhere(path: Formula, when: Formula): void {
    const both = this.formulas.and(path, when);
    if (both !== this.formulas.no) this.stuckAt.push(both);
  }

  /** Claims nothing where a value has none of these types. */
  only(value: PlainValue, types: readonly CodeType[], path: Formula): void {
    this.stuckWhere(path, this.formulas.not(this.values.isOf(value, ...types)));
  }

  /** `path`: the requests for which the code is reached. */
  value(code: Expression, path: Formula): CodeValue {
    const { formulas } = this;
    switch (code.type) {
      case "Literal":
        return this.literal(code.value, code.raw);
      case "Identifier":
        return this.read(code.name, path);
      case "UnaryExpression": {
        const of = this.value(code.argument, path);
        if (code.operator === "!") return boolValue(formulas.not(this.truth(of, path)), formulas);
        return code.operator === "-"
          ? this.operators.negative(this.plain(of), path)
          : this.untold(`code with ${code.operator}`);
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
  text(value: string): Formula {
    const isKnown = Array.from(value).every((char) => (char.codePointAt(0) ?? 0) <= MAX_CHAR);
    if (!isKnown) this.untold("a character beyond those of solvers");
    return this.world.text(isKnown ? value : "");
  }

  private read(name: string, path: Formula): CodeValue {
    if (name === "undefined") return { kind: "plain", is: { undefined: this.formulas.yes } };
    if (name === "z" && this.names.hasFlag) return { kind: "flag", set: this.flag };
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
  truth(value: CodeValue, path: Formula): Formula {
    const { formulas } = this;
    if (value.kind === "flag") return value.set;
    if (value.kind === "answer") return formulas.not(this.isAnswer(value, 0));
    const { bool, number, nan = formulas.no, text } = value;
    this.stuckWhere(path, this.values.isOf(value, "other"));
    return formulas.or(
      formulas.and(this.values.isOf(value, "bool"), bool ?? formulas.no),
      number === undefined
        ? formulas.no
        : formulas.and(
            this.values.isOf(value, "number"),
            formulas.not(nan),
            formulas.not(formulas.same(number, formulas.number(0))),
          ),
      text === undefined
        ? formulas.no
        : formulas.and(this.values.isOf(value, "text"), formulas.not(formulas.same(text, formulas.text("")))),
      this.values.isOf(value, "list", "map", "object"),
    );
  }

  private isAnswer({ yes, asks, isFree }: HelperAnswer, bits: number): Formula {
    const { formulas } = this;
    const is = (bit: Formula, mask: number) => ((bits & mask) === 0 ? formulas.not(bit) : bit);
    return formulas.and(is(yes, 1), is(asks, 2), isFree);
  }

  plain(value: CodeValue): PlainValue {
    return value.kind === "plain" ? value : this.untold("the answer of a helper as a value");
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
        return boolValue(this.operators.order(operator, ...this.both(left, right, path), path), formulas);
      case "+":
      case "-":
      case "*":
      case "/":
        return this.operators.arithmetic(operator, ...this.both(left, right, path), isSame(left, right), path);
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

  private both(left: Expression, right: Expression, path: Formula): readonly [PlainValue, PlainValue] {
    const a = this.plain(this.value(left, path));
    return [a, this.plain(this.value(right, path))];
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
    return this.operators.same(this.plain(a), this.plain(this.value(right, path)), path);
  }

  private hasType(value: PlainValue, type: Expression): Formula {
    const types = type.type === "Literal" && typeof type.value === "string" ? TYPES_OF.get(type.value) : undefined;
    if (types !== undefined) return this.values.isOf(value, ...types);
    this.untold("code with typeof");
    return this.formulas.no;
  }

  private assignment({ operator, left, right }: AssignmentExpression, path: Formula): CodeValue {
    const { formulas } = this;
    if (left.type !== "Identifier") return this.untold("another assignment");
    const { name } = left;
    if (name === "k") {
      const isCount = operator === "+=" && right.type === "BinaryExpression" && right.operator === ">>";
      return isCount && right.left.type === "Identifier" && TEMPORARY.test(right.left.name)
        ? numberValue(this.helpers.steps(), formulas)
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
    const units = of.text && this.values.units(of.text);
    const number =
      size !== undefined && units !== undefined
        ? formulas.choose(this.values.isOf(of, "list"), size, units)
        : (size ?? units ?? formulas.number(0));
    return lengthValue(number, formulas);
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
        return boolValue(this.values.isData(this.argument(first, path)), formulas);
      case "L/1":
        return boolValue(this.values.isOf(this.argument(first, path), "list"), formulas);
      case "U/1": {
        const of = this.argument(first, path);
        this.only(of, ["text"], path);
        return numberValue(of.text === undefined ? formulas.number(0) : formulas.length(of.text), formulas);
      }
      case "S/3":
        return this.counting(third, this.helpers.same(this.argument(first, path), this.argument(second, path)));
      case "C/3":
        return this.counting(third, this.helpers.contains(this.argument(first, path), this.argument(second, path)));
      case "H/3": {
        const [list, text] = [this.argument(first, path), this.argument(third, path)];
        this.only(text, ["text"], path);
        return this.counting(second, this.helpers.has(list, text));
      }
      case "J/4":
        return this.isBuilt(
          given.map((one) => this.argument(one, path)),
          path,
        );
      default:
        if (this.names.searches.has(callee.name)) return this.searches.answer(callee.name, given, path);
        return this.untold(
          HELPERS.get(callee.name) ?? (/^f\d+$/.test(callee.name) ? SEARCH : `a call of ${callee.name}`),
        );
    }
  }

  argument(code: Expression | undefined, path: Formula): PlainValue {
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
      formulas.less(at.number, this.values.units(of.text)),
    );
    return numberValue(this.values.unit(of.text, at.number), formulas, formulas.not(isThere));
  }

  private isBuilt(values: readonly PlainValue[], path: Formula): PlainValue {
    for (const one of values) this.only(one, ["text"], path);
    const [text, prefix, middle, suffix] = values.map((one) => one.text);
    if (text === undefined || prefix === undefined || middle === undefined || suffix === undefined) {
      return this.untold("another call");
    }
    return boolValue(this.values.isBuilt(text, prefix, middle, suffix), this.formulas);
  }

  inside(bound: ReadonlyMap<string, PlainValue>): InnerCode {
    return new SymbolicCode(this.world, {
      valueOf: (name) => bound.get(name),
      aheads: [],
      hasFlag: false,
      searches: new Map(),
      indexes: new Map(),
      areTexts: () => undefined,
    });
  }

  get whyUnclear(): string | undefined {
    const { no } = this.formulas;
    const isClear = this.stuck === no && this.flag === no && this.helpers.isUnused;
    return this.unknown ?? (isClear ? undefined : SEARCH);
  }

  /** An answer of a helper that gets the steps so far. */
  counting(steps: Expression | undefined, answer: AnswerBits): CodeValue {
    if (steps?.type !== "Identifier" || steps.name !== "k") return this.untold("another count of steps");
    return { kind: "answer", ...answer, isFree: this.helpers.any("counts no steps") };
  }
}

/** True if both operands read one variable. */
function isSame(left: Expression, right: Expression): boolean {
  return left.type === "Identifier" && right.type === "Identifier" && left.name === right.name;
}

/** No engine has texts or lists of such a length. */
const MAX_UNITS = 2 ** 32;

const TEMPORARY = /^t\d+$/;

const TYPES_OF: ReadonlyMap<string, readonly CodeType[]> = new Map<string, readonly CodeType[]>([
  ["undefined", ["undefined"]],
  ["boolean", ["bool"]],
  ["number", ["number"]],
  ["string", ["text"]],
  ["object", ["null", "list", "map", "object"]],
]);

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
