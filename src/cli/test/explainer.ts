/** Why a decision is not the expected one: the account that `keyward explain` gives. */

import { isLeft } from "fp-ts/lib/Either.js";
import { explain } from "../../audit/explain/explain.js";
import { explanationText } from "../../audit/explain/text.js";
import type { Paint } from "../../audit/style.js";
import { type CompileOptions, compilePolicies, type PolicySet } from "../../decisions/policy-set.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { Explain } from "./outline.js";

/** Of one run, as many failures as this are explained; it takes long, and who has more reads the first. */
const MAX_EXPLAINED = 20;

/** The policies are compiled when the first failure asks. */
export function explainer(files: readonly PolicyFile[], layers: CompileOptions, paint: Paint): Explain {
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
