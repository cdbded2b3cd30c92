/** Decisions on resources, one by one. */

import { checkArgument } from "../policy/options.js";
import { deciderOf } from "./decider.js";
import type { PolicySet } from "./policy-set.js";
import type { KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { readOnce } from "./request.js";
import type { Decision, DecisionRequest, PermissionRequest, RequestPart } from "./types.js";

/** A resource as it was given, and the decision on it. */
export interface DecidedResource<R, T extends PolicyTypes = PolicyTypes> {
  readonly resource: R;
  readonly decision: Decision<T>;
}

/**
 * Decides for one key and account on many resources, lazily: the next resource is taken, and decided on, when the next
 * decision is asked for. So the cost of a page of allowed resources ends when the page is full (`break`), and the
 * resources may come from a cursor of a database. Errors of taking them are thrown.
 */
export function decideEach<T extends PolicyTypes = PolicyTypes, R extends ResourceOf<T> = ResourceOf<T>>(
  policies: PolicySet<T>,
  request: RequestPart<T, Extract<R["kind"], KindOf<T>>>,
  resources: AsyncIterable<R>,
): AsyncGenerator<DecidedResource<R, T>, void>;
export function decideEach<T extends PolicyTypes = PolicyTypes, R extends ResourceOf<T> = ResourceOf<T>>(
  policies: PolicySet<T>,
  request: RequestPart<T, Extract<R["kind"], KindOf<T>>>,
  resources: Iterable<R>,
): Generator<DecidedResource<R, T>, void>;
export function decideEach<R extends DecisionRequest["resource"]>(
  policies: PolicySet,
  request: Omit<PermissionRequest, "resource">,
  resources: Iterable<R> | AsyncIterable<R>,
): Generator<DecidedResource<R>, void> | AsyncGenerator<DecidedResource<R>, void> {
  checkArgument("resources", resources, ITERABLE);
  const { operation, now, ...subjects } = readOnce(request);
  const decider = deciderOf(policies, subjects);
  const decided = (resource: R) => ({ resource, decision: decider.decide({ operation, resource, now }) });
  return Symbol.asyncIterator in resources ? eachLater(resources, decided) : each(resources, decided);
}

const ITERABLE = {
  has: (value: unknown) =>
    typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
  said: "an iterable, or an async iterable, of resources",
};

function* each<R, D>(resources: Iterable<R>, decided: (resource: R) => D): Generator<D, void> {
  for (const resource of resources) yield decided(resource);
}

async function* eachLater<R, D>(resources: AsyncIterable<R>, decided: (resource: R) => D): AsyncGenerator<D, void> {
  for await (const resource of resources) yield decided(resource);
}
