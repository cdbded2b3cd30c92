/** Lists all faults of a request, for tools that report them. `decide` itself denies at the first. */

import { RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";

export { invalidRequest, issueText, RequestIssue } from "./request-issue.js";

/** Options of {@link requestIssues}. */
export interface RequestIssuesOptions {
  /** Whether the set is permission-only: then the account may be absent. Default: `false`. */
  readonly permissionOnly?: boolean;
}

/**
 * The issues of a value that should be a decision request, in the order of its parts; empty if it is well-formed. `now`
 * must be a `Date`: the caller converts text.
 */
export function requestIssues(
  request: unknown,
  { permissionOnly = false }: RequestIssuesOptions = {},
): readonly RequestIssue[] {
  const taken = validated(request);
  if (taken.isSound) return [];
  const { key, action, resource, account, now, whole } = taken;
  if (whole !== undefined) return [whole];
  const parts =
    permissionOnly && !hasAccount(request) ? [key, action, resource, now] : [key, action, resource, account, now];
  return parts.filter((part) => part instanceof RequestIssue);
}

/**
 * Whether the request has an account. `undefined` does not count. An account that is inherited, or cannot be read,
 * does.
 */
function hasAccount(request: unknown): boolean {
  try {
    return typeof request === "object" && request !== null && "account" in request && request.account !== undefined;
  } catch {
    return true;
  }
}
