/**
 * `hasIntersection(attribute, ["a", "b" + R.id + "c"])`: the usual test whether a list has one of a few strings. The
 * general function (`functions/cerbos-lists.ts`) gives the same answers, but builds both lists.
 */

import type { Call, Expr, MemberCall } from "../ast.js";
import { type Evaluation, failAt, spend } from "../evaluation.js";
import { requestValueOf } from "../expression-usage.js";
import { LIST_RELATIONS } from "../list-functions.js";
import type { CelList } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";
import { concatenation } from "./strings.js";

/**
 * Code for the intersection of an attribute with a list of strings; undefined for any other call. `general` compiles
 * the same call in the general way, for an attribute that turns out not to be a list.
 */
export function compileIntersection(
  { kind, fn }: Call | MemberCall,
  [left, right]: readonly Expr[],
  scope: CompileScope,
  general: () => Code,
): Code | undefined {
  // The fused code does not compute the elements of the list one by one, but a watch must see their values.
  if (kind !== "call" || scope.watch !== undefined) return undefined;
  if (LIST_RELATIONS.get(fn) !== "intersects" || left === undefined || right === undefined) return undefined;
  const [attribute, list] = right.kind === "list" ? [left, right] : [right, left];
  // Attributes are JSON, where only a string equals a string.
  if (list.kind !== "list" || requestValueOf(attribute) === undefined) return undefined;
  const texts: SearchedText[] = [];
  for (const element of list.elements) {
    const text = textOf(element);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  // Compile only after all elements are known to have this form, and the general call only when it is needed. Otherwise
  // nested calls would be compiled twice at each level.
  const searches = texts.map((text) => searchOf(text, scope));
  return intersection(codeOf(attribute, scope), attribute === left, searches, general);
}

/** `isFirst`: the attribute is the first argument, so its error precedes an error of the other. */
function intersection(list: Code, isFirst: boolean, searches: readonly TextSearch[], general: () => Code): Code {
  let made: Code | undefined;
  return (ev) => {
    const among = list(ev);
    if (among === undefined && isFirst) return undefined;
    if (!Array.isArray(among)) {
      made ??= general();
      return made(ev);
    }
    if (among.length > FREE && !spend(ev, Math.floor((among.length * searches.length) / COST))) return undefined;
    let found = false;
    // Every element is evaluated, even after a hit: an element that errs is an error.
    for (let i = 0; i < searches.length; i++) {
      const hit = searches[i]?.(ev, found ? NOWHERE : among);
      if (hit === undefined) return undefined;
      if (hit) found = true;
    }
    return found;
  };
}

/** Lists up to `FREE` items are searched without spending steps; longer ones cost a step for `COST` comparisons. */
const FREE = 64;
const COST = 16;
const NOWHERE: CelList = Object.freeze([]);

/** Whether a list contains one string; undefined if evaluating the string errs. */
type TextSearch = (ev: Evaluation, among: CelList) => boolean | undefined;

/** A constant, or `prefix + middle + suffix`. */
type SearchedText = string | (NonNullable<ReturnType<typeof concatenation>> & { readonly at: number });

function textOf(element: Expr): SearchedText | undefined {
  if (element.kind === "literal") return typeof element.value === "string" ? element.value : undefined;
  const parts = concatenation(element);
  return parts === undefined ? undefined : { ...parts, at: element.at };
}

/** Searches for a text without concatenating it. */
function searchOf(text: SearchedText, scope: CompileScope): TextSearch {
  if (typeof text === "string") return (_ev, among) => has(among, text, "", "");
  const { prefix, suffix, at } = text;
  const middle = codeOf(text.middle, scope);
  return (ev, among) => {
    const value = middle(ev);
    if (value === undefined) return undefined;
    return typeof value === "string" ? has(among, prefix, value, suffix) : failAt(ev, "no such overload", at);
  };
}

function has(among: CelList, prefix: string, middle: string, suffix: string): boolean {
  const length = prefix.length + middle.length + suffix.length;
  for (let i = 0; i < among.length; i++) {
    const text = among[i];
    if (
      typeof text === "string" &&
      text.length === length &&
      text.startsWith(prefix) &&
      text.endsWith(suffix) &&
      text.startsWith(middle, prefix.length)
    ) {
      return true;
    }
  }
  return false;
}
