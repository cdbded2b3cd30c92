/**
 * Steering: changes a request so that an expression becomes true, or false. Without it, the interesting requests would
 * be missing: three ids that must agree, a permission spelled from parts of the request, or a quota on its boundary do
 * not occur by chance.
 *
 * Best effort. It descends into the expression. For operators that it knows, it sets an attribute to reach the wanted
 * value; for others it tries candidate values of attributes. If nothing works, it gives up.
 */

import { children, type Expr, type Macro, testedBy } from "../../cel/ast.js";
import type { EvaluationResult } from "../../cel/evaluation.js";
import { usageOf } from "../../cel/expression-usage.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS, type OrderingOperator } from "../../cel/operators.js";
import type { CelValue } from "../../cel/values.js";
import { substitute } from "../../engine/residual/substitute.js";
import type { Definitions } from "../../policy/model.js";
import { definitionOf } from "../../policy/policy-expressions.js";
import { type SpaceLayer, valuePlaceOf } from "../../space/dimension.js";
import type { DraftEvaluator } from "../../space/evaluator.js";
import { addressOf, element, literal } from "./addresses.js";
import type { SeededChoices } from "./choices.js";
import type { CheckedDraft, RequestValueAddress } from "./draft.js";
import { isValueList, type PlainValue } from "./plain-request.js";
import { jsonOf, numberOf, targetsOfComparison } from "./values.js";

/** Possible values of an attribute: those of its schema, and constants that it is compared with. */
export type Candidates = (address: RequestValueAddress) => readonly PlainValue[];

export interface SteeringOptions {
  readonly layer: SpaceLayer;
  readonly draft: CheckedDraft;
  readonly evaluator: DraftEvaluator;
  readonly candidates: Candidates;
  readonly choices: SeededChoices;
}

/** Expressions nested deeper than this are not steered. */
const MAX_DEPTH = 40;

export class Steering {
  private readonly options: SteeringOptions;
  private readonly definitions: Definitions;
  private depth = 0;

  constructor(options: SteeringOptions, definitions: Definitions) {
    this.options = options;
    this.definitions = definitions;
  }

  /** Tries to give the condition `expr` the value `wanted`. Returns whether it succeeded. */
  satisfy(expr: Expr, wanted: boolean): boolean {
    if (this.value(expr) === wanted) return true;
    if (this.depth > MAX_DEPTH) return false;
    this.depth++;
    this.go(expr, wanted);
    this.depth--;
    if (this.value(expr) === wanted) return true;
    return this.search(expr, wanted);
  }

  private go(expr: Expr, wanted: boolean): void {
    switch (expr.kind) {
      case "has":
        this.presence(testedBy(expr), wanted);
        return;
      case "call":
      case "member":
        this.call(expr.fn, children(expr), wanted);
        return;
      case "macro":
        this.macro(expr, wanted);
        return;
      case "bind":
        this.satisfy(substitute(expr.body, expr.name, expr.init), wanted);
        return;
      default: {
        const named = definitionOf(expr, this.definitions)?.expr;
        if (named !== undefined) this.satisfy(named, wanted);
        else this.assign(expr, wanted);
      }
    }
  }

  private call(fn: string, args: readonly Expr[], wanted: boolean): void {
    const [a, b, c] = args;
    if (a === undefined) return;
    const operator = OPERATORS.get(fn);
    if (operator?.kind === "not") this.satisfy(a, !wanted);
    if (b === undefined) return;
    switch (operator?.kind) {
      case "junction":
        // Both parts get the wanted value, or one part alone decides.
        if (wanted !== operator.decisive) for (const part of [a, b]) this.satisfy(part, wanted);
        else this.satisfy(this.options.choices.chance(50) ? b : a, wanted);
        return;
      case "conditional":
        if (c !== undefined) this.conditional(a, b, c, wanted);
        return;
      case "equality":
        if (wanted === operator.equal) this.equal(a, b);
        return;
      case "ordering":
        this.order(operator, a, b, wanted);
        return;
      case "membership":
        if (wanted) this.member(a, b);
        else this.exclude(b, [this.value(a)]);
        return;
    }
    switch (LIST_RELATIONS.get(fn) ?? fn) {
      case "intersects":
        if (wanted) this.share(a, b);
        else this.exclude(this.isAttribute(a) ? a : b, listOf(this.value(this.isAttribute(a) ? b : a)));
        return;
      case "within":
        if (wanted)
          this.exclude(
            a,
            listOf(this.value(a)).filter((item) => !listOf(this.value(b)).includes(item)),
          );
        return;
      case "startsWith":
      case "endsWith":
      case "contains": {
        const part = this.value(b);
        if (wanted && typeof part === "string") this.assign(a, part);
      }
    }
  }

  private conditional(test: Expr, yes: Expr, no: Expr, wanted: boolean): void {
    const first = this.options.choices.chance(50);
    this.satisfy(test, first);
    this.satisfy(first ? yes : no, wanted);
  }

  private equal(a: Expr, b: Expr): void {
    // If two attributes must be equal, mostly the principal's is changed, since several policies read the resource's.
    const [first, second] = this.isPrincipals(b) !== this.options.choices.chance(10) ? [b, a] : [a, b];
    if (!this.assignValueOf(first, second)) this.assignValueOf(second, first);
  }

  private assignValueOf(target: Expr, source: Expr): boolean {
    const value = this.value(source);
    return value !== undefined && this.assign(target, value);
  }

  private order(operator: OrderingOperator, a: Expr, b: Expr, wanted: boolean): void {
    const sides = this.isPrincipals(b) ? [true, false] : [false, true];
    for (const swapped of sides) {
      const [target, other] = swapped ? [b, a] : [a, b];
      const bound = numberOf(this.value(other));
      if (bound === undefined) continue;
      const values = targetsOfComparison(operator, bound, wanted, swapped);
      if (this.options.choices.shuffled(values).some((value) => this.assign(target, value))) return;
    }
  }

  private member(item: Expr, container: Expr): void {
    if (this.append(container, item)) return;
    if (container.kind === "list") {
      const chosen = this.options.choices.shuffled(container.elements);
      if (chosen.some((one) => this.assignValueOf(item, one))) return;
    }
    const chosen = this.options.choices.of(listOf(this.value(container)));
    if (chosen !== undefined) this.assign(item, chosen);
  }

  /** Gives two lists a common element. */
  private share(a: Expr, b: Expr): void {
    const [into, from] = this.isAttribute(a) && !(this.isAttribute(b) && this.isPrincipals(b)) ? [a, b] : [b, a];
    const parts = from.kind === "list" ? from.elements : listOf(this.value(from)).map((value) => literal(value));
    const chosen = this.options.choices.shuffled(parts).some((part) => this.append(into, part));
    if (chosen) return;
    const address = this.address(into);
    const [made] = address === undefined ? [] : this.options.candidates(address).flatMap(itemsOf);
    if (made === undefined) return;
    this.append(into, literal(made));
    this.append(from, literal(made));
  }

  /** Adds the value of an expression to a list, or as a key to a map. */
  private append(container: Expr, item: Expr): boolean {
    const address = this.address(container);
    const value = jsonOf(this.value(item));
    if (address === undefined || value === undefined) return false;
    const list = jsonOf(this.value(container)) ?? [];
    const { draft } = this.options;
    if (isValueList(list)) return draft.set(address, [...list, value]);
    return typeof value === "string" && draft.set({ ...address, path: [...address.path, value] }, true);
  }

  /** Removes values from a list. */
  private exclude(container: Expr, values: readonly (CelValue | undefined)[]): void {
    const address = this.address(container);
    const list = jsonOf(this.value(container));
    if (address === undefined || !isValueList(list)) return;
    const gone = new Set(values.map((value) => JSON.stringify(jsonOf(value))));
    const left = list.filter((item) => !gone.has(JSON.stringify(item)));
    this.options.draft.set(address, left);
  }

  private presence(expr: Expr, wanted: boolean): void {
    const address = this.address(expr);
    if (address === undefined) return;
    const { draft, candidates, choices } = this.options;
    if (!wanted) draft.set(address, undefined);
    else choices.shuffled(candidates(address)).some((value) => draft.set(address, value));
  }

  private macro(expr: Macro, wanted: boolean): void {
    const { filter, macro } = expr;
    if (filter === undefined || (macro !== "exists" && macro !== "exists_one" && macro !== "all")) return;
    if (expr.v2 !== undefined) return;
    const some = macro !== "all";
    const items = this.elements(expr.range);
    // Either one element decides, or every element must have the wanted value.
    if (some !== wanted) {
      for (const item of items) this.satisfy(substitute(filter, expr.v1, item), wanted);
      return;
    }
    const address = this.address(expr.range);
    const { candidates, choices } = this.options;
    if (items.length === 0 && address !== undefined) {
      const made = choices.of(candidates(address).flatMap(itemsOf));
      if (made !== undefined) this.append(expr.range, literal(made));
    }
    const chosen = choices.of(this.elements(expr.range));
    if (chosen !== undefined) this.satisfy(substitute(filter, expr.v1, chosen), wanted);
  }

  /** The elements of a list as expressions; elements of an attribute as reads by index. */
  private elements(range: Expr): readonly Expr[] {
    if (range.kind === "list") return range.elements;
    const values = listOf(this.value(range));
    return this.isAttribute(range) ? values.map((_, i) => element(range, i)) : values.map((value) => literal(value));
  }

  /** Tries to give an expression a value. Returns whether it set an attribute that may have achieved that. */
  private assign(expr: Expr, value: CelValue): boolean {
    const address = this.address(expr);
    if (address !== undefined) {
      const json = jsonOf(value);
      return json !== undefined && this.options.draft.set(address, json);
    }
    const named = definitionOf(expr, this.definitions)?.expr;
    if (named !== undefined) return this.assign(named, value);
    if (expr.kind === "call") return this.assignCall(expr.fn, expr.args, value);
    return false;
  }

  private assignCall(fn: string, [a, b, c]: readonly Expr[], value: CelValue): boolean {
    if (a === undefined) return false;
    if (fn === "string" || fn === "int" || fn === "double" || fn === "timestamp" || fn === "dyn")
      return this.assign(a, value);
    if (b === undefined) return false;
    if (OPERATORS.get(fn)?.kind === "conditional" && c !== undefined)
      return this.assign(this.value(a) === false ? c : b, value);
    const [left, right] = [this.value(a), this.value(b)];
    if (fn === "_+_" && typeof value === "string") {
      if (typeof left === "string" && value.startsWith(left) && this.assign(b, value.slice(left.length))) return true;
      return (
        typeof right === "string" &&
        value.endsWith(right) &&
        this.assign(a, value.slice(0, value.length - right.length))
      );
    }
    const [n, x, y] = [numberOf(value), numberOf(left), numberOf(right)];
    if (n === undefined || x === undefined || y === undefined) return false;
    const first = this.options.choices.chance(50);
    if (fn === "_-_")
      return first ? this.assign(a, n + y) || this.assign(b, x - n) : this.assign(b, x - n) || this.assign(a, n + y);
    return fn === "_+_" && (this.assign(a, n - y) || this.assign(b, n - x));
  }

  /** Tries candidate values of each attribute that `expr` reads, one attribute at a time. */
  private search(expr: Expr, wanted: boolean): boolean {
    const { draft, layer, candidates, choices } = this.options;
    for (const read of choices.shuffled(usageOf(expr).reads)) {
      const place = valuePlaceOf(layer, read);
      if (place === undefined) continue;
      const subject = draft.draft[place.subject];
      const { id, attr } = subject;
      for (const value of choices.shuffled(candidates(place)).slice(0, MAX_TRIES)) {
        if (draft.set(place, value) && this.value(expr) === wanted) return true;
      }
      Object.assign(subject, { id, attr });
    }
    return false;
  }

  private value(expr: Expr): EvaluationResult {
    const { evaluator, draft } = this.options;
    return evaluator.value(expr, this.definitions, draft.draft);
  }

  private address(expr: Expr): RequestValueAddress | undefined {
    return addressOf(expr, this.options.layer);
  }

  private isAttribute(expr: Expr): boolean {
    return this.address(expr) !== undefined;
  }

  private isPrincipals(expr: Expr): boolean {
    const { reads } = usageOf(expr);
    return reads.length > 0 && reads.every(({ root }) => root.startsWith("P."));
  }
}

const MAX_TRIES = 12;

function listOf(value: EvaluationResult): readonly CelValue[] {
  return Array.isArray(value) ? value : [];
}

function itemsOf(value: PlainValue): PlainValue[] {
  return isValueList(value) ? value : [];
}
