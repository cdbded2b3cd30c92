/** Decisions for pages of lists. */

import { decideAny } from "./decide.js";
import type { PermissionSet, PolicySet } from "./policy-set.js";
import { readOnce } from "./request.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";

/** A resource, as it was given, and the decision on it. */
export interface DecidedResource<R> {
  readonly resource: R;
  readonly decision: Decision;
}

/**
 * Decisions for one key and account on many resources, one by one: the next resource is taken, and decided on, when the next decision is asked for. So a page of what
 * is allowed costs what it takes to fill it (`break` when it is full), and the resources may come from a cursor of a
 * database. What taking them throws is thrown.
 */
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PermissionSet,
  request: Omit<PermissionRequest, "resource">,
  resources: Iterable<R>,
): Generator<DecidedResource<R>, void>;
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PermissionSet,
  request: Omit<PermissionRequest, "resource">,
  resources: AsyncIterable<R>,
): AsyncGenerator<DecidedResource<R>, void>;
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PolicySet,
  request: Omit<DecisionRequest, "resource">,
  resources: Iterable<R>,
): Generator<DecidedResource<R>, void>;
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PolicySet,
  request: Omit<DecisionRequest, "resource">,
  resources: AsyncIterable<R>,
): AsyncGenerator<DecidedResource<R>, void>;
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PolicySet,
  request: Omit<PermissionRequest, "resource">,
  resources: Iterable<R> | AsyncIterable<R>,
): Generator<DecidedResource<R>, void> | AsyncGenerator<DecidedResource<R>, void> {
  const parts = readOnce(request);
  const decided = (resource: R) => ({ resource, decision: decideAny(policies, { ...parts, resource }) });
  return Symbol.asyncIterator in resources ? eachLater(resources, decided) : each(resources, decided);
}

function* each<R, D>(resources: Iterable<R>, decided: (resource: R) => D): Generator<D, void> {
  for (const resource of resources) yield decided(resource);
}

async function* eachLater<R, D>(resources: AsyncIterable<R>, decided: (resource: R) => D): AsyncGenerator<D, void> {
  for await (const resource of resources) yield decided(resource);
}
