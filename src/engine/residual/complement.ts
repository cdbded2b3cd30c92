/** The complement of a filter: the rows of which it does not hold. */

import { MAYBE } from "./filter.js";
import { all, any } from "./join.js";
import { isExact, not, type Outline } from "./outline.js";

/** `unknown` stays unknown, so the complement of a pre-filter is a pre-filter of the other rows. */
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
