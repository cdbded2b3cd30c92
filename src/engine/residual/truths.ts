/** Translates a residual to the rows for which it is true and the rows for which it is false. */

import { type Call, children, type Expr, type Macro, type MemberCall, operandsOf } from "../../cel/ast.js";
import { chainOf, hasBooleanForm, requestValueOf, usageOf } from "../../cel/expression-usage.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import { TypeValue } from "../../cel/values.js";
import { EVERY, type FilterOrder, type FilterScalar, type FilterTerm, NO } from "./filter.js";
import { asDeclared, attribute } from "./guards.js";
import { all, any } from "./join.js";
import { not, type Outline, type OutlineTest } from "./outline.js";
import type { LayerQuestions } from "./question-log.js";
import { constantOf, ERROR, hasFreeLocals, hasUnknown, isKnown, UNKNOWN } from "./residual-expression.js";
import { includes, lacks, listed, ofTypes, type RowPlace, readable, whereThere } from "./row-places.js";
import {
  ALWAYS,
  conditional,
  definedTruths,
  EITHER,
  equality,
  junction,
  NEITHER,
  NEVER,
  negated,
  type RowTruths,
  someTruths,
} from "./row-truths.js";
import { TYPES } from "./scalars.js";
import { TestValues } from "./test-values.js";

export class TruthMaker {
  private readonly questions: LayerQuestions;
  private readonly made = new Map<Expr, RowTruths>();
  /** Whether an expression that is evaluated for rows reads the clock. */
  readsClock = false;

  constructor(questions: LayerQuestions) {
    this.questions = questions;
  }

  of(expr: Expr): RowTruths {
    const known = this.made.get(expr);
    if (known !== undefined) return known;
    const made = this.truths(expr, undefined) ?? this.opaque(expr);
    this.made.set(expr, made);
    return made;
  }

  /** `item`: the variable of the macro with this body. Undefined: tests of the item cannot state the expression. */
  private truths(expr: Expr, item: string | undefined): RowTruths | undefined {
    if (expr === ERROR) return NEITHER;
    if (expr === UNKNOWN) return EITHER;
    const value = constantOf(expr);
    if (isKnown(expr)) return value === true ? ALWAYS : value === false ? NEVER : NEITHER;
    return this.logic(expr, item) ?? this.test(expr, item) ?? this.byItself(expr, item);
  }

  private parts(expr: Expr, item: string | undefined): RowTruths | undefined {
    return item === undefined ? this.of(expr) : this.truths(expr, item);
  }

  private byItself(expr: Expr, item: string | undefined): RowTruths | undefined {
    return item === undefined || !hasFreeLocals(expr) ? this.opaque(expr) : undefined;
  }

  private opaque(expr: Expr): RowTruths {
    if (hasUnknown(expr)) return EITHER;
    const { layer } = this.questions;
    const facts = usageOf(expr);
    this.readsClock ||= facts.needsTime;
    const reads = [...new Set(facts.reads.map(({ root, path }) => [root, ...path].join(".")))].sort();
    const test = { op: "expression", reads, layer, expr } as const;
    return definedTruths({ ...test, is: true }, { ...test, is: false });
  }

  private logic(expr: Expr, item: string | undefined): RowTruths | undefined {
    if (expr.kind !== "call") return undefined;
    const operator = OPERATORS.get(expr.fn);
    const parts = () => expr.args.map((arg) => this.parts(arg, item));
    switch (operator?.kind) {
      case "junction":
        return junction(parts(), operator.decisive);
      case "not":
        return negated(parts()[0]);
      case "conditional":
        return conditional(parts());
      case "equality": {
        const [left, right] = expr.args;
        if (left === undefined || right === undefined || !isTruthful(left) || !isTruthful(right)) return undefined;
        return equality(parts(), operator.equal);
      }
      default:
        return undefined;
    }
  }

  private test(expr: Expr, item: string | undefined): RowTruths | undefined {
    switch (expr.kind) {
      case "call":
        return this.comparison(expr, item) ?? this.function(expr, expr.args, item);
      case "member":
        return this.textTest(expr, item) ?? this.function(expr, children(expr), item);
      case "has":
        return this.presence(expr, item);
      case "macro":
        return this.quantified(expr, item);
      default: {
        const place = this.place(expr, item);
        if (place === undefined) return undefined;
        return ofTypes(place, ["boolean"], { op: "in", term: place.term, values: this.values([true]) });
      }
    }
  }

  /**
   * The value of the row that an expression reads. Undefined if it reads something else, or if its declaration has no
   * filter.
   */
  private place(expr: Expr, item: string | undefined, whole = true): RowPlace | undefined {
    const chain = chainOf(expr);
    if (chain === undefined) return undefined;
    if (chain.of === "local") {
      return chain.root === item ? { term: { of: "item", path: chain.fields }, guard: EVERY } : undefined;
    }
    const { root, path } = requestValueOf(expr) ?? {};
    if (root?.path === "R.id" && path?.length === 0) return { term: { of: "id", path }, guard: EVERY };
    if (root?.path !== "R.attr" || path === undefined || path.length === 0) return undefined;
    const { log, known } = this.questions;
    const guard = asDeclared(log, known.declared, path, whole);
    return guard && { term: attribute(known.declared, path), guard };
  }

  private comparison(expr: Call, item: string | undefined): RowTruths | undefined {
    const operator = OPERATORS.get(expr.fn);
    const [left, right] = expr.args;
    if (left === undefined || right === undefined) return undefined;
    switch (operator?.kind) {
      case "equality": {
        const made = this.equality(left, right, item) ?? this.equality(right, left, item);
        return operator.equal ? made : negated(made);
      }
      case "ordering":
        return this.ordering(left, right, operator.symbol, item) ?? this.ordering(right, left, operator.converse, item);
      case "membership":
        return this.membership(left, right, item) ?? this.inclusion(left, right, item);
      default:
        return undefined;
    }
  }

  private equality(left: Expr, right: Expr, item: string | undefined): RowTruths | undefined {
    const sized = this.sized(left, right, "==", item) ?? this.typed(left, right, item);
    if (sized !== undefined) return sized;
    const constant = this.single(right);
    if (constant !== undefined) return this.among(left, constant, item);
    const place = this.place(left, item);
    if (place === undefined) return undefined;
    const other = this.place(right, item);
    if (other === undefined) return undefined;
    const guard = all([place.guard, other.guard, readable(other.term)]);
    return whereThere({ term: place.term, guard }, { op: "same", term: place.term, other: other.term });
  }

  private ordering(left: Expr, right: Expr, symbol: FilterOrder, item: string | undefined): RowTruths | undefined {
    const sized = this.sized(left, right, symbol, item);
    if (sized !== undefined) return sized;
    const place = this.place(left, item);
    const value = this.single(right);
    if (place === undefined || value === undefined) return undefined;
    const type = value.isText ? "string" : value.isNumber ? "number" : undefined;
    return type && ofTypes(place, [type], { op: "order", term: place.term, symbol, value });
  }

  /** `size(place)` compared with a number. */
  private sized(left: Expr, right: Expr, symbol: FilterOrder | "==", item: string | undefined): RowTruths | undefined {
    if ((left.kind !== "call" && left.kind !== "member") || left.fn !== "size") return undefined;
    const [of] = children(left);
    const place = of && this.place(of, item);
    const value = this.single(right);
    if (place === undefined || value?.isNumber !== true) return undefined;
    return ofTypes(place, ["string", "array", "object"], { op: "size", term: place.term, symbol, value });
  }

  /** `type(place) == double`. */
  private typed(left: Expr, right: Expr, item: string | undefined): RowTruths | undefined {
    const type = constantOf(right);
    if (left.kind !== "call" || left.fn !== "type" || !(type instanceof TypeValue)) return undefined;
    const [of] = left.args;
    const place = of && this.place(of, item);
    const name = TYPES.get(type.name);
    if (place === undefined) return undefined;
    if (name === undefined) return definedTruths(NO, all([place.guard, readable(place.term)]));
    return whereThere(place, { op: "type", term: place.term, types: [name] });
  }

  /** `place in ["a", "b"]`, and `"a" in [place, "b"]`. */
  private membership(left: Expr, right: Expr, item: string | undefined): RowTruths | undefined {
    const values = this.listed(right);
    if (values !== undefined) return this.among(left, values, item);
    const value = this.single(left);
    return value === undefined ? undefined : this.someAmong(right, value, item);
  }

  /** Whether some element of a list literal is one of the values. If an element errs, the list errs. */
  private someAmong(list: Expr, values: TestValues, item: string | undefined): RowTruths | undefined {
    if (list.kind !== "list") return undefined;
    const parts = list.elements.map((element) => this.among(element, values, item));
    const known = parts.filter((part) => part !== undefined);
    return known.length === parts.length ? someTruths(known) : undefined;
  }

  /** Whether a constant, a place, or a text that contains a place, is one of the values. */
  private among(expr: Expr, values: TestValues, item: string | undefined): RowTruths | undefined {
    const one = this.single(expr);
    if (one !== undefined) return values.includes(one) ? ALWAYS : NEVER;
    const place = this.place(expr, item);
    if (place !== undefined) return whereThere(place, { op: "in", term: place.term, values });
    if (expr.kind !== "call" || expr.fn !== "_+_") return undefined;
    const parts = operandsOf(expr);
    const open = parts.findIndex((part) => !isKnown(part));
    const within = parts[open] && this.place(parts[open], item);
    const [before, after] = [this.text(parts.slice(0, open)), this.text(parts.slice(open + 1))];
    if (within === undefined || before === undefined || after === undefined) return undefined;
    return ofTypes(within, ["string"], { op: "in", term: within.term, values: values.between(before, after) });
  }

  /** The concatenation of known texts. */
  private text(parts: readonly Expr[]): TestValues | undefined {
    const texts = parts.flatMap((part) => this.single(part) ?? []).filter(({ isText }) => isText);
    if (texts.length < parts.length) return undefined;
    return texts.reduce((text, after) => text.joined(after), this.values([""]));
  }

  private values(list: readonly FilterScalar[]): TestValues {
    return TestValues.of(this.questions.log, list);
  }

  /** The value of an expression, if it is known and neither a list nor a map. */
  private single(expr: Expr | undefined): TestValues | undefined {
    return TestValues.single(this.questions.log, expr);
  }

  /** The elements of a known list, if none is a list or a map. */
  private listed(expr: Expr | undefined): TestValues | undefined {
    return TestValues.listed(this.questions.log, expr);
  }

  /** `"a" in place`. */
  private inclusion(left: Expr, right: Expr, item: string | undefined): RowTruths | undefined {
    const value = this.single(left);
    const place = this.place(right, item);
    if (place === undefined || value === undefined) return undefined;
    return ofTypes(place, ["array", "object"], { op: "includes", term: place.term, value });
  }

  private textTest(expr: MemberCall, item: string | undefined): RowTruths | undefined {
    const { fn, target, args } = expr;
    if (fn !== "startsWith" && fn !== "endsWith" && fn !== "contains") return undefined;
    const [arg] = args;
    const place = this.place(target, item);
    const value = this.single(arg);
    if (place === undefined || value?.isText !== true) return undefined;
    return ofTypes(place, ["string"], { op: "text", term: place.term, how: fn, value });
  }

  /** Functions of two lists, one of them known. */
  private function({ fn }: Call | MemberCall, args: readonly Expr[], item: string | undefined): RowTruths | undefined {
    const [a, b] = args;
    if (a === undefined || b === undefined || args.length !== 2) return undefined;
    switch (LIST_RELATIONS.get(fn)) {
      case "intersects":
        return this.intersection(a, b, item) ?? this.intersection(b, a, item);
      case "within":
        return this.subset(a, b, item);
      case "contains":
        return this.subset(b, a, item);
      case "equivalent":
        return junction([this.subset(b, a, item), this.subset(a, b, item)], false);
      case undefined:
        return undefined;
    }
  }

  private intersection(list: Expr, place: Expr, item: string | undefined): RowTruths | undefined {
    const values = this.listed(list);
    if (values === undefined) return undefined;
    const found = this.place(place, item);
    if (found === undefined) return this.someAmong(place, values, item);
    const { each } = values;
    const { term } = found;
    return listed(found, any(each.map((value) => includes(term, value))), all(each.map((v) => lacks(term, v))));
  }

  private subset(a: Expr, b: Expr, item: string | undefined): RowTruths | undefined {
    const needed = this.listed(a);
    const whole = this.place(b, item);
    if (needed !== undefined && whole !== undefined) {
      const { each } = needed;
      const { term } = whole;
      return listed(whole, all(each.map((value) => includes(term, value))), any(each.map((v) => lacks(term, v))));
    }
    const values = this.listed(b);
    const part = this.place(a, item);
    if (values === undefined || part === undefined) return undefined;
    const among: OutlineTest = { op: "in", term: { of: "item", path: [] }, values };
    const each = { term: part.term, over: "items" } as const;
    return listed(part, { op: "every", ...each, where: among }, { op: "some", ...each, where: not(among) });
  }

  private presence(expr: Extract<Expr, { kind: "has" }>, item: string | undefined): RowTruths | undefined {
    const { operand, field } = expr;
    const place = this.place(operand, item, false);
    if (place !== undefined) {
      const { term } = place;
      const within: OutlineTest = { op: "present", term: { ...term, path: [...term.path, field] } };
      const there = all([place.guard, readable(place.term), not({ op: "type", term: place.term, types: ["array"] })]);
      return definedTruths(all([place.guard, within]), all([there, not(within)]));
    }
    const { root, path } = requestValueOf(operand) ?? {};
    if (root?.path !== "R.attr" || path?.length !== 0) return undefined;
    const within: OutlineTest = { op: "present", term: attribute(this.questions.known.declared, [field]) };
    return definedTruths(within, not(within));
  }

  private quantified(expr: Macro, outer: string | undefined): RowTruths | undefined {
    const { macro, range, v1, v2, filter } = expr;
    if ((macro !== "all" && macro !== "exists") || v2 !== undefined || filter === undefined) return undefined;
    const place = this.place(range, outer);
    const body = place && this.truths(filter, v1);
    if (place === undefined || body === undefined) return undefined;
    const { term, guard } = place;
    const decides = macro === "exists" ? body.holds : body.fails;
    const other = macro === "exists" ? body.fails : body.holds;
    const some = (where: Outline) =>
      any([quantified("some", term, "items", where), quantified("some", term, "keys", where)]);
    const every = (where: Outline) =>
      any([quantified("every", term, "items", where), quantified("every", term, "keys", where)]);
    const [decided, undecided] = [all([guard, some(decides)]), all([guard, every(other)])];
    return macro === "exists" ? definedTruths(decided, undecided) : definedTruths(undecided, decided);
  }
}

function quantified(op: "some" | "every", term: FilterTerm, over: "items" | "keys", where: Outline): Outline {
  return { op, term, over, where };
}

function isTruthful(expr: Expr): boolean {
  return typeof constantOf(expr) === "boolean" || hasBooleanForm(expr);
}
