/** Facts of expressions, each worked out once: a review asks for them many times over. */

import type { Expr } from "../../cel/ast.js";
import { type Facts, factsOf } from "../../cel/facts.js";

const known = new WeakMap<Expr, Facts>();

export function knownFacts(expr: Expr): Facts {
  const before = known.get(expr);
  if (before !== undefined) return before;
  const facts = factsOf(expr);
  known.set(expr, facts);
  return facts;
}
