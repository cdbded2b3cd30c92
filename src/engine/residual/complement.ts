/** The rows that a filter does not hold of. */

import { MAYBE } from "./filter.js";
import { all, any } from "./join.js";
import { isExact, not, type Outline } from "./outline.js";

/** What is not known stays so: of a pre-filter this is a pre-filter of the other rows. */
export function complement(outline: Outline): Outline {
  switch (outline.op) {
    case "all":
      return any(outline.of.map(complement));
    case "any":
      return all(outline.of.map(complement));
    case "not":
      return isExact(outline.of) ? outline.of : MAYBE;
    case "unknown":
      return outline;
    default:
      return isExact(outline) ? not(outline) : MAYBE;
  }
}
