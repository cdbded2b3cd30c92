/** Attributes whose absence or type a policy asks about: its author has decided the meaning of a missing value. */

import { children, type Expr } from "../cel/ast.js";
import { chainOf, type RequestValueRead, usageOf } from "../cel/expression-usage.js";
import { OPERATORS } from "../cel/operators.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { expressionsOf } from "../policy/policy-expressions.js";
import { policiesOf } from "./deciding-rules.js";
import { LAYERS, valuePlaceOf } from "./dimension.js";

/**
 * The attributes (`key.team`, `resource.lock.until`) that a policy reads through `has()`, passes to `type()`, or
 * compares with `null`. They are found by the engine's attribute usage; nothing is evaluated.
 */
export function askedAbout(policies: PolicySet): ReadonlySet<string> {
  const found = new Set<string>();
  for (const layer of LAYERS) {
    const { all } = policiesOf(policies, layer);
    for (const { expr } of all.flatMap(expressionsOf)) {
      for (const read of readsAskedAbout(expr)) {
        const { subject, path: [field, ...path] = [] } = valuePlaceOf(layer, read) ?? {};
        if (field === "attr") found.add([subject, ...path].join("."));
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

function readsAskedAbout(expr: Expr): readonly RequestValueRead[] {
  const throughHas = usageOf(expr).reads.filter((read) => read.has);
  return [
    ...throughHas,
    ...askedNodes(expr).flatMap((node) => (chainOf(node) === undefined ? [] : usageOf(node).reads)),
  ];
}

function askedNodes(expr: Expr): readonly Expr[] {
  const below = children(expr).flatMap(askedNodes);
  if (expr.kind !== "call") return below;
  if (expr.fn === "type") return [...expr.args, ...below];
  const equality = OPERATORS.get(expr.fn)?.kind === "equality";
  const withNull = equality && expr.args.some((arg) => arg.kind === "literal" && arg.value === null);
  return withNull ? [...expr.args, ...below] : below;
}
