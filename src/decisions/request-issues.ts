/** Everything wrong with a request, for tools that report it; `decide` itself denies at the first. */

import {
  type Read,
  type RequestIssue,
  readAccount,
  readKey,
  readNow,
  readOperation,
  readParts,
  readResource,
} from "./request.js";

export type { RequestIssue } from "./request.js";

/**
 * The issues of a value that should be a decision request, in the order of its parts; empty if it is well-formed.
 * `now` is a `Date` here: text is for the caller to convert.
 */
export function requestIssues(request: unknown): readonly RequestIssue[] {
  const parts = readParts(request);
  if (!parts.ok) return [parts.issue];
  const { key, operation, resource, account, now } = parts.value;
  const reads: readonly Read<unknown>[] = [
    readKey(key),
    readOperation(operation),
    readResource(resource),
    readAccount(account),
    readNow(now),
  ];
  return reads.flatMap((read) => (read.ok ? [] : [read.issue]));
}
