/**
 * The questions of a plan about the known part of a request.
 *
 * INVARIANT (asked, not seen): a plan learns about known values only by the questions asked here. So equal answers lead
 * to the same questions and to the same form of the plan, even if the values differ: `plan-form-cache.ts` caches forms by
 * their answers. Filters refer to values by the numbers under which they are kept (`known-values.ts`, `fill-outline.ts`).
 */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import { usageOf } from "../../cel/expression-usage.js";
import { isMap } from "../../cel/values.js";
import type { FilterScalar } from "./filter.js";
import type { KnownRequest } from "./known-request.js";
import type { KnownValueFinding, KnownValues } from "./known-values.js";
import { ERROR, KnownValue, literal, UNKNOWN } from "./residual-expression.js";

export type QuestionAnswer = string | number | boolean;

/** A question, with its answer. */
export interface AnsweredQuestion {
  readonly question: (given: KnownValues) => QuestionAnswer;
  readonly answer: QuestionAnswer;
}

/** If there are more questions than this, the form is not cached. */
const MAX_ASKED = 1_000;

export class QuestionLog {
  readonly given: KnownValues;
  private readonly log: AnsweredQuestion[] = [];
  private isOpen = true;
  private values = 0;
  private lists = 0;

  constructor(given: KnownValues) {
    this.given = given;
  }

  /**
   * The questions and answers, in order. Undefined if known values were read directly, so that the answers do not
   * determine the form, or if there were too many questions.
   */
  get asked(): readonly AnsweredQuestion[] | undefined {
    return this.isOpen ? this.log : undefined;
  }

  ask<A extends QuestionAnswer>(question: (given: KnownValues) => A): A {
    const answer = question(this.given);
    this.note({ question, answer });
    return answer;
  }

  /** Records a question and its answer. */
  note(asked: AnsweredQuestion): void {
    if (this.log.length === MAX_ASKED) this.isOpen = false;
    if (this.isOpen) this.log.push(asked);
  }

  /** The known part of the request, to read directly. After that the form is valid only for this request. */
  look(): KnownValues {
    this.isOpen = false;
    return this.given;
  }

  /** Computes a value and keeps it by number. The result is an expression for it. */
  find(found: (given: KnownValues, at: number) => KnownValueFinding): Expr {
    const at = this.values;
    this.values += 1;
    const finding = this.ask((given) => found(given, at));
    switch (finding) {
      case "error":
        return ERROR;
      case "spent":
        this.isOpen = false;
        return UNKNOWN;
      case "string":
      case "number":
      case "texts":
      case "scalars":
      case "other":
        return new KnownValue(at, finding);
      default:
        // The finding determines the value.
        return literal(this.given.value(at));
    }
  }

  /** A list that is computed from known values. */
  list(make: (given: KnownValues) => readonly FilterScalar[]): (given: KnownValues) => readonly FilterScalar[] {
    const at = this.lists;
    this.lists += 1;
    return (given) => given.list(at, make);
  }
}

/** A longer text is read directly where it names an attribute. */
const LONGEST_NAME = 64;

/** A longer list is read directly where each of its elements makes a part of the plan. */
export const MAX_ELEMENTS = 8;

/** The questions about one layer. */
export class LayerQuestions {
  readonly log: QuestionLog;
  readonly layer: number;
  readonly known: KnownRequest;
  private readonly names = new Map<string, boolean>();
  private isOneId: boolean | undefined = undefined;
  private knowsAny: boolean | undefined = undefined;

  constructor(log: QuestionLog, layer: number) {
    this.log = log;
    this.layer = layer;
    this.known = log.given.known(layer);
  }

  /** Whether every row has the known id. */
  get knowsId(): boolean {
    const { layer } = this;
    this.isOneId ??= this.log.ask((given) => given.known(layer).knowsId);
    return this.isOneId;
  }

  /** Whether an attribute of the resource is known, and the same for every row. */
  knows(name: string | undefined): boolean {
    const { layer } = this;
    this.knowsAny ??= this.log.ask((given) => given.known(layer).knowsAny);
    if (name === undefined || !this.knowsAny) return false;
    const known = this.names.get(name) ?? this.log.ask((given) => given.known(layer).knows(name));
    this.names.set(name, known);
    return known;
  }

  /** The value of an expression that reads only known values. */
  evaluate(expr: Expr, code: Code): Expr {
    const { log, layer, known } = this;
    if (!isFixed(expr)) return log.find((given, at) => given.evaluate(layer, code, at));
    const before = known.activation.steps;
    const made = known.evaluate(code);
    const cost = before - known.activation.steps;
    // The value is the same for every request, but earlier evaluations may have spent the budget.
    if (made === UNKNOWN) log.look();
    else if (cost > 0) log.note({ question: (given) => given.known(layer).pays(cost), answer: true });
    return made;
  }

  /** Evaluates an expression with known values as its parts. */
  fold(expr: Expr, parts: readonly Expr[], env: CompileEnv): Expr {
    const known = parts.filter((part) => part instanceof KnownValue);
    if (known.length === 0) return this.evaluate(expr, compile(expr, env));
    const { log, layer } = this;
    const read: { from: KnownValues | undefined } = { from: undefined };
    const readers = known.map(({ field, number }): [string, Code] => [field, () => read.from?.value(number)]);
    const code = compile(expr, { ...env, variables: new Map([...env.variables, ...readers]) });
    return log.find((given, at) => {
      read.from = given;
      const finding = given.evaluate(layer, code, at);
      read.from = undefined;
      return finding;
    });
  }

  /** A key that may name an attribute: if so, as a literal text. */
  key(expr: Expr): Expr {
    if (!(expr instanceof KnownValue) || expr.sort !== "string") return expr;
    const { number } = expr;
    const name = this.log.ask((given) => {
      const text = given.value(number);
      return typeof text === "string" && text.length <= LONGEST_NAME ? text : false;
    });
    return literal(name === false ? this.log.look().value(number) : name);
  }

  /** A list or a map whose elements each make a part of the plan, with the elements written out. */
  range(expr: Expr): Expr {
    if (!(expr instanceof KnownValue)) return expr;
    const { log } = this;
    const { number } = expr;
    const length = this.sizeOf(expr);
    if (typeof length !== "number" || length > MAX_ELEMENTS) {
      return length === "none" ? expr : literal(log.look().value(number));
    }
    const elements: Expr[] = [];
    // A loop, not a closure over the request: the questions are kept, so they must hold nothing of this request.
    for (let i = 0; i < length; i++) elements.push(log.find((given, at) => given.element(number, i, at)));
    return { kind: "list", at: 0, elements };
  }

  /** Whether a macro can iterate over the value, which may be neither a list nor a map. */
  isRange(expr: KnownValue): boolean {
    return this.sizeOf(expr) !== "none";
  }

  private sizeOf({ number, sort }: KnownValue): number | "map" | "none" {
    if (sort === "string" || sort === "number") return "none";
    return this.log.ask((given) => {
      const value = given.value(number);
      return Array.isArray(value) ? value.length : isMap(value) ? "map" : "none";
    });
  }

  spendOnPasses(passes: number, weight: number): boolean {
    const { log, layer } = this;
    const isPaid = log.ask((given) => given.known(layer).spendOnPasses(passes, weight));
    if (!isPaid) log.look();
    return isPaid;
  }
}

/** Whether an expression that reads no row has the same value for every request. */
function isFixed(expr: Expr): boolean {
  const { reads, variables, needsTime } = usageOf(expr);
  return reads.length === 0 && variables.size === 0 && !needsTime;
}
