/** What a policy set would newly allow. */

import { isDeepStrictEqual } from "node:util";
import { isLeft } from "fp-ts/lib/Either.js";
import type { DecisionChange, DiffGap } from "../audit/diff/types.js";
import { searchDecisionChanges } from "../audit/diff/versions.js";
import type { CompileOptions } from "../decisions/compile-options.js";
import { compilePolicies, type PolicySet } from "../decisions/policy-set.js";

/** The parts of a policy set that can be sent to a thread. */
export type SentSet = Pick<PolicySet, "files" | "configuration">;

/** Two sets that were compiled with the same options. */
export interface SetsToCompare {
  readonly before: SentSet;
  readonly after: SentSet;
  readonly options: CompileOptions;
}

export interface Widenings {
  /** Changes from a refusal by the older set to `allow` by the newer one. */
  readonly widenings: readonly DecisionChange[];
  /** Places where the comparison is incomplete: there may be more widenings. */
  readonly gaps: readonly DiffGap[];
}

/** Throws an `Error` if a set does not compile, or if it is asked in another way than the one that was sent. */
export function widenings({ before, after, options }: SetsToCompare): Widenings {
  const { changes, gaps } = searchDecisionChanges(compiled(before, options), compiled(after, options));
  return { widenings: changes.filter((change) => change.class === "widening"), gaps };
}

function compiled({ files, configuration }: SentSet, options: CompileOptions): PolicySet {
  const set = compilePolicies(files, { ...options, codegen: false });
  if (isLeft(set)) throw new Error(`the policies do not compile: ${set.left[0].message}`);
  if (!isDeepStrictEqual(set.right.configuration, configuration)) {
    throw new Error("the options did not arrive: the policies are compiled with another configuration");
  }
  return set.right;
}
