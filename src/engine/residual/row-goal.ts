/** The requirements on a row. */

import type { Filter, FilterTest } from "./filter.js";

/** A filter, and whether it has to hold. */
export interface RowGoal {
  readonly filter: Filter;
  readonly holds: boolean;
}

/** A test in a branch, and the result that it has to have. */
export interface RowLiteral {
  readonly test: FilterTest;
  readonly wants: "true" | "false" | "not true" | "not false";
}
