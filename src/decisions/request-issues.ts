/** Everything wrong with a request, for tools that report it; `decide` itself denies at the first. */

import { RequestIssue, takeUp } from "./request.js";

export { RequestIssue } from "./request.js";

/**
 * The issues of a value that should be a decision request, in the order of its parts; empty if it is well-formed.
 * `now` is a `Date` here: text is for the caller to convert.
 */
export function requestIssues(request: unknown): readonly RequestIssue[] {
  const taken = takeUp(request);
  if (taken.isSound) return [];
  const { key, action, resource, account, now, whole } = taken;
  if (whole !== undefined) return [whole];
  return [key, action, resource, account, now].filter((part) => part instanceof RequestIssue);
}
