/** Attributes whose absence or type a policy asks about: its author has decided the meaning of a missing value. */

import { children, type Expr } from "../cel/ast.js";
import { chainOf, type RequestValueRead, usageOf } from "../cel/expression-usage.js";
import { OPERATORS } from "../cel/operators.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { SourcePosition } from "../policy/issue.js";
import { expressionsOf } from "../policy/policy-expressions.js";
import { policiesOf } from "./deciding-rules.js";
import { LAYERS, valuePlaceOf } from "./dimension.js";

/** How a policy asks about an attribute, and where it does so first. */
export interface AttributeInquiry {
  readonly by: "has()" | "type()" | "a comparison with null";
  readonly at: SourcePosition;
}

/**
 * The attributes (`key.team`, `resource.lock.until`) that a policy reads through `has()`, passes to `type()`, or
 * compares with `null`. They are found by the engine's attribute usage; nothing is evaluated.
 */
export function askedAbout(policies: PolicySet): ReadonlySet<string> {
  return new Set(attributeInquiries(policies).keys());
}

/** The attributes of {@link askedAbout}, each with its first inquiry. */
export function attributeInquiries(policies: PolicySet): ReadonlyMap<string, AttributeInquiry> {
  const found = new Map<string, AttributeInquiry>();
  for (const layer of LAYERS) {
    const { all } = policiesOf(policies, layer);
    for (const expression of all.flatMap(expressionsOf)) {
      for (const { read, by } of inquiriesIn(expression.expr)) {
        const { subject, path: [field, ...path] = [] } = valuePlaceOf(layer, read) ?? {};
        const place = [subject, ...path].join(".");
        if (field === "attr" && !found.has(place)) found.set(place, { by, at: expression.position(read.at) });
      }
    }
  }
  return found;
}

/** Does damage to `attribute` damage one of `others`? Damage to a map also damages its attributes. */
export function touches(attribute: string, others: Iterable<string>): boolean {
  return [...others].some(
    (one) => attribute === one || attribute.startsWith(`${one}.`) || one.startsWith(`${attribute}.`),
  );
}

interface InquiringRead {
  readonly read: RequestValueRead;
  readonly by: AttributeInquiry["by"];
}

function inquiriesIn(expr: Expr): readonly InquiringRead[] {
  const throughHas = usageOf(expr).reads.filter((read) => read.has);
  return [...throughHas.map((read): InquiringRead => ({ read, by: "has()" })), ...inquiringNodes(expr)];
}

function inquiringNodes(expr: Expr): readonly InquiringRead[] {
  const below = children(expr).flatMap(inquiringNodes);
  if (expr.kind !== "call") return below;
  if (expr.fn === "type") return [...readsOf(expr.args, "type()"), ...below];
  const equality = OPERATORS.get(expr.fn)?.kind === "equality";
  const withNull = equality && expr.args.some((arg) => arg.kind === "literal" && arg.value === null);
  return withNull ? [...readsOf(expr.args, "a comparison with null"), ...below] : below;
}

function readsOf(nodes: readonly Expr[], by: AttributeInquiry["by"]): readonly InquiringRead[] {
  return nodes
    .filter((node) => chainOf(node) !== undefined)
    .flatMap((node) => usageOf(node).reads.map((read) => ({ read, by })));
}
