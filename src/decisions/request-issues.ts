/** Everything wrong with a request, for tools that report it; `decide` itself denies at the first. */

import { RequestIssue, readAccount, readKey, readNow, readOperation, readParts, readResource } from "./request.js";

export { RequestIssue } from "./request.js";

/**
 * The issues of a value that should be a decision request, in the order of its parts; empty if it is well-formed.
 * `now` is a `Date` here: text is for the caller to convert.
 */
export function requestIssues(request: unknown): readonly RequestIssue[] {
  const parts = readParts(request);
  if (parts instanceof RequestIssue) return [parts];
  const { key, operation, resource, account, now } = parts;
  const reads = [readKey(key), readOperation(operation), readResource(resource), readAccount(account), readNow(now)];
  return reads.filter((read) => read instanceof RequestIssue);
}
