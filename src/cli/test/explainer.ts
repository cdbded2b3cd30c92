/** Explains why a decision differs from the expectation, as `keyward explain` does. */

import { isLeft } from "fp-ts/lib/Either.js";
import { explain } from "../../audit/explain/explain.js";
import { explanationText } from "../../audit/explain/text.js";
import type { PaintText } from "../../audit/style.js";
import { type CompileOptions, compilePolicies, type PolicySet } from "../../decisions/policy-set.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { ExplainUnexpected } from "./outline.js";

/** The number of failures to explain in one run. Explanations are slow, and the first ones are read first. */
const MAX_EXPLAINED = 20;

/** The policies are compiled at the first failure. */
export function explainer(files: readonly PolicyFile[], layers: CompileOptions, paint: PaintText): ExplainUnexpected {
  let policies: PolicySet | undefined;
  let left = MAX_EXPLAINED;
  return (request) => {
    if (left <= 0) return [];
    left--;
    if (policies === undefined) {
      const compiled = compilePolicies(files, layers);
      if (isLeft(compiled)) return [];
      policies = compiled.right;
    }
    return explanationText(explain(policies, request), paint).trimEnd().split("\n");
  };
}
