/** Decisions for one key, or for one key and account: what depends on them alone is evaluated once. */

import { BoundPage, BoundPair } from "./bound-pair.js";
import { decideRead, decideUnsound, NO_ACCOUNT, within } from "./decide.js";
import { isPolicySet } from "./no-policies.js";
import type { PolicySet } from "./policy-set.js";
import type { By, KeyOf, KindOf, OperationOf, PolicyTypes, ResourceOf } from "./policy-types.js";
import { hasOtherKey, type KnownSubjects, OTHER_KEY, readOnce } from "./request.js";
import { RequestIssue } from "./request-issue.js";
import { snapshot } from "./snapshot.js";
import { takeUp, takeUpOn, takeUpTarget } from "./take-up.js";
import type { Decision, DecisionRequest, PermissionRequest, RequestPart } from "./types.js";
import { isObject } from "./well-formed.js";

/** Whom decisions are for. */
export type Subjects<T extends PolicyTypes = PolicyTypes> = {
  readonly key: KeyOf<T, KindOf<T>>;
  /** Where it is left out, each request has its own. */
  readonly account?: RequestPart<T, KindOf<T>>["account"] | undefined;
};

/** What is asked of a {@link Decider}: a request without a key. An account here takes the place of the bound one. */
export type DeciderRequest<T extends PolicyTypes = PolicyTypes> = By<T> &
  {
    readonly [K in KindOf<T>]: {
      readonly operation: OperationOf<T, K>;
      readonly resource: ResourceOf<T, K>;
      readonly account?: RequestPart<T, K>["account"] | undefined;
      readonly now?: Date | undefined;
      /** The decider has the key. A request with a key of its own is at fault. */
      readonly key?: undefined;
    };
  }[KindOf<T>];

/** Made by {@link deciderFor}. */
export interface Decider<T extends PolicyTypes = PolicyTypes> {
  /** The decision of `decide` on the whole request. Never throws. */
  decide(request: NoInfer<DeciderRequest<T>>): Decision<T>;
}

/**
 * Decides for one key, or for one key and account, as `decide` does: the same decisions. What the key comes to is found out
 * once, which saves the more time the more permissions it has. For a page of a list, a connection, a job.
 *
 * The key and the account are copied, as `snapshot` copies them: whatever becomes of the caller's objects afterwards changes
 * nothing, and a key whose permissions have changed needs another decider.
 */
export function deciderFor<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  subjects: NoInfer<Subjects<T>>,
): Decider<T>;
export function deciderFor(policies: PolicySet, subjects: Partial<Subjects>): Decider {
  return deciderOf(policies, subjects);
}

/** {@link deciderFor} for tools, which have sets of either kind. */
export function deciderOf(policies: PolicySet, subjects: Partial<Subjects>): AnyDecider {
  return new BoundDecider(policies, subjects, false);
}

/** {@link deciderOf} for whole requests, of which the caller has made sure that their key is this one. */
export function deciderOfKey(policies: PolicySet, key: PermissionRequest["key"]): AnyDecider {
  return new BoundDecider(policies, { key }, true);
}

/** A {@link Decider} for sets of either kind. */
export interface AnyDecider {
  decide(request: Omit<PermissionRequest, "key">): Decision;
  /** Decides on resources, one after the other, and on nothing else that changes. */
  page(
    operation: PermissionRequest["operation"],
    now: PermissionRequest["now"],
  ): { decide(resource: PermissionRequest["resource"]): Decision };
}

/** Stand for the parts of a request that are not looked at. */
const NO_KEY: DecisionRequest["key"] = Object.freeze({ id: "none", roles: Object.freeze(["none"]), attr: {} });
const NO_RESOURCE: DecisionRequest["resource"] = Object.freeze({ kind: "none", id: "none", attr: {} });

class BoundDecider implements AnyDecider {
  readonly policies: PolicySet;
  /** A copy of what was given. */
  readonly subjects: Partial<Subjects> & KnownSubjects;
  /** Undefined if all of each request has to be looked at. */
  readonly pair: BoundPair | undefined;

  constructor(policies: PolicySet, subjects: Partial<Subjects>, isOfKey: boolean) {
    this.policies = policies;
    const copy = { ...copyOf(subjects), isOfKey };
    this.subjects = isPermissionOnly(policies) ? { account: NO_ACCOUNT, ...copy } : copy;
    this.pair = boundPair(policies, this.subjects);
  }

  decide(request: Omit<PermissionRequest, "key">): Decision {
    return within(this.policies, decideBound, request, this);
  }

  page(operation: PermissionRequest["operation"], now: PermissionRequest["now"]): Page {
    return new Page(this, operation, now);
  }
}

function decideBound(
  policies: PolicySet,
  request: Omit<PermissionRequest, "key">,
  { pair, subjects }: BoundDecider,
): Decision {
  if (pair === undefined) return decideWholeOf(policies, request, subjects);
  return takeUpTarget(pair, decideUnsound, policies, request, pair.account, subjects);
}

/** One operation and one time, which are asked about for many resources. */
class Page {
  readonly decider: BoundDecider;
  readonly bound: BoundPage | undefined;
  readonly operation: PermissionRequest["operation"];
  readonly now: PermissionRequest["now"];

  constructor(decider: BoundDecider, operation: PermissionRequest["operation"], now: PermissionRequest["now"]) {
    this.decider = decider;
    this.bound = decider.pair && new BoundPage(decider.pair);
    this.operation = operation;
    this.now = now;
  }

  /** As the decider's `decide`. */
  decide(resource: PermissionRequest["resource"]): Decision {
    return within(this.decider.policies, decideOn, resource, this);
  }
}

function decideOn(policies: PolicySet, resource: PermissionRequest["resource"], page: Page): Decision {
  const { decider, bound, operation, now } = page;
  if (bound === undefined) return decideBound(policies, { operation, resource, now }, decider);
  const { pair, subjects } = decider;
  return takeUpOn(bound, decideUnsound, policies, operation, resource, undefined, now, pair?.account, subjects);
}

/** Whether nobody is asked about an account; not where what was passed as policies is none. */
function isPermissionOnly(policies: PolicySet): boolean {
  return isPolicySet(policies) && policies.platform === undefined;
}

/** Both layers for a key; undefined if that is none, or what was passed as policies: each decision says so. */
function boundPair(policies: PolicySet, { key, account }: Partial<Subjects>): BoundPair | undefined {
  try {
    if (key === undefined || policies.permission.enforcesSchemas) return undefined;
    const asked = account === undefined ? NO_ACCOUNT : account;
    const taken = takeUp({ key, operation: "none", resource: NO_RESOURCE, account: asked });
    if (taken.key instanceof RequestIssue || taken.account instanceof RequestIssue) return undefined;
    return new BoundPair(policies.pair, taken.key, account === undefined ? undefined : taken.account);
  } catch {
    return undefined;
  }
}

/** A copy of the key and the account, for which each value was read once. What is not given is not there. */
function copyOf(subjects: Partial<Subjects>): Partial<Subjects> {
  try {
    const { key = NO_KEY, account = NO_ACCOUNT } = readOnce(subjects);
    const copy = snapshot({ key: fieldsOf(key), account: fieldsOf(account), operation: "none", resource: NO_RESOURCE });
    return {
      ...(key === NO_KEY ? {} : { key: copy.key }),
      ...(account === NO_ACCOUNT ? {} : { account: copy.account }),
    };
  } catch {
    return {};
  }
}

/** Of a list, its own fields: it lacks what it lacks to `decide`. */
function fieldsOf<P extends object>(part: P): P {
  return Array.isArray(part) ? Object.assign(Object.create(null), part) : part;
}

/** Decides on a request as `decide` takes it: each of its own fields is read once. */
function decideWholeOf(
  policies: PolicySet,
  request: Omit<PermissionRequest, "key"> & { readonly key?: unknown },
  subjects: BoundDecider["subjects"],
): Decision {
  const own = readOnce(request);
  const account = own.account === undefined ? subjects.account : own.account;
  const whole = Object.assign(Object.create(null), own, { key: subjects.key, account });
  if (!isObject(request) || !hasOtherKey(own.key, subjects)) return decideRead(policies, whole);
  const taken = takeUp(snapshot(whole));
  return decideUnsound(policies, { ...taken, isSound: false, key: OTHER_KEY, whole: undefined });
}
