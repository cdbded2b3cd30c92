/** Keys of outlines: parts with the same meaning have the same key. Each key is made once. */

import type { Expr } from "../../cel/ast.js";
import type { FilterTerm } from "./filter.js";
import type { Outline } from "./outline.js";
import type { TestValues } from "./test-values.js";

const terms = new WeakMap<FilterTerm, string>();
const outlines = new WeakMap<Outline, string | Outline>();
const expressions = new WeakMap<Expr, number>();
let numbered = 0;

export function termKey(term: FilterTerm): string {
  const known = terms.get(term);
  if (known !== undefined) return known;
  const made = JSON.stringify([term.of, ...term.path]);
  terms.set(term, made);
  return made;
}

/** The key of an outline. A large outline is its own key. */
export function keyOf(outline: Outline): string | Outline {
  const known = outlines.get(outline);
  if (known !== undefined) return known;
  const made = textOf(outline) ?? outline;
  outlines.set(outline, made);
  return made;
}

/** Longer keys are not made. */
const MAX_LENGTH = 2_000;

function textOf(outline: Outline): string | undefined {
  switch (outline.op) {
    case "all":
    case "any": {
      const parts: string[] = [];
      let length = 0;
      for (const part of outline.of) {
        const key = keyOf(part);
        if (typeof key !== "string") return undefined;
        length += key.length;
        if (length > MAX_LENGTH) return undefined;
        parts.push(key);
      }
      return `${outline.op}(${parts.sort().join()})`;
    }
    case "not": {
      const key = keyOf(outline.of);
      return typeof key === "string" ? `not(${key})` : undefined;
    }
    case "expression":
      return `${outline.is}(${numberOf(outline.expr)})`;
    case "some":
    case "every": {
      const key = keyOf(outline.where);
      return typeof key === "string" ? `${outline.op} ${outline.over} ${termKey(outline.term)}(${key})` : undefined;
    }
    case "in":
      return withValues(`in ${termKey(outline.term)}`, outline.values);
    case "includes":
      return withValues(`includes ${termKey(outline.term)}`, outline.value);
    case "order":
    case "size":
      return withValues(`${outline.op} ${outline.symbol} ${termKey(outline.term)}`, outline.value);
    case "text":
      return withValues(`${outline.how} ${termKey(outline.term)}`, outline.value);
    default:
      return JSON.stringify(outline);
  }
}

function withValues(form: string, values: TestValues): string {
  return `${form} ${values.nameFor(form)}`;
}

function numberOf(expr: Expr): number {
  const known = expressions.get(expr) ?? ++numbered;
  expressions.set(expr, known);
  return known;
}
