/** Filters with less in them that mean the same. */

import { isOfType } from "../../schema/values.js";
import type { Filter, Scalar, Test } from "./filter.js";
import { isTest, keyOf, termKey } from "./keys.js";

/** What is known of a row of which some tests hold, and some do not. */
export class Facts {
  private readonly holding = new Set<string | Filter>();
  private readonly failing = new Set<string | Filter>();
  /** The values that a term can have. */
  private readonly values = new Map<string, readonly Scalar[]>();
  private readonly there = new Set<string>();

  constructor(parts: readonly Filter[]) {
    for (const part of parts) {
      if (part.op === "not") this.failing.add(keyOf(part.of));
      else if (isTest(part)) this.add(part);
    }
  }

  private add(test: Test): void {
    this.holding.add(keyOf(test));
    if (test.op === "expression") {
      this.failing.add(keyOf({ ...test, is: !test.is }));
      return;
    }
    const term = termKey(test.term);
    this.there.add(term);
    if (test.op === "in") this.values.set(term, test.values);
  }

  /** What a test comes to; undefined if it can be either. */
  said(test: Test): boolean | undefined {
    const key = keyOf(test);
    if (this.holding.has(key)) return true;
    if (this.failing.has(key)) return false;
    if (test.op === "expression") return undefined;
    const term = termKey(test.term);
    if (test.op === "present") return this.there.has(term) ? true : undefined;
    const values = this.values.get(term);
    if (values === undefined) return undefined;
    const is = verdictOn(test);
    if (is === undefined) return undefined;
    if (values.every(is)) return true;
    return values.some(is) ? undefined : false;
  }
}

/** Whether a test of one value holds; undefined for tests that look at more. */
function verdictOn(test: Test): ((value: Scalar) => boolean) | undefined {
  if (test.op === "in") return (value) => test.values.includes(value);
  return test.op === "type" ? (value) => test.types.some((type) => isOfType(value, type)) : undefined;
}

/**
 * The parts of a conjunction without what the others say: a term that has one of some values is there, is of their types,
 * and has no other. Undefined if they cannot all hold.
 */
export function tidied(parts: readonly Filter[]): readonly Filter[] | undefined {
  if (!parts.some(({ op }) => op === "in" || op === "present")) return parts;
  const values = new Map<string, readonly Scalar[]>();
  for (const part of parts) {
    if (part.op !== "in") continue;
    const term = termKey(part.term);
    values.set(
      term,
      (values.get(term) ?? part.values).filter((value) => part.values.includes(value)),
    );
  }
  for (const part of parts) {
    const test = part.op === "not" ? part.of : part;
    const is = isTest(test) ? verdictOn(test) : undefined;
    if (is === undefined || test.op === "expression" || !isTest(test)) continue;
    const term = termKey(test.term);
    const left = values.get(term)?.filter((value) => is(value) === (part.op !== "not"));
    if (left !== undefined) values.set(term, left);
  }
  if ([...values.values()].some((left) => left.length === 0)) return undefined;
  const there = new Set(
    parts.flatMap((part) =>
      isTest(part) && part.op !== "expression" && part.op !== "present" ? [termKey(part.term)] : [],
    ),
  );
  const done = new Set<string>();
  return parts.flatMap((part): readonly Filter[] => {
    const test = part.op === "not" ? part.of : part;
    if (!isTest(test) || test.op === "expression") return [part];
    const term = termKey(test.term);
    if (part.op === "present") return there.has(term) ? [] : [part];
    const left = values.get(term);
    if (left === undefined || verdictOn(test) === undefined) return [part];
    if (part.op !== "in" || done.has(term)) return [];
    done.add(term);
    return [left.length === part.values.length ? part : { ...part, values: left }];
  });
}
