/** Joins outlines, and removes parts that are redundant or repeated. */

import { EVERY, NO } from "./filter.js";
import { keyOf, termKey } from "./keys.js";
import { isEvery, isNo, isTest, not, type Outline, type OutlineTest } from "./outline.js";
import { RowFacts, simplifyConjunction } from "./simplify-conjunction.js";
import type { TestValues } from "./test-values.js";

/** The rows of which all of these hold. */
export function all(outlines: readonly Outline[]): Outline {
  const needed = outlines.filter((outline) => !isEvery(outline));
  if (needed.length < 2) return needed[0] ?? EVERY;
  const parts = distinct("all", needed);
  if (parts === undefined) return NO;
  const tidy = simplifyConjunction(merged("all", parts));
  if (tidy === undefined) return NO;
  const nested = tidy.filter((part) => part.op === "any" && sizeOf(part) <= MAX_NESTED);
  if (nested.length === 0 || nested.length === tidy.length) return only("all", tidy);
  const facts = new RowFacts(tidy);
  const left = tidy.map((part) => (nested.includes(part) ? under(part, facts) : part));
  const parted = distinct("all", left);
  const again = parted && simplifyConjunction(parted);
  return again === undefined ? NO : only("all", again);
}

/** The rows of which at least one of these holds. */
export function any(outlines: readonly Outline[]): Outline {
  const needed = outlines.filter((outline) => !isNo(outline));
  if (needed.length < 2) return needed[0] ?? NO;
  const parts = distinct("any", needed);
  if (parts === undefined) return EVERY;
  const left = merged("any", parts);
  return shared(left) ?? only("any", left);
}

/** Larger outlines are not simplified by facts. */
const MAX_NESTED = 500;

function sizeOf(outline: Outline): number {
  if (outline.op !== "all" && outline.op !== "any") return 1;
  return outline.of.reduce((sum, part) => sum + sizeOf(part), 1);
}

/** Simplifies an outline by known facts. */
function under(outline: Outline, facts: RowFacts): Outline {
  if (outline.op === "all") return all(outline.of.map((part) => under(part, facts)));
  if (outline.op === "any") return any(outline.of.map((part) => under(part, facts)));
  const test = outline.op === "not" ? outline.of : outline;
  const said = isTest(test) ? facts.said(test) : undefined;
  if (said === undefined) return outline;
  return said === (outline.op !== "not") ? EVERY : NO;
}

/**
 * Removes repeated parts and flattens parts of the same operator. Undefined: one part decides, or two are opposites.
 */
function distinct(op: "all" | "any", outlines: readonly Outline[]): readonly Outline[] | undefined {
  const decides = op === "all" ? isNo : isEvery;
  const parts = new Map<string | Outline, Outline>();
  for (const outline of outlines) {
    if (decides(outline)) return undefined;
    const within = outline.op === op ? outline.of : [outline];
    for (const part of within) parts.set(keyOf(part), part);
  }
  const left = [...parts.values()];
  if (left.some((part) => part.op === "not" && parts.has(keyOf(part.of)))) return undefined;
  return left.filter((part) => !isImplied(part, op, parts));
}

/** Whether the other parts make this part redundant: `a && (a || b)`, `a || (a && b)`. */
function isImplied(part: Outline, op: "all" | "any", parts: ReadonlyMap<string | Outline, Outline>): boolean {
  if ((part.op !== "all" && part.op !== "any") || part.op === op) return false;
  return part.of.some((one) => parts.has(keyOf(one)));
}

/** Factors out common parts: `(a && b) || (a && c)` is `a && (b || c)`. Undefined if nothing is common. */
function shared(parts: readonly Outline[]): Outline | undefined {
  const [first, ...rest] = parts.map((part) => (part.op === "all" ? part.of : [part]));
  if (first === undefined || rest.length === 0) return undefined;
  const keys = rest.map((part) => new Set(part.map(keyOf)));
  const common = first.filter((one) => keys.every((others) => others.has(keyOf(one))));
  if (common.length === 0) return undefined;
  const isCommon = new Set(common.map(keyOf));
  const left = [first, ...rest].map((part) => all(part.filter((one) => !isCommon.has(keyOf(one)))));
  return all([...common, any(left)]);
}

function only(op: "all" | "any", parts: readonly Outline[]): Outline {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : { op, of: parts };
}

/** Merges comparisons of a term with several values into one list: `a == 1 || a == 2`, `a != 1 && a != 2`. */
function merged(op: "all" | "any", parts: readonly Outline[]): readonly Outline[] {
  const memberships = new Map<string, TestValues[]>();
  const found = parts.map((part) => {
    const test = op === "any" ? part : part.op === "not" ? part.of : undefined;
    if (test?.op !== "in") return undefined;
    const key = termKey(test.term);
    const values = memberships.get(key) ?? [];
    memberships.set(key, values);
    values.push(test.values);
    return { test, key };
  });
  if (memberships.size === found.filter((one) => one !== undefined).length) return parts;
  const done = new Set<string>();
  return parts.flatMap((part, i): readonly Outline[] => {
    const one = found[i];
    if (one === undefined) return [part];
    if (done.has(one.key)) return [];
    done.add(one.key);
    const [first = one.test.values, ...more] = memberships.get(one.key) ?? [];
    const test: OutlineTest = { ...one.test, values: first.with(more) };
    return [op === "any" ? test : not(test)];
  });
}
