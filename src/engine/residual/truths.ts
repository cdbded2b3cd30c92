/** From what is left of an expression to the rows for which it is true, and those for which it is false. */

import { type Call, children, type Expr, type Macro, type MemberCall, operandsOf } from "../../cel/ast.js";
import { chainOf, factsOf, isTruth } from "../../cel/facts.js";
import { OPERATORS } from "../../cel/operators.js";
import { follow } from "../../cel/roots.js";
import { type CelValue, TypeValue, Uint } from "../../cel/values.js";
import type { RowTruths } from "../plan/walk.js";
import {
  EVERY,
  type Filter,
  type JsonType,
  MAYBE,
  NO,
  not,
  type Order,
  type Row,
  type Scalar,
  type Term,
  type Test,
} from "./filter.js";
import { asDeclared } from "./guards.js";
import { all, any } from "./join.js";
import type { Knowledge } from "./knowledge.js";
import { constantOf, ERROR, hasFreeLocals, hasUnknown, UNKNOWN } from "./residue.js";

/** For rows of which neither is said the expression errs, or its value is no truth. */
export type Truths = RowTruths<Filter>;

const ALWAYS: Truths = { holds: EVERY, fails: NO, isSaid: EVERY };
const NEVER: Truths = { holds: NO, fails: EVERY, isSaid: EVERY };
const NEITHER: Truths = { holds: NO, fails: NO, isSaid: NO };
const EITHER: Truths = { holds: MAYBE, fails: MAYBE, isSaid: MAYBE };

/** Something of the row, and when reading it does not err, if it is there. */
interface Place {
  readonly term: Term;
  readonly guard: Filter;
}

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

/** Each is made when it is asked for: most are not. */
class Lazy implements Truths {
  private readonly make: { readonly [one in keyof Truths]: () => Filter };
  private readonly made: { -readonly [one in keyof Truths]?: Filter } = {};

  constructor(make: Lazy["make"]) {
    this.make = make;
  }

  get holds(): Filter {
    this.made.holds ??= this.make.holds();
    return this.made.holds;
  }

  get fails(): Filter {
    this.made.fails ??= this.make.fails();
    return this.made.fails;
  }

  get isSaid(): Filter {
    this.made.isSaid ??= this.make.isSaid();
    return this.made.isSaid;
  }
}

/** One of two things that together are all that can be said. */
export function said(holds: Filter, fails: Filter): Truths {
  return new Lazy({ holds: () => holds, fails: () => fails, isSaid: () => any([holds, fails]) });
}

function junction(parts: readonly (Truths | undefined)[], decisive: boolean): Truths | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const holds = () => known.map((part) => part.holds);
  const fails = () => known.map((part) => part.fails);
  return new Lazy({
    holds: () => (decisive ? any : all)(holds()),
    fails: () => (decisive ? all : any)(fails()),
    isSaid: () => any([...(decisive ? holds() : fails()), all(known.map((part) => part.isSaid))]),
  });
}

function negated(part: Truths | undefined): Truths | undefined {
  return part && new Lazy({ holds: () => part.fails, fails: () => part.holds, isSaid: () => part.isSaid });
}

function conditional([test, yes, no]: readonly (Truths | undefined)[]): Truths | undefined {
  if (test === undefined || yes === undefined || no === undefined) return undefined;
  const either = (a: Filter, b: Filter) => any([all([test.holds, a]), all([test.fails, b])]);
  return new Lazy({
    holds: () => either(yes.holds, no.holds),
    fails: () => either(yes.fails, no.fails),
    isSaid: () => either(yes.isSaid, no.isSaid),
  });
}

/** That both hold, where the second is looked at only if the first does. */
export function guarded(guard: Truths, rule: Truths): Truths {
  return new Lazy({
    holds: () => all([guard.holds, rule.holds]),
    fails: () => any([guard.fails, all([guard.holds, rule.fails])]),
    isSaid: () => any([guard.fails, all([guard.holds, rule.isSaid])]),
  });
}

/** Of two truths. */
function equality([a, b]: readonly (Truths | undefined)[], equal: boolean): Truths | undefined {
  if (a === undefined || b === undefined) return undefined;
  const same = () => any([all([a.holds, b.holds]), all([a.fails, b.fails])]);
  const other = () => any([all([a.holds, b.fails]), all([a.fails, b.holds])]);
  const isSaid = () => all([a.isSaid, b.isSaid]);
  return new Lazy(equal ? { holds: same, fails: other, isSaid } : { holds: other, fails: same, isSaid });
}

/** That some of these hold, of which none errs. */
function some(parts: readonly Truths[]): Truths {
  const othersAreSaid = (one: Truths) => all(parts.flatMap((other) => (other === one ? [] : [other.isSaid])));
  return new Lazy({
    holds: () => any(parts.map((part) => all([part.holds, othersAreSaid(part)]))),
    fails: () => all(parts.map((part) => part.fails)),
    isSaid: () => all(parts.map((part) => part.isSaid)),
  });
}

function isTruthful(expr: Expr): boolean {
  return typeof constantOf(expr) === "boolean" || isTruth(expr);
}

/** That it is there, which an id always is. */
function present(term: Term): Filter {
  return term.of === "id" ? EVERY : { op: "present", term };
}

function isOf(types: readonly JsonType[], term: Term): Filter {
  if (term.of === "id") return types.includes("string") ? EVERY : NO;
  return { op: "type", term, types };
}

function includes(term: Term, value: Scalar): Filter {
  return { op: "includes", term, value };
}

function lacks(term: Term, value: Scalar): Filter {
  return not({ op: "includes", term, value });
}

/** A test of what is there, whatever its type. */
function whereThere({ term, guard }: Place, test: Test): Truths {
  return tested(guard, present(term), test, not(test));
}

/** A test that errs for what is of another type. */
function ofTypes({ term, guard }: Place, types: readonly JsonType[], test: Test): Truths {
  return tested(guard, isOf(types, term), test, not(test));
}

function tested(guard: Filter, isSaid: Filter, holds: Filter, fails: Filter): Truths {
  return new Lazy({
    holds: () => all([guard, holds]),
    fails: () => all([guard, isSaid, fails]),
    isSaid: () => all([guard, isSaid]),
  });
}

/** What is said of a list; of what is none it errs. */
function listed({ term, guard }: Place, holds: Filter, fails: Filter): Truths {
  const isList = isOf(["array"], term);
  return tested(all([guard, isList]), EVERY, holds, fails);
}

/** A constant as a filter has it: a number is the double that values of rows are compared with. */
function scalarOf(value: CelValue | undefined): Scalar | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  const number = value instanceof Uint ? Number(value.value) : typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function scalarsOf(value: CelValue | undefined): readonly Scalar[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const scalars: Scalar[] = [];
  for (const element of value) {
    const scalar = scalarOf(element);
    if (scalar === undefined) return undefined;
    scalars.push(scalar);
  }
  return scalars;
}

/** Constant texts, joined. */
function textOf(parts: readonly Expr[]): string | undefined {
  const texts = parts.map(constantOf).filter((value) => typeof value === "string");
  return texts.length === parts.length ? texts.join("") : undefined;
}

/** What has to stand between two texts for a value to come out. */
function between(value: Scalar, before: string, after: string): readonly string[] {
  if (typeof value !== "string" || value.length < before.length + after.length) return [];
  const isAround = value.startsWith(before) && value.endsWith(after);
  return isAround ? [value.slice(before.length, value.length - after.length)] : [];
}

/** The types of JSON data by the names that expressions have for them. */
const TYPES: ReadonlyMap<string, JsonType> = new Map<string, JsonType>([
  ["null_type", "null"],
  ["bool", "boolean"],
  ["double", "number"],
  ["string", "string"],
  ["list", "array"],
  ["map", "object"],
]);

const INTERSECTIONS: ReadonlySet<string> = new Set(["hasIntersection", "has_intersection", "sets.intersects"]);
const SUBSETS: ReadonlySet<string> = new Set(["isSubset", "is_subset"]);
