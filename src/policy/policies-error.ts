/** Problems of policies as an exception, for callers who prefer that to an `Either`. */

import type { Either } from "fp-ts/lib/Either.js";
import type { PolicyIssue } from "./issue.js";
import { issueLine } from "./issue-line.js";

/** Thrown by the functions whose names end in `OrThrow`, and nowhere else. */
export class PoliciesError extends Error {
  override readonly name = "PoliciesError";
  /** Every problem of every file: the left side of the `Either`. */
  readonly issues: readonly PolicyIssue[];

  constructor(issues: readonly PolicyIssue[]) {
    const count = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
    super([`the policies are not valid: ${count}`, ...issues.map((issue) => issueLine(issue))].join("\n  "));
    this.issues = issues;
  }
}

/** Returns the right side. Throws a {@link PoliciesError} for a left side. */
export function rightOrThrow<T>(loaded: Either<readonly PolicyIssue[], T>): T {
  if (loaded._tag === "Left") throw new PoliciesError(loaded.left);
  return loaded.right;
}
