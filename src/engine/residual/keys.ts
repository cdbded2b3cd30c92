/** Texts that are the same for what says the same. Each is made once. */

import type { Filter, Term, Test } from "./filter.js";

const terms = new WeakMap<Term, string>();
const filters = new WeakMap<Filter, string | Filter>();

export function termKey(term: Term): string {
  const known = terms.get(term);
  if (known !== undefined) return known;
  const made = JSON.stringify([term.of, ...term.path]);
  terms.set(term, made);
  return made;
}

/** Of a filter that has an expression, or others, in it, the filter itself. */
export function keyOf(filter: Filter): string | Filter {
  const known = filters.get(filter);
  if (known !== undefined) return known;
  const made = isPlain(filter) ? JSON.stringify(filter) : filter;
  filters.set(filter, made);
  return made;
}

function isPlain(filter: Filter): boolean {
  if (filter.op === "not") return isPlain(filter.of);
  if (!isTest(filter)) return filter.op === "unknown";
  return filter.op !== "expression" && filter.op !== "some" && filter.op !== "every";
}

export function isTest(filter: Filter): filter is Test {
  return filter.op !== "all" && filter.op !== "any" && filter.op !== "not" && filter.op !== "unknown";
}
