/** Tests of values of the row. */

import { EVERY, type JsonType, NO, type Term } from "./filter.js";
import { all } from "./join.js";
import { type Truths, tested } from "./logic.js";
import { not, type Outline, type OutlineTest } from "./outline.js";
import type { Values } from "./values.js";

/** A value of the row, with the guard under which reading it does not err if it is present. */
export interface Place {
  readonly term: Term;
  readonly guard: Outline;
}

/** The value can be read: it is present and JSON. An id always is. */
export function readable(term: Term): Outline {
  return term.of === "id" ? EVERY : { op: "present", term, isJson: true };
}

export function isOf(types: readonly JsonType[], term: Term): Outline {
  if (term.of === "id") return types.includes("string") ? EVERY : NO;
  return { op: "type", term, types };
}

export function includes(term: Term, value: Values): Outline {
  return { op: "includes", term, value };
}

export function lacks(term: Term, value: Values): Outline {
  return not({ op: "includes", term, value });
}

/** A test of a present value of any type. */
export function whereThere({ term, guard }: Place, test: OutlineTest): Truths {
  return tested(guard, readable(term), test, not(test));
}

/** A test that errs for a value of another type. */
export function ofTypes({ term, guard }: Place, types: readonly JsonType[], test: OutlineTest): Truths {
  return tested(guard, isOf(types, term), test, not(test));
}

/** A test of a list. It errs for any other value. */
export function listed({ term, guard }: Place, holds: Outline, fails: Outline): Truths {
  const isList = isOf(["array"], term);
  return tested(all([guard, isList]), EVERY, holds, fails);
}
