/** Optionals in query plans. Plans cannot state optionals, but some known ones are elements of lists. */

import { children, type Expr } from "../../cel/ast.js";
import { type CelValue, OptionalValue } from "../../cel/values.js";
import { constantOf, literal } from "../residual/residual-expression.js";
import type { ServerPart } from "./server-part.js";
import { hasWords } from "./wording.js";

/** The functions that take or return only optionals. */
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

/** Replaces an expression that has optionals in it. */
export const OPTIONAL: Expr = { kind: "optional", at: 0, value: literal(null) };

/** Whether an expression has optionals in it. The server makes no plan of it, even if the plan would not state them. */
export function hasOptional(expr: Expr): boolean {
  if (expr.kind === "optional" || (expr.kind === "literal" && expr.value instanceof OptionalValue)) return true;
  if ((expr.kind === "call" || expr.kind === "member") && OPTIONAL_FUNCTIONS.has(expr.fn)) return true;
  return children(expr).some(hasOptional);
}

/** The optional value of a literal, if a plan can state the value inside it. */
export function knownOptional(expr: Expr): OptionalValue | undefined {
  const value = constantOf(expr);
  if (!(value instanceof OptionalValue)) return undefined;
  return value.value === undefined || hasWords(value.value) ? value : undefined;
}

/** Replaces known optional elements of a list by their values. */
export function withKnownElements(expr: Expr): Expr {
  if (expr.kind !== "list") return expr;
  const elements = expr.elements.flatMap((element) => {
    const known = element.kind === "optional" ? knownOptional(element.value) : undefined;
    if (known === undefined) return [element];
    return known.value === undefined ? [] : [literal(known.value, element.at)];
  });
  return { ...expr, elements };
}

/** Whether a literal of a value stays in its place: a plan can state the value, or it is an optional. */
export function isLeft(value: CelValue): boolean {
  return value instanceof OptionalValue || hasWords(value);
}

/** Whether a part is `optional.none()`. */
export function isNone(part: ServerPart): boolean {
  return part.state === "value" && part.value instanceof OptionalValue && part.value.value === undefined;
}

/** A part that is marked as optional. It errs if its value is not an optional. */
export function asOptional(part: ServerPart): ServerPart {
  if (part.state !== "value" || part.value instanceof OptionalValue) return part;
  return { state: "error", left: part.left };
}
