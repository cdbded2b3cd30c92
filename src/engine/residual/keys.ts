/** Texts that are the same for what says the same. Each is made once. */

import type { ExpressionTest, Filter, Term, Test } from "./filter.js";

const terms = new WeakMap<Term, string>();
const filters = new WeakMap<Filter, string | Filter>();
const expressions = new WeakMap<ExpressionTest["value"], number>();
let numbered = 0;

export function termKey(term: Term): string {
  const known = terms.get(term);
  if (known !== undefined) return known;
  const made = JSON.stringify([term.of, ...term.path]);
  terms.set(term, made);
  return made;
}

/** Of a filter with much in it, the filter itself. */
export function keyOf(filter: Filter): string | Filter {
  const known = filters.get(filter);
  if (known !== undefined) return known;
  const made = textOf(filter) ?? filter;
  filters.set(filter, made);
  return made;
}

/** Longer keys are not made. */
const MAX_LENGTH = 2_000;

function textOf(filter: Filter): string | undefined {
  switch (filter.op) {
    case "all":
    case "any": {
      const parts: string[] = [];
      let length = 0;
      for (const part of filter.of) {
        const key = keyOf(part);
        if (typeof key !== "string") return undefined;
        length += key.length;
        if (length > MAX_LENGTH) return undefined;
        parts.push(key);
      }
      return `${filter.op}(${parts.sort().join()})`;
    }
    case "not": {
      const key = keyOf(filter.of);
      return typeof key === "string" ? `not(${key})` : undefined;
    }
    case "expression":
      return `${filter.is}(${numberOf(filter.value)})`;
    case "some":
    case "every": {
      const key = keyOf(filter.where);
      return typeof key === "string" ? `${filter.op} ${filter.over} ${termKey(filter.term)}(${key})` : undefined;
    }
    default:
      return JSON.stringify(filter);
  }
}

function numberOf(value: ExpressionTest["value"]): number {
  const known = expressions.get(value) ?? ++numbered;
  expressions.set(value, known);
  return known;
}

export function isTest(filter: Filter): filter is Test {
  return filter.op !== "all" && filter.op !== "any" && filter.op !== "not" && filter.op !== "unknown";
}
