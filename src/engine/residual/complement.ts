/** The rows that a filter does not hold of. */

import { type Filter, isExact, MAYBE, not } from "./filter.js";
import { all, any } from "./join.js";

/** What is not known stays so: of a pre-filter this is a pre-filter of the other rows. */
export function complement(filter: Filter): Filter {
  switch (filter.op) {
    case "all":
      return any(filter.of.map(complement));
    case "any":
      return all(filter.of.map(complement));
    case "not":
      return isExact(filter.of) ? filter.of : MAYBE;
    case "unknown":
      return filter;
    default:
      return isExact(filter) ? not(filter) : MAYBE;
  }
}
