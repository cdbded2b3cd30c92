/** Optionals in query plans, which have no words for them: of those that are known, some are elements of lists. */

import { children, type Expr } from "../../cel/ast.js";
import { type CelValue, OptionalValue } from "../../cel/values.js";
import { constantOf, literal } from "../residual/residue.js";
import type { Part } from "./part.js";
import { hasWords } from "./wording.js";

/** The functions that take or give nothing but optionals. */
export const OPTIONAL_FUNCTIONS: ReadonlySet<string> = new Set([
  "_?._",
  "_[?_]",
  "first",
  "hasValue",
  "last",
  "optional.none",
  "optional.of",
  "optional.ofNonZeroValue",
  "optional.unwrap",
  "or",
  "orValue",
  "regex.extract",
  "unwrapOpt",
  "value",
]);

/** In place of an expression that has optionals in it. */
export const OPTIONAL: Expr = { kind: "optional", at: 0, value: literal(null) };

/** Whether an expression has optionals in it. The server makes no plan of it, whether they would be said or not. */
export function hasOptional(expr: Expr): boolean {
  if (expr.kind === "optional" || (expr.kind === "literal" && expr.value instanceof OptionalValue)) return true;
  if ((expr.kind === "call" || expr.kind === "member") && OPTIONAL_FUNCTIONS.has(expr.fn)) return true;
  return children(expr).some(hasOptional);
}

/** The optional that an expression is, if it is known, and what it holds has words. */
export function knownOptional(expr: Expr): OptionalValue | undefined {
  const value = constantOf(expr);
  if (!(value instanceof OptionalValue)) return undefined;
  return value.value === undefined || hasWords(value.value) ? value : undefined;
}

/** A list with what is known of its optional elements in their place. */
export function withKnownElements(expr: Expr): Expr {
  if (expr.kind !== "list") return expr;
  const elements = expr.elements.flatMap((element) => {
    const known = element.kind === "optional" ? knownOptional(element.value) : undefined;
    if (known === undefined) return [element];
    return known.value === undefined ? [] : [literal(known.value, element.at)];
  });
  return { ...expr, elements };
}

/** Whether a literal of a value is left in its place: one that has words, or that is not to be said. */
export function isLeft(value: CelValue): boolean {
  return value instanceof OptionalValue || hasWords(value);
}

/** Whether a part is `optional.none()`. */
export function isNone(part: Part): boolean {
  return part.state === "value" && part.value instanceof OptionalValue && part.value.value === undefined;
}

/** A part that is marked as optional, and errs if it is none. */
export function asOptional(part: Part): Part {
  if (part.state !== "value" || part.value instanceof OptionalValue) return part;
  return { state: "error", left: part.left };
}
