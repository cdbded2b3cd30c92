/**
 * Decisions for a delegated key: a key that another key has made. Its powers are those that every key above it has, too.
 *
 * A chain lists the key, its parent, the parent of that key, and so on. Laws: a chain that allows has links that all
 * allow; the order of links changes no outcome; a chain of one link is `decide`; no link clears a `forbidden`.
 */

import { decideAny, decideUnsound, decideWithinBound, NO_ACCOUNT_FRAME } from "./decide.js";
import { denyWithoutPolicies, isPolicySet } from "./no-policies.js";
import type { PolicySet } from "./policy-set.js";
import type { By, KeyOf, KindOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { readOnce } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { validated } from "./request-validation.js";
import { snapshot } from "./snapshot.js";
import type { Decision, PermissionRequest, RequestPart } from "./types.js";
import { isObject } from "./well-formed.js";

/** The most links of a chain. A longer one allows nothing. */
export const MAX_LINKS = 16;

/** A request without its key: the chain has the keys. */
export type ChainRequest<T extends PolicyTypes = PolicyTypes> = By<T> &
  {
    readonly [K in KindOf<T>]: Omit<RequestPart<T, K>, "key"> & {
      readonly resource: ResourceOf<T, K>;
      /** The chain has the keys. A request with another key of its own is at fault. */
      readonly key?: undefined;
    };
  }[KindOf<T>];

/** The decision on a chain of keys. */
export type ChainDecision<T extends PolicyTypes = PolicyTypes> = Decision<T> & {
  /**
   * For `insufficient_permissions`: the index of the first link that lacks the permission; the verdicts are those for
   * this link. Otherwise absent, and the verdicts are those for the first link. Also absent if there is no such link:
   * the chain is empty, too long or not a list.
   */
  readonly link?: number;
};

/**
 * Decides for a key and its ancestors, `[child, parent, …]`:
 *
 * - `forbidden` if the platform forbids the request; no link changes that;
 * - `allow` if every link is allowed;
 * - `insufficient_permissions` otherwise.
 *
 * Pure, and never throws, as {@link decide}. Each value of the request is read once for all links. An empty chain, a
 * hole, a value that is not a key, and a chain of more than 16 links are never allowed: the decision has a `fault`.
 * The caller makes sure that the chain is complete: an ancestor that is left out restricts nothing.
 */
export function decideChain<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  links: readonly NoInfer<KeyOf<T, KindOf<T>>>[],
  request: NoInfer<ChainRequest<T>>,
): ChainDecision<T>;
export function decideChain(
  policies: PolicySet,
  links: readonly PermissionRequest["key"][],
  request: Omit<PermissionRequest, "key">,
): ChainDecision {
  return decideAnyChain(policies, links, request);
}

/** {@link decideChain} for tools, which have sets of either kind. */
export function decideAnyChain(
  policies: PolicySet,
  links: readonly PermissionRequest["key"][],
  request: Omit<PermissionRequest, "key">,
): ChainDecision {
  const target = targetOf(request);
  const keys = keysOf(links);
  const issue = keys instanceof RequestIssue ? keys : isOther(target.key, keys) ? OTHER_KEY : undefined;
  if (keys instanceof RequestIssue || issue !== undefined) {
    return decideWithinBound(policies, decideKeyless, target, issue ?? UNREADABLE);
  }
  let first: Decision | undefined;
  for (const [link, key] of keys.entries()) {
    const decision = decideAny(policies, Object.assign(Object.create(null), target, { key }));
    // The platform gives every link the same answer.
    if (decision.outcome === "forbidden") return decision;
    if (decision.outcome !== "allow") return { ...decision, link };
    first ??= decision;
  }
  return first ?? decideWithinBound(policies, decideKeyless, target, EMPTY);
}

const EMPTY = new RequestIssue("key", "is missing: the chain has no links");
const NO_LIST = new RequestIssue(
  "key",
  "is missing: the chain must be a list of keys, from the key to its last ancestor",
);
const TOO_LONG = new RequestIssue("key", `has too many ancestors: a chain has at most ${MAX_LINKS} links`);
const UNREADABLE = new RequestIssue("key", "has a chain that cannot be read");
const OTHER_KEY = new RequestIssue("key", "must be absent, or the first link: the chain has the keys");

/** The links, each read once. A hole becomes `undefined`, and is refused as a key. */
function keysOf(links: unknown): readonly unknown[] | RequestIssue {
  try {
    if (!Array.isArray(links)) return NO_LIST;
    const { length } = links;
    if (length === 0) return EMPTY;
    if (length > MAX_LINKS) return TOO_LONG;
    return Array.from({ length }, (_, at) => (Object.hasOwn(links, at) ? links[at] : undefined));
  } catch {
    // An error that a proxy throws is not read: it may itself be hostile.
    return UNREADABLE;
  }
}

/** Whether a request has a key that the chain would ignore. */
function isOther(key: unknown, [first]: readonly unknown[]): boolean {
  return key !== undefined && key !== first;
}

/** A copy of the request with each value read once: all links are decided on the same values. */
function targetOf(request: Omit<PermissionRequest, "key">): PermissionRequest {
  const { key, ...parts }: { readonly key?: unknown } = readOnce<object>(isObject(request) ? request : NOTHING);
  return Object.assign(Object.create(null), snapshot(Object.assign(Object.create(null), parts)), { key });
}

const NOTHING: object = Object.freeze(Object.create(null));

/** Denies a request without a usable key. The platform layer decides as usual. */
function decideKeyless(policies: PolicySet, request: PermissionRequest, issue: RequestIssue): Decision {
  if (!isPolicySet(policies)) return denyWithoutPolicies(policies);
  const taken = validated(request, policies.platform === undefined ? NO_ACCOUNT_FRAME : undefined);
  return decideUnsound(policies, { ...taken, isSound: false, key: issue, whole: undefined });
}
