/** Everything wrong with a request, for tools that report it; `decide` itself denies at the first. */

import { RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";

export { invalidRequest, issueText, RequestIssue } from "./request-issue.js";

/** What is to be asked. */
export interface RequestIssuesOptions {
  /** Whether it is a permission-only set: then the account may be absent. Default: `false`. */
  readonly permissionOnly?: boolean;
}

/**
 * The issues of a value that should be a decision request, in the order of its parts; empty if it is well-formed.
 * `now` is a `Date` here: text is for the caller to convert.
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

/** Whether an account is given: `undefined` is none, and one that is inherited, or cannot be read, is taken for one. */
function hasAccount(request: unknown): boolean {
  try {
    return typeof request === "object" && request !== null && "account" in request && request.account !== undefined;
  } catch {
    return true;
  }
}
