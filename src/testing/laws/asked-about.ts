/** Attributes whose absence or type a policy asks about: what it means that one is missing is its author's decision. */

import { children, type Expr } from "../../cel/ast.js";
import { chainOf, factsOf } from "../../cel/facts.js";
import { OPERATORS } from "../../cel/operators.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { expressionsOf } from "../../policy/walk.js";
import { SUBJECTS } from "./places.js";
import { layersOf, READERS } from "./subjects.js";

/**
 * The attributes (`key.team`, `resource.lock.until`) that a policy reads through `has()`, passes to `type()`, or compares
 * with `null`. The engine's facts say so; nothing is evaluated.
 */
export function askedAbout(policies: PolicySet): ReadonlySet<string> {
  const layers = layersOf(policies);
  const found = new Set<string>();
  for (const subject of SUBJECTS) {
    const { layers: readers, root } = READERS[subject];
    for (const layer of readers.map((name) => layers[name])) {
      for (const { expr } of [...layer.resources, ...layer.principals, ...layer.roles].flatMap(expressionsOf)) {
        for (const path of pathsAskedAbout(expr, `${root}.attr`)) found.add([subject, ...path].join("."));
      }
    }
  }
  return found;
}

function pathsAskedAbout(expr: Expr, root: string): readonly (readonly string[])[] {
  const throughHas = factsOf(expr).reads.filter((read) => read.has);
  const asked = askedNodes(expr).flatMap((node) => (chainOf(node) === undefined ? [] : factsOf(node).reads));
  return [...throughHas, ...asked].filter((read) => read.root === root).map(({ path }) => path);
}

function askedNodes(expr: Expr): readonly Expr[] {
  const below = children(expr).flatMap(askedNodes);
  if (expr.kind !== "call") return below;
  if (expr.fn === "type") return [...expr.args, ...below];
  const equality = OPERATORS.get(expr.fn)?.kind === "equality";
  const withNull = equality && expr.args.some((arg) => arg.kind === "literal" && arg.value === null);
  return withNull ? [...expr.args, ...below] : below;
}
