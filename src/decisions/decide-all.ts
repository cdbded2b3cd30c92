/** Decisions for a list of resources. */

import { decideWhole } from "./decide.js";
import { deciderOf } from "./decider.js";
import type { PolicySet } from "./policy-set.js";
import type { KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { readOnce } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import type { Decision, PermissionRequest, RequestPart } from "./types.js";

/**
 * Decides for one key and account on many resources, in their order: a page of a list. Each decision is that of
 * {@link decide}. If `resources` is not a list, the result is one denial that says so.
 */
export function decideAll<T extends PolicyTypes = PolicyTypes, K extends KindOf<T> = KindOf<T>>(
  policies: PolicySet<T>,
  request: RequestPart<T, K>,
  resources: readonly ResourceOf<T, K>[],
): readonly Decision<T>[];
export function decideAll(
  policies: PolicySet,
  request: Omit<PermissionRequest, "resource">,
  resources: readonly PermissionRequest["resource"][],
): readonly Decision[] {
  const list = listOf(resources);
  if (list === undefined) return [decideWhole(policies, new RequestIssue("resources", "must be a list"))];
  const { operation, now, ...subjects } = readOnce(request);
  const decider = deciderOf(policies, subjects);
  const decisions: Decision[] = [];
  for (const resource of list) decisions.push(decider.decide({ operation, resource, now }));
  return decisions;
}

/** A copy without holes; undefined if it is not a list, or cannot be read. */
function listOf<T>(list: readonly T[]): readonly T[] | undefined {
  try {
    if (!Array.isArray(list)) return undefined;
    const copy: T[] = [];
    const { length } = list;
    for (let i = 0; i < length; i++) copy.push(list[i]);
    return copy;
  } catch {
    return undefined;
  }
}
