/**
 * The branches of a condition: it holds if all parts of one branch hold. A part is a search of a key's list, or any
 * other expression.
 */

import type { Expr } from "../cel/ast.js";
import { OPERATORS } from "../cel/operators.js";
import type { Condition, Definitions, Expression } from "../policy/model.js";
import { DefinitionInliner, readsResourceAttributes, textOf } from "./expression-text.js";
import { type KeyList, type ListSearch, listSearchOf, readsKeyList } from "./list-search.js";

export interface BranchPart {
  /** Equal for parts that are equal in all policies. */
  readonly text: string;
  /** Whether it may read attributes of the resource. */
  readonly readsResource: boolean;
  /** Whether it may read a list of permissions, or the key's roles. */
  readonly readsLists: boolean;
  /** The search, if the part is one that more texts can satisfy. */
  readonly search: BranchSearch | undefined;
}

export interface BranchSearch extends ListSearch {
  /** The names that the expressions of the search read. */
  readonly definitions: Definitions;
}

export type Branch = readonly BranchPart[];

/** More branches of one condition, or of a rule with a derived role, are left out: then there may be fewer hints. */
export const MAX_BRANCHES = 64;

const ALWAYS: readonly Branch[] = [[]];

/** Conditions under which something is done: those of rules and of derived roles. */
export interface Conditioned {
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
}

export class BranchReader {
  private readonly isSearched: (list: KeyList) => boolean;
  private readonly inliners = new Map<Definitions, DefinitionInliner>();
  private readonly known = new Map<Condition, { holds?: readonly Branch[]; fails?: readonly Branch[] }>();

  /** `isSearched`: whether a list is a list of permissions. The searches of other lists are parts like any others. */
  constructor(isSearched: (list: KeyList) => boolean) {
    this.isSearched = isSearched;
  }

  /** The branches in which a condition holds; with `holds: false`, those in which it does not. */
  of({ condition, definitions }: Conditioned, holds = true): readonly Branch[] {
    if (condition === undefined) return holds ? ALWAYS : [];
    const kept = this.known.get(condition) ?? {};
    this.known.set(condition, kept);
    const side = holds ? "holds" : "fails";
    const found = kept[side] ?? this.condition(condition, holds, definitions);
    kept[side] = found;
    return found;
  }

  private condition(condition: Condition, holds: boolean, definitions: Definitions): readonly Branch[] {
    if (condition.kind === "expr") return this.expression(condition.expr, holds, definitions);
    const isNone = condition.kind === "none";
    const wanted = isNone ? !holds : holds;
    const members = condition.of.map((one) => this.condition(one, wanted, definitions));
    const isAll = (condition.kind === "all") === wanted;
    return isAll ? product(members) : union(members);
  }

  private expression({ expr, source }: Expression, holds: boolean, definitions: Definitions): readonly Branch[] {
    const inliner = this.inliners.get(definitions) ?? new DefinitionInliner(definitions);
    this.inliners.set(definitions, inliner);
    const inlined = inliner.inlined(expr);
    if (inlined !== undefined) return this.parts(inlined, holds, definitions);
    return [[{ text: `${holds} ${source}`, readsResource: true, readsLists: true, search: undefined }]];
  }

  private parts(expr: Expr, holds: boolean, definitions: Definitions): readonly Branch[] {
    if (expr.kind === "literal" && typeof expr.value === "boolean") return expr.value === holds ? ALWAYS : [];
    if (expr.kind === "bind") return this.part(expr, holds, definitions);
    const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
    const [first, second, third] = expr.kind === "call" ? expr.args : [];
    if (operator?.kind === "junction") {
      const all = [first, second].flatMap((arg) => (arg === undefined ? [] : [this.parts(arg, holds, definitions)]));
      return operator.decisive === holds ? union(all) : product(all);
    }
    if (operator?.kind === "not" && first !== undefined) return this.parts(first, !holds, definitions);
    if (operator?.kind === "conditional" && first !== undefined && second !== undefined && third !== undefined) {
      const side = (is: boolean, then: Expr) =>
        product([this.parts(first, is, definitions), this.parts(then, holds, definitions)]);
      return union([side(true, second), side(false, third)]);
    }
    return this.part(expr, holds, definitions);
  }

  private part(expr: Expr, holds: boolean, definitions: Definitions): readonly Branch[] {
    const found = holds ? listSearchOf(expr) : undefined;
    const search = found !== undefined && this.isSearched(found.list) ? { ...found, definitions } : undefined;
    const text = `${holds ? "" : "not "}${textOf(expr, definitions.constants)}`;
    const readsLists = readsKeyList(expr, this.isSearched);
    return [[{ text, readsResource: readsResourceAttributes(expr), readsLists, search }]];
  }
}

function union(all: readonly (readonly Branch[])[]): readonly Branch[] {
  return all.flat().slice(0, MAX_BRANCHES);
}

/** The branches in which one branch of each holds. */
export function product(all: readonly (readonly Branch[])[]): readonly Branch[] {
  return all.reduce<readonly Branch[]>(
    (made, branches) => made.flatMap((one) => branches.map((other) => [...one, ...other])).slice(0, MAX_BRANCHES),
    ALWAYS,
  );
}
