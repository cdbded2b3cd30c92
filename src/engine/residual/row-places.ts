/** Tests of values of the row. */

import { EVERY, type FilterTerm, type JsonType, NO } from "./filter.js";
import { all } from "./join.js";
import { not, type Outline, type OutlineTest } from "./outline.js";
import { guardedTruths, type RowTruths } from "./row-truths.js";
import type { TestValues } from "./test-values.js";

/** A value of the row, with the guard under which reading it does not err if it is present. */
export interface RowPlace {
  readonly term: FilterTerm;
  readonly guard: Outline;
}

/** The value can be read: it is present and JSON. An id always is. */
export function readable(term: FilterTerm): Outline {
  return term.of === "id" ? EVERY : { op: "present", term, isJson: true };
}

export function isOf(types: readonly JsonType[], term: FilterTerm): Outline {
  if (term.of === "id") return types.includes("string") ? EVERY : NO;
  return { op: "type", term, types };
}

export function includes(term: FilterTerm, value: TestValues): Outline {
  return { op: "includes", term, value };
}

export function lacks(term: FilterTerm, value: TestValues): Outline {
  return not({ op: "includes", term, value });
}

/** A test of a present value of any type. */
export function whereThere({ term, guard }: RowPlace, test: OutlineTest): RowTruths {
  return guardedTruths(guard, readable(term), test, not(test));
}

/** A test that errs for a value of another type. */
export function ofTypes({ term, guard }: RowPlace, types: readonly JsonType[], test: OutlineTest): RowTruths {
  return guardedTruths(guard, isOf(types, term), test, not(test));
}

/** A test of a list. It errs for any other value. */
export function listed({ term, guard }: RowPlace, holds: Outline, fails: Outline): RowTruths {
  const isList = isOf(["array"], term);
  return guardedTruths(all([guard, isList]), EVERY, holds, fails);
}
