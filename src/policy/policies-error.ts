/** What is wrong with policies, as an error: for those who would rather have it thrown than look at an `Either`. */

import type { Either } from "fp-ts/lib/Either.js";
import { printable } from "./escape.js";
import { type PolicyIssue, positionText } from "./issue.js";

/** Thrown by the functions whose names end in `OrThrow`, and nowhere else. */
export class PoliciesError extends Error {
  override readonly name = "PoliciesError";
  /** Every problem of every file: what the `Either` has on its left. */
  readonly issues: readonly PolicyIssue[];

  constructor(issues: readonly PolicyIssue[]) {
    const count = issues.length === 1 ? "1 problem" : `${issues.length} problems`;
    super([`the policies are not valid: ${count}`, ...issues.map(issueLine)].join("\n  "));
    this.issues = issues;
  }
}

/** `file:line:column code message (hint)`; warnings say so. */
export function issueLine(issue: PolicyIssue): string {
  const { code, message, hint, severity } = issue;
  const warning = severity === "warning" ? "warning: " : "";
  return printable(`${positionText(issue)} ${code} ${warning}${message}${hint === undefined ? "" : ` (${hint})`}`);
}

/** What is on the right. Throws a {@link PoliciesError}. */
export function rightOrThrow<T>(loaded: Either<readonly PolicyIssue[], T>): T {
  if (loaded._tag === "Left") throw new PoliciesError(loaded.left);
  return loaded.right;
}
