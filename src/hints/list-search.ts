/**
 * Searches of a key's list: the parts of conditions that look for texts in a list of the key, such as
 * `hasIntersection(P.attr.permissions, ["api.*.read", "api." + R.id + ".read"])` or `"admin" in P.roles`.
 */

import { children, type Expr } from "../cel/ast.js";
import {
  chainOf,
  hasBooleanForm,
  optionalChainOf,
  requestValueAt,
  requestValueOf,
  usageOf,
} from "../cel/expression-usage.js";
import { LIST_FUNCTIONS, LIST_RELATIONS } from "../cel/list-functions.js";
import { OPERATORS } from "../cel/operators.js";
import { hasFreeLocals } from "../engine/residual/residual-expression.js";
import { readsResourceAttributes, withValue } from "./expression-text.js";

/** A list of the key: the names below `key.attr`; none for the key's roles. */
export interface KeyList {
  readonly path: readonly string[];
  /** `roles`, or `attr.permissions`. */
  readonly name: string;
}

/** An expression for a text, or a list of texts, that a condition looks for. */
export interface SearchedText {
  readonly expr: Expr;
  /** Whether it may read attributes of the resource. */
  readonly readsResource: boolean;
}

export interface ListSearch {
  readonly list: KeyList;
  /** Whether the list needs all of the texts; otherwise one is enough. */
  readonly needsAll: boolean;
  readonly texts: readonly SearchedText[];
}

const OF_LISTS: ReadonlySet<string> = new Set([...LIST_FUNCTIONS, "size"]);

/** The search that an inlined expression is; undefined if it searches no list of the key, or several. */
export function listSearchOf(expr: Expr): ListSearch | undefined {
  const reader = new SearchReader();
  reader.read(expr, []);
  const [list, ...others] = reader.lists;
  if (list === undefined || others.some(({ name }) => name !== list.name)) return undefined;
  const texts = reader.found.map((found) => ({ expr: found, readsResource: readsResourceAttributes(found) }));
  return { list, needsAll: needsAll(expr), texts };
}

/** Whether an expression reads a list that searches look into, in any way. */
export function readsKeyList(expr: Expr, isSearched: (list: KeyList) => boolean): boolean {
  return usageOf(expr).reads.some(({ root, path }) => {
    if (root === "P.roles") return true;
    if (root === "P") return true;
    if (root !== "P.attr") return false;
    return path.length === 0 || path.some((_, i) => isSearched(attributeList(path.slice(0, i + 1))));
  });
}

function needsAll(expr: Expr): boolean {
  if (expr.kind === "macro") return expr.macro === "all" && keyListOf(expr.range) === undefined;
  if (expr.kind !== "call" && expr.kind !== "member") return false;
  const relation = LIST_RELATIONS.get(expr.fn);
  const [first, second] = children(expr);
  const whole = relation === "within" ? second : relation === "contains" ? first : undefined;
  return whole !== undefined && keyListOf(whole) !== undefined;
}

/** The list of the key that an expression stands for, perhaps with other elements or with a default. */
function keyListOf(expr: Expr): KeyList | undefined {
  const chain = chainOf(expr) ?? optionalChainOf(expr);
  if (chain !== undefined) {
    const value = requestValueAt(chain);
    if (value?.root.path === "P.roles" && value.path.length === 0) return ROLES;
    return value?.root.path === "P.attr" && value.path.length > 0 ? attributeList(value.path) : undefined;
  }
  if (expr.kind === "member" && /^or(Value)?$/.test(expr.fn)) return keyListOf(expr.target);
  if (expr.kind === "macro" && (expr.macro === "filter" || expr.macro === "map")) return keyListOf(expr.range);
  if (expr.kind !== "call") return undefined;
  const [first, second, third] = expr.args;
  if (OPERATORS.get(expr.fn)?.kind === "conditional") return firstList(second, third);
  return expr.fn === "_+_" ? firstList(first, second) : undefined;
}

function firstList(...exprs: readonly (Expr | undefined)[]): KeyList | undefined {
  for (const expr of exprs) {
    const list = expr && keyListOf(expr);
    // Text that is joined with a text has the same form as lists joined with a list.
    if (list !== undefined && !exprs.some((one) => one !== undefined && isText(one))) return list;
  }
  return undefined;
}

function isText(expr: Expr): boolean {
  if (expr.kind === "literal") return typeof expr.value === "string";
  if (expr.kind === "call" && expr.fn === "_+_") return expr.args.some(isText);
  const root = requestValueOf(expr)?.root.path;
  return root === "R.id" || root === "R.kind" || root === "P.id";
}

export const ROLES: KeyList = { path: [], name: "roles" };

function attributeList(path: readonly string[]): KeyList {
  return { path, name: ["attr", ...path].join(".") };
}

/** A variable that is bound around a sought text: to one value, or to each element of a list. */
interface Binder {
  readonly name: string;
  readonly values: "one" | "each";
  readonly of: Expr;
}

function namesOf(binders: readonly Binder[]): readonly string[] {
  return binders.map(({ name }) => name);
}

class SearchReader {
  readonly lists: KeyList[] = [];
  readonly found: Expr[] = [];

  read(expr: Expr, binders: readonly Binder[]): void {
    if (!this.searches(expr)) this.texts(expr, binders);
    else if (expr.kind === "macro") this.macro(expr, binders);
    else if (expr.kind !== "bind") this.operands(expr, binders);
    else this.read(expr.body, [...binders, { name: expr.name, values: "one", of: expr.init }]);
  }

  private operands(expr: Expr, binders: readonly Binder[]): void {
    for (const operand of children(expr)) {
      const list = isListPlace(expr, operand) ? keyListOf(operand) : undefined;
      if (list === undefined) this.read(operand, binders);
      else {
        this.lists.push(list);
        if (operand.kind === "macro" && operand.filter !== undefined) this.texts(operand.filter, binders);
      }
    }
  }

  /** Whether an expression has a list of the key in a place for lists. */
  private searches(expr: Expr): boolean {
    const isOwn = children(expr).some((part) => isListPlace(expr, part) && keyListOf(part) !== undefined);
    return isOwn || children(expr).some((part) => this.searches(part));
  }

  private macro({ range, v1, filter, transform }: Expr & { kind: "macro" }, binders: readonly Binder[]): void {
    const list = keyListOf(range);
    if (list !== undefined) this.lists.push(list);
    else if (this.searches(range)) this.read(range, binders);
    const within = list === undefined ? [...binders, { name: v1, values: "each", of: range } as const] : binders;
    for (const body of [filter, transform]) if (body !== undefined) this.read(body, within);
  }

  /** The largest parts that can be texts, and read no element of the list. */
  private texts(expr: Expr, binders: readonly Binder[]): void {
    if (expr.kind === "list" && expr.elements.length > 0) {
      for (const element of expr.elements) this.texts(element, binders);
      return;
    }
    if (hasFreeLocals(expr, namesOf(binders)) || hasBooleanForm(expr)) {
      for (const part of children(expr)) this.texts(part, binders);
      return;
    }
    if (expr.kind === "literal" ? typeof expr.value === "string" : true) this.found.push(...bound(expr, binders));
  }
}

function isListPlace(expr: Expr, operand: Expr): boolean {
  if (expr.kind === "macro") return operand === expr.range;
  if (expr.kind === "member") return OF_LISTS.has(expr.fn) || (expr.fn === "contains" && operand === expr.target);
  if (expr.kind !== "call") return false;
  return OF_LISTS.has(expr.fn) || (OPERATORS.get(expr.fn)?.kind === "membership" && operand === expr.args[1]);
}

/** The expression with its variables bound; one for each element where a variable runs over a list literal. */
function bound(expr: Expr, binders: readonly Binder[]): readonly Expr[] {
  const names = namesOf(binders);
  let exprs: readonly Expr[] = [expr];
  for (const { name, values, of } of [...binders].reverse()) {
    exprs = exprs.flatMap((body): readonly Expr[] => {
      if (
        !hasFreeLocals(
          body,
          names.filter((one) => one !== name),
        )
      )
        return [body];
      if (values === "one") return [withValue(name, of, body)];
      if (of.kind === "list" && of.elements.every(({ kind }) => kind !== "optional")) {
        return of.elements.map((element) => withValue(name, element, body));
      }
      const mapped = { macro: "map", range: of, v1: name, v2: undefined, filter: undefined, transform: body } as const;
      return [{ kind: "macro", at: 0, ...mapped }];
    });
  }
  return exprs;
}

/**
 * A list of permissions, as far as the searches of all policies tell: a list that is searched for texts that the
 * policies write. A list that is searched for values of the resource, and for texts without a value of the request
 * (`"*"`, `"all"`), holds the names of resources that the key can reach, such as its workspaces.
 */
export function isPermissionList(texts: readonly SearchedText[]): boolean {
  const words = texts.filter(({ expr }) => hasWord(expr));
  if (words.some(({ expr }) => expr.kind !== "literal")) return true;
  return words.length > 0 && !texts.some(({ expr }) => isResourceValue(expr));
}

const WORD = /[\p{L}\p{N}]/u;

function hasWord(expr: Expr): boolean {
  if (expr.kind === "literal") return typeof expr.value === "string" && WORD.test(expr.value);
  if (requestValueOf(expr)?.root.path === "R.kind") return true;
  if (chainOf(expr) !== undefined || optionalChainOf(expr) !== undefined) return false;
  return children(expr).some(hasWord);
}

function isResourceValue(expr: Expr): boolean {
  const root = requestValueOf(expr)?.root.path;
  return root === "R.id" || root === "R.attr";
}
