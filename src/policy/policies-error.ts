/** What is wrong with policies, as an error: for those who would rather have it thrown than look at an `Either`. */

import type { Either } from "fp-ts/lib/Either.js";
import type { PolicyIssue } from "./issue.js";
import { issueLine } from "./issue-line.js";

/** Thrown by the functions whose names end in `OrThrow`, and nowhere else. */
export class PoliciesError extends Error {
  override readonly name = "PoliciesError";
  /** Every problem of every file: what the `Either` has on its left. */
  readonly issues: readonly PolicyIssue[];

  constructor(issues: readonly PolicyIssue[]) {
    const count = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
    super([`the policies are not valid: ${count}`, ...issues.map((issue) => issueLine(issue))].join("\n  "));
    this.issues = issues;
  }
}

/** What is on the right. Throws a {@link PoliciesError}. */
export function rightOrThrow<T>(loaded: Either<readonly PolicyIssue[], T>): T {
  if (loaded._tag === "Left") throw new PoliciesError(loaded.left);
  return loaded.right;
}
