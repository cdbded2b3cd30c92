/**
 * What a plan asks of what is known of a request.
 *
 * INVARIANT (asked, not seen): a plan looks at values that are known only by what is asked here. So where the same is
 * answered, the same questions follow and the plan has the same form, whatever the values: `forms.ts` keeps forms by
 * their answers. In a filter values are put by where they are kept (`values.ts`, `fill.ts`).
 */

import type { Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import { usageOf } from "../../cel/expression-usage.js";
import { isMap } from "../../cel/values.js";
import type { Scalar } from "./filter.js";
import type { Finding, Given } from "./given.js";
import type { Knowledge } from "./knowledge.js";
import { ERROR, KnownValue, literal, UNKNOWN } from "./residue.js";

export type Answer = string | number | boolean;

/** A question that was asked, and what was answered. */
export interface Asked {
  readonly question: (given: Given) => Answer;
  readonly answer: Answer;
}

/** Of more questions than this nothing is kept. */
const MAX_ASKED = 1_000;

export class Inquiry {
  readonly given: Given;
  private readonly log: Asked[] = [];
  private isOpen = true;
  private values = 0;
  private lists = 0;

  constructor(given: Given) {
    this.given = given;
  }

  /** What was asked, in order; undefined where what is known was looked at, so that the answers do not say all. */
  get asked(): readonly Asked[] | undefined {
    return this.isOpen ? this.log : undefined;
  }

  ask<A extends Answer>(question: (given: Given) => A): A {
    const answer = question(this.given);
    this.note({ question, answer });
    return answer;
  }

  /** What was asked, and answered. */
  note(asked: Asked): void {
    if (this.log.length === MAX_ASKED) this.isOpen = false;
    if (this.isOpen) this.log.push(asked);
  }

  /** What is known, to be looked at: what follows holds of this request alone. */
  look(): Given {
    this.isOpen = false;
    return this.given;
  }

  /** A value that is found and kept by its number, as an expression. */
  find(found: (given: Given, at: number) => Finding): Expr {
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
        // What was found says which value it is.
        return literal(this.given.value(at));
    }
  }

  /** A list that is made of what is known. */
  list(make: (given: Given) => readonly Scalar[]): (given: Given) => readonly Scalar[] {
    const at = this.lists;
    this.lists += 1;
    return (given) => given.list(at, make);
  }
}

/** Longer texts are looked at, where they name an attribute. */
const LONGEST_NAME = 64;

/** Longer lists are looked at, where each of their elements makes a part of the plan. */
export const MAX_ELEMENTS = 8;

/** What is asked about one layer. */
export class LayerInquiry {
  readonly inquiry: Inquiry;
  readonly layer: number;
  readonly known: Knowledge;
  private readonly names = new Map<string, boolean>();
  private isOneId: boolean | undefined = undefined;
  private knowsAny: boolean | undefined = undefined;

  constructor(inquiry: Inquiry, layer: number) {
    this.inquiry = inquiry;
    this.layer = layer;
    this.known = inquiry.given.known(layer);
  }

  /** Whether all rows have the id that is known. */
  get knowsId(): boolean {
    const { layer } = this;
    this.isOneId ??= this.inquiry.ask((given) => given.known(layer).knowsId);
    return this.isOneId;
  }

  /** Whether an attribute of the resource is known, for every row. */
  knows(name: string | undefined): boolean {
    const { layer } = this;
    this.knowsAny ??= this.inquiry.ask((given) => given.known(layer).knowsAny);
    if (name === undefined || !this.knowsAny) return false;
    const known = this.names.get(name) ?? this.inquiry.ask((given) => given.known(layer).knows(name));
    this.names.set(name, known);
    return known;
  }

  /** What an expression comes to that reads what is known alone. */
  evaluate(expr: Expr, code: Code): Expr {
    const { inquiry, layer, known } = this;
    if (!isFixed(expr)) return inquiry.find((given, at) => given.evaluate(layer, code, at));
    const before = known.activation.steps;
    const made = known.evaluate(code);
    const cost = before - known.activation.steps;
    // The value is the same for every request; whether it can be paid for depends on what was spent before.
    if (made === UNKNOWN) inquiry.look();
    else if (cost > 0) inquiry.note({ question: (given) => given.known(layer).pays(cost), answer: true });
    return made;
  }

  /** The same of one whose parts are values. */
  fold(expr: Expr, parts: readonly Expr[], env: CompileEnv): Expr {
    const known = parts.filter((part) => part instanceof KnownValue);
    if (known.length === 0) return this.evaluate(expr, compile(expr, env));
    const { inquiry, layer } = this;
    const read: { from: Given | undefined } = { from: undefined };
    const readers = known.map(({ field, number }): [string, Code] => [field, () => read.from?.value(number)]);
    const code = compile(expr, { ...env, variables: new Map([...env.variables, ...readers]) });
    return inquiry.find((given, at) => {
      read.from = given;
      const finding = given.evaluate(layer, code, at);
      read.from = undefined;
      return finding;
    });
  }

  /** A key: a text by which an attribute may be named as it is. */
  key(expr: Expr): Expr {
    if (!(expr instanceof KnownValue) || expr.sort !== "string") return expr;
    const { number } = expr;
    const name = this.inquiry.ask((given) => {
      const text = given.value(number);
      return typeof text === "string" && text.length <= LONGEST_NAME ? text : false;
    });
    return literal(name === false ? this.inquiry.look().value(number) : name);
  }

  /** A list or a map whose elements make a part of the plan each: as they are. */
  range(expr: Expr): Expr {
    if (!(expr instanceof KnownValue)) return expr;
    const { inquiry } = this;
    const { number } = expr;
    const length = this.sizeOf(expr);
    if (typeof length !== "number" || length > MAX_ELEMENTS) {
      return length === "none" ? expr : literal(inquiry.look().value(number));
    }
    const elements: Expr[] = [];
    // A loop, so that the questions, which are kept, hold nothing of this request.
    for (let i = 0; i < length; i++) elements.push(inquiry.find((given, at) => given.element(number, i, at)));
    return { kind: "list", at: 0, elements };
  }

  /** Whether a macro goes over a value: it may be neither a list nor a map. */
  isRange(expr: KnownValue): boolean {
    return this.sizeOf(expr) !== "none";
  }

  private sizeOf({ number, sort }: KnownValue): number | "map" | "none" {
    if (sort === "string" || sort === "number") return "none";
    return this.inquiry.ask((given) => {
      const value = given.value(number);
      return Array.isArray(value) ? value.length : isMap(value) ? "map" : "none";
    });
  }

  spendOnPasses(passes: number, weight: number): boolean {
    const { inquiry, layer } = this;
    const isPaid = inquiry.ask((given) => given.known(layer).spendOnPasses(passes, weight));
    if (!isPaid) inquiry.look();
    return isPaid;
  }
}

/** Whether an expression that reads no row has the same value whatever the request. */
function isFixed(expr: Expr): boolean {
  const { reads, variables, needsTime } = usageOf(expr);
  return reads.length === 0 && variables.size === 0 && !needsTime;
}
