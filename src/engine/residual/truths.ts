/** From what is left of an expression to the rows for which it is true, and those for which it is false. */

import { type Call, children, type Expr, type Macro, type MemberCall, operandsOf } from "../../cel/ast.js";
import { chainOf, factsOf, isTruth } from "../../cel/facts.js";
import { OPERATORS } from "../../cel/operators.js";
import { follow } from "../../cel/roots.js";
import { TypeValue } from "../../cel/values.js";
import { EVERY, type Filter, NO, not, type Order, type Row, type Scalar, type Term, type Test } from "./filter.js";
import { asDeclared } from "./guards.js";
import { all, any } from "./join.js";
import type { Knowledge } from "./knowledge.js";
import {
  ALWAYS,
  conditional,
  EITHER,
  equality,
  junction,
  NEITHER,
  NEVER,
  negated,
  said,
  some,
  type Truths,
} from "./logic.js";
import { includes, lacks, listed, ofTypes, type Place, present, whereThere } from "./places.js";
import { constantOf, ERROR, hasFreeLocals, hasUnknown, UNKNOWN } from "./residue.js";
import { between, scalarOf, scalarsOf, TYPES, textOf } from "./scalars.js";

/** Makes the value of an expression for rows. */
export type Evaluator = (expr: Expr) => (row: Row) => boolean | undefined;

export class TruthMaker {
  private readonly known: Knowledge;
  private readonly evaluator: Evaluator;
  private readonly made = new Map<Expr, Truths>();

  constructor(known: Knowledge, evaluator: Evaluator) {
    this.known = known;
    this.evaluator = evaluator;
  }

  of(expr: Expr): Truths {
    const known = this.made.get(expr);
    if (known !== undefined) return known;
    const made = this.truths(expr, undefined) ?? this.opaque(expr);
    this.made.set(expr, made);
    return made;
  }

  /** `item`: the variable of a macro whose body this is. Undefined: it cannot be said by tests of the item. */
  private truths(expr: Expr, item: string | undefined): Truths | undefined {
    if (expr === ERROR) return NEITHER;
    if (expr === UNKNOWN) return EITHER;
    const value = constantOf(expr);
    if (value !== undefined) return value === true ? ALWAYS : value === false ? NEVER : NEITHER;
    return this.logic(expr, item) ?? this.test(expr, item) ?? this.byItself(expr, item);
  }

  private parts(expr: Expr, item: string | undefined): Truths | undefined {
    return item === undefined ? this.of(expr) : this.truths(expr, item);
  }

  private byItself(expr: Expr, item: string | undefined): Truths | undefined {
    return item === undefined || !hasFreeLocals(expr) ? this.opaque(expr) : undefined;
  }

  private opaque(expr: Expr): Truths {
    if (hasUnknown(expr)) return EITHER;
    const value = this.evaluator(expr);
    const reads = [...new Set(factsOf(expr).reads.map(({ root, path }) => [root, ...path].join(".")))].sort();
    return said({ op: "expression", is: true, reads, value }, { op: "expression", is: false, reads, value });
  }

  private logic(expr: Expr, item: string | undefined): Truths | undefined {
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

  private test(expr: Expr, item: string | undefined): Truths | undefined {
    switch (expr.kind) {
      case "call":
        return this.comparison(expr, item) ?? this.function(expr, expr.args, item);
      case "member":
        return this.text(expr, item) ?? this.function(expr, children(expr), item);
      case "has":
        return this.presence(expr, item);
      case "macro":
        return this.quantified(expr, item);
      default: {
        const place = this.place(expr, item);
        if (place === undefined) return undefined;
        return ofTypes(place, ["boolean"], { op: "in", term: place.term, values: [true] });
      }
    }
  }

  /** What of the row an expression is; undefined if it is something else, or there is no filter for how it is declared. */
  private place(expr: Expr, item: string | undefined, whole = true): Place | undefined {
    const chain = chainOf(expr);
    if (chain === undefined) return undefined;
    if (chain.of === "local") {
      return chain.root === item ? { term: { of: "item", path: chain.fields }, guard: EVERY } : undefined;
    }
    const { root, path } = (chain.of === "request" ? follow(chain.root, chain.fields) : undefined) ?? {};
    if (root?.path === "R.id" && path?.length === 0) return { term: { of: "id", path }, guard: EVERY };
    if (root?.path !== "R.attr" || path === undefined || path.length === 0) return undefined;
    const guard = asDeclared(this.known.declared, path, whole);
    return guard && { term: { of: "attr", path }, guard };
  }

  private comparison(expr: Call, item: string | undefined): Truths | undefined {
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

  private equality(left: Expr, right: Expr, item: string | undefined): Truths | undefined {
    const sized = this.sized(left, right, "==", item) ?? this.typed(left, right, item);
    if (sized !== undefined) return sized;
    const constant = scalarOf(constantOf(right));
    if (constant !== undefined) return this.among(left, [constant], item);
    const place = this.place(left, item);
    if (place === undefined) return undefined;
    const other = this.place(right, item);
    if (other === undefined) return undefined;
    const guard = all([place.guard, other.guard, present(other.term)]);
    return whereThere({ term: place.term, guard }, { op: "same", term: place.term, other: other.term });
  }

  private ordering(left: Expr, right: Expr, symbol: Order, item: string | undefined): Truths | undefined {
    const sized = this.sized(left, right, symbol, item);
    if (sized !== undefined) return sized;
    const place = this.place(left, item);
    const constant = scalarOf(constantOf(right));
    if (place === undefined || (typeof constant !== "string" && typeof constant !== "number")) return undefined;
    const { term } = place;
    return ofTypes(place, [typeof constant === "string" ? "string" : "number"], {
      op: "order",
      term,
      symbol,
      value: constant,
    });
  }

  /** `size(place)` beside a number. */
  private sized(left: Expr, right: Expr, symbol: Order | "==", item: string | undefined): Truths | undefined {
    if ((left.kind !== "call" && left.kind !== "member") || left.fn !== "size") return undefined;
    const [of, more] = children(left);
    const place = of && more === undefined ? this.place(of, item) : undefined;
    const value = scalarOf(constantOf(right));
    if (place === undefined || typeof value !== "number") return undefined;
    return ofTypes(place, ["string", "array", "object"], { op: "size", term: place.term, symbol, value });
  }

  /** `type(place) == double`. */
  private typed(left: Expr, right: Expr, item: string | undefined): Truths | undefined {
    const type = constantOf(right);
    if (left.kind !== "call" || left.fn !== "type" || !(type instanceof TypeValue)) return undefined;
    const [of] = left.args;
    const place = of && this.place(of, item);
    const name = TYPES.get(type.name);
    if (place === undefined) return undefined;
    if (name === undefined) return said(NO, all([place.guard, present(place.term)]));
    return whereThere(place, { op: "type", term: place.term, types: [name] });
  }

  /** `place in ["a", "b"]`, and `"a" in [place, "b"]`. */
  private membership(left: Expr, right: Expr, item: string | undefined): Truths | undefined {
    const values = scalarsOf(constantOf(right));
    if (values !== undefined) return this.among(left, values, item);
    const value = scalarOf(constantOf(left));
    return value === undefined ? undefined : this.someAmong(right, [value], item);
  }

  /** Whether some element of a list that is written out is one of the values; where an element errs, the list does. */
  private someAmong(list: Expr, values: readonly Scalar[], item: string | undefined): Truths | undefined {
    if (list.kind !== "list") return undefined;
    const parts = list.elements.map((element) => this.among(element, values, item));
    const known = parts.filter((part) => part !== undefined);
    return known.length === parts.length ? some(known) : undefined;
  }

  /** Whether a constant, a place, or a text that a place is part of, is one of the values. */
  private among(expr: Expr, values: readonly Scalar[], item: string | undefined): Truths | undefined {
    const constant = scalarOf(constantOf(expr));
    if (constant !== undefined) return values.includes(constant) ? ALWAYS : NEVER;
    const place = this.place(expr, item);
    if (place !== undefined) return whereThere(place, { op: "in", term: place.term, values });
    if (expr.kind !== "call" || OPERATORS.get(expr.fn)?.kind !== "arithmetic" || expr.fn !== "_+_") return undefined;
    const parts = operandsOf(expr);
    const open = parts.findIndex((part) => constantOf(part) === undefined);
    const within = parts[open] && this.place(parts[open], item);
    const [before, after] = [textOf(parts.slice(0, open)), textOf(parts.slice(open + 1))];
    if (within === undefined || before === undefined || after === undefined) return undefined;
    const inner = values.flatMap((value) => between(value, before, after));
    return ofTypes(within, ["string"], { op: "in", term: within.term, values: inner });
  }

  /** `"a" in place`. */
  private inclusion(left: Expr, right: Expr, item: string | undefined): Truths | undefined {
    const value = scalarOf(constantOf(left));
    const place = this.place(right, item);
    if (place === undefined || value === undefined) return undefined;
    return ofTypes(place, ["array", "object"], { op: "includes", term: place.term, value });
  }

  private text(expr: MemberCall, item: string | undefined): Truths | undefined {
    const { fn, target, args } = expr;
    if (fn !== "startsWith" && fn !== "endsWith" && fn !== "contains") return undefined;
    const [arg] = args;
    const place = this.place(target, item);
    const value = arg && constantOf(arg);
    if (place === undefined || typeof value !== "string") return undefined;
    return ofTypes(place, ["string"], { op: "text", term: place.term, how: fn, value });
  }

  /** Functions of two lists, of which one is known. */
  private function({ fn }: Call | MemberCall, args: readonly Expr[], item: string | undefined): Truths | undefined {
    const [a, b] = args;
    if (a === undefined || b === undefined || args.length !== 2) return undefined;
    if (INTERSECTIONS.has(fn)) return this.intersection(a, b, item) ?? this.intersection(b, a, item);
    if (SUBSETS.has(fn)) return this.subset(a, b, item);
    return fn === "sets.contains" ? this.subset(b, a, item) : undefined;
  }

  private intersection(list: Expr, place: Expr, item: string | undefined): Truths | undefined {
    const values = scalarsOf(constantOf(list));
    if (values === undefined) return undefined;
    const found = this.place(place, item);
    if (found === undefined) return this.someAmong(place, values, item);
    const { term } = found;
    return listed(found, any(values.map((value) => includes(term, value))), all(values.map((v) => lacks(term, v))));
  }

  private subset(a: Expr, b: Expr, item: string | undefined): Truths | undefined {
    const needed = scalarsOf(constantOf(a));
    const whole = this.place(b, item);
    if (needed !== undefined && whole !== undefined) {
      const { term } = whole;
      return listed(whole, all(needed.map((value) => includes(term, value))), any(needed.map((v) => lacks(term, v))));
    }
    const values = scalarsOf(constantOf(b));
    const part = this.place(a, item);
    if (values === undefined || part === undefined) return undefined;
    const among: Test = { op: "in", term: { of: "item", path: [] }, values };
    const each = { term: part.term, over: "items" } as const;
    return listed(part, { op: "every", ...each, where: among }, { op: "some", ...each, where: not(among) });
  }

  private presence(expr: Extract<Expr, { kind: "has" }>, item: string | undefined): Truths | undefined {
    const { operand, field } = expr;
    const place = this.place(operand, item, false);
    if (place !== undefined) {
      const { of, path } = place.term;
      const within: Test = { op: "present", term: { of, path: [...path, field] } };
      const there = all([place.guard, present(place.term), not({ op: "type", term: place.term, types: ["array"] })]);
      return said(all([place.guard, within]), all([there, not(within)]));
    }
    const chain = chainOf(operand);
    const { root, path } = (chain?.of === "request" ? follow(chain.root, chain.fields) : undefined) ?? {};
    if (root?.path !== "R.attr" || path?.length !== 0) return undefined;
    const within: Test = { op: "present", term: { of: "attr", path: [field] } };
    return said(within, not(within));
  }

  private quantified(expr: Macro, outer: string | undefined): Truths | undefined {
    const { macro, range, v1, v2, filter } = expr;
    if ((macro !== "all" && macro !== "exists") || v2 !== undefined || filter === undefined) return undefined;
    const place = this.place(range, outer);
    const body = place && this.truths(filter, v1);
    if (place === undefined || body === undefined) return undefined;
    const { term, guard } = place;
    const decides = macro === "exists" ? body.holds : body.fails;
    const other = macro === "exists" ? body.fails : body.holds;
    const some = (where: Filter) =>
      any([quantified("some", term, "items", where), quantified("some", term, "keys", where)]);
    const every = (where: Filter) =>
      any([quantified("every", term, "items", where), quantified("every", term, "keys", where)]);
    const [decided, undecided] = [all([guard, some(decides)]), all([guard, every(other)])];
    return macro === "exists" ? said(decided, undecided) : said(undecided, decided);
  }
}

function quantified(op: "some" | "every", term: Term, over: "items" | "keys", where: Filter): Filter {
  return { op, term, over, where };
}

function isTruthful(expr: Expr): boolean {
  return typeof constantOf(expr) === "boolean" || isTruth(expr);
}

const INTERSECTIONS: ReadonlySet<string> = new Set(["hasIntersection", "has_intersection", "sets.intersects"]);
const SUBSETS: ReadonlySet<string> = new Set(["isSubset", "is_subset"]);
