/** Makes outlines smaller without changing their meaning. */

import { keyOf, termKey } from "./keys.js";
import { isTest, type Outline, type OutlineTest } from "./outline.js";
import type { TestValues } from "./test-values.js";

/** Facts about a row: tests that hold, and tests that do not. */
export class RowFacts {
  private readonly holding = new Set<string | Outline>();
  private readonly failing = new Set<string | Outline>();
  /** The possible values of each term. */
  private readonly values = new Map<string, TestValues>();
  private readonly there = new Set<string>();
  private readonly readable = new Set<string>();
  private readonly absent: ReadonlySet<string>;

  constructor(parts: readonly Outline[]) {
    this.absent = absentIn(parts);
    for (const part of parts) {
      if (part.op === "not") this.failing.add(keyOf(part.of));
      else if (isTest(part)) this.add(part);
    }
  }

  private add(test: OutlineTest): void {
    this.holding.add(keyOf(test));
    if (test.op === "expression") {
      this.failing.add(keyOf({ ...test, is: !test.is }));
      return;
    }
    const term = termKey(test.term);
    this.there.add(term);
    if (isOfJson(test)) this.readable.add(term);
    if (test.op === "in") this.values.set(term, test.values);
  }

  /** The result of a test under these facts; undefined if both results are possible. */
  said(test: OutlineTest): boolean | undefined {
    const key = keyOf(test);
    if (this.holding.has(key)) return true;
    if (this.failing.has(key)) return false;
    if (test.op === "expression") return undefined;
    const term = termKey(test.term);
    if (test.op === "present") {
      if (this.absent.has(term)) return false;
      return (test.isJson ? this.readable : this.there).has(term) ? true : undefined;
    }
    const values = this.values.get(term);
    if (values === undefined || !isOfOneValue(test)) return undefined;
    const left = thoseFor(values, test, true);
    if (left.areAll(values)) return true;
    return left.isEmpty ? false : undefined;
  }
}

/** The terms that are absent according to a conjunction. */
function absentIn(parts: readonly Outline[]): ReadonlySet<string> {
  const absent = parts.flatMap((part) =>
    part.op === "not" && part.of.op === "present" && !part.of.isJson ? [termKey(part.of.term)] : [],
  );
  return new Set(absent);
}

/** Whether a test holds only of JSON values. */
function isOfJson(test: OutlineTest): boolean {
  return test.op !== "expression" && (test.op !== "present" || test.isJson === true);
}

/** A test of one value, regardless of its contents. */
type ValueTest = Extract<OutlineTest, { readonly op: "in" | "type" }>;

function isOfOneValue(test: OutlineTest): test is ValueTest {
  return test.op === "in" || test.op === "type";
}

/** The values for which a test holds or, with `holds: false`, those for which it does not. */
function thoseFor(values: TestValues, test: ValueTest, holds: boolean): TestValues {
  if (test.op === "type") return values.ofTypes(test.types, holds);
  return holds ? values.within(test.values) : values.without(test.values);
}

/**
 * Removes the parts of a conjunction that other parts imply. A term with one of some values is present, is of one of
 * their types, and has no other value. Undefined if the parts cannot all hold.
 */
export function simplifyConjunction(parts: readonly Outline[]): readonly Outline[] | undefined {
  if (!parts.some(({ op }) => op === "in" || op === "present")) return parts;
  const values = new Map<string, TestValues>();
  for (const part of parts) {
    if (part.op !== "in") continue;
    const term = termKey(part.term);
    values.set(term, values.get(term)?.within(part.values) ?? part.values);
  }
  for (const part of parts) {
    const test = part.op === "not" ? part.of : part;
    if (part.op === "in" || !isTest(test) || !isOfOneValue(test)) continue;
    const term = termKey(test.term);
    const left = values.get(term);
    if (left !== undefined) values.set(term, thoseFor(left, test, part.op !== "not"));
  }
  if ([...values.values()].some((left) => left.isEmpty)) return undefined;
  const there = new Set<string>();
  const readable = new Set<string>();
  for (const part of parts) {
    if (!isTest(part) || part.op === "expression" || !isOfJson(part)) continue;
    there.add(termKey(part.term));
    if (part.op !== "present") readable.add(termKey(part.term));
  }
  const absent = absentIn(parts);
  if (parts.some((part) => part.op === "present" && absent.has(termKey(part.term)))) return undefined;
  const done = new Set<string>();
  return parts.flatMap((part): readonly Outline[] => {
    const test = part.op === "not" ? part.of : part;
    if (!isTest(test) || test.op === "expression") return [part];
    const term = termKey(test.term);
    if (part.op === "present") return (part.isJson ? readable : there).has(term) ? [] : [part];
    const left = values.get(term);
    if (left === undefined || !isOfOneValue(test)) return [part];
    if (part.op !== "in" || done.has(term)) return [];
    done.add(term);
    return [left === part.values ? part : { ...part, values: left }];
  });
}
