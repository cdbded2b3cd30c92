/**
 * The decision. This file shows how keyward decides.
 *
 *     key, operation, resource      ->  permission layer  ->  allow | deny
 *     account, operation, resource  ->  platform layer    ->  allow | deny
 *
 * The permission layer is not given the account, and the platform layer is not given the key: the signatures in
 * `two-layers.ts` keep it (the invariant "two layers apart").
 *
 * Both layers are always evaluated, permission first. The platform's denial wins (`outcome.ts`):
 *
 *     platform denies              ->  forbidden                  no key can help   (docs/contract.md §7.5)
 *     otherwise permission denies  ->  insufficient_permissions   another key can   (docs/contract.md §7.5)
 *     otherwise                    ->  allow
 *
 * A permission-only set has no platform layer. Then no platform is asked, nothing is forbidden, and the decision says
 * so.
 *
 * These laws hold for all policies (test/property/ checks each on generated policy sets):
 *
 * 1. Key swap. If `decide(k, op, r, a)` is `forbidden`, so is `decide(k2, op, r, a)` for every key `k2`, with the same
 *    platform verdict: `platform` does not have the key.
 * 2. Account swap. The permission verdict is the same under every account: `permission` does not have it.
 * 3. Fail closed. Damage to a request (an attribute removed, or of another type) and evaluation errors never make an
 *    `allow` of a refusal. Where a policy reads an attribute through `has()`, its author decides.
 * 4. Order. The order of files, rules, roles and permissions changes nothing but the order of reasons.
 *
 * And for the policies shipped with this library:
 *
 * 5. Reduction. Taking a permission or a role away from a key never adds an `allow`.
 *
 * And for changes of policies:
 *
 * 6. Locality. A policy that is not about a request (docs/verdicts.md) changes nothing of its decision.
 */

import type { Layer } from "../engine/evaluate/layer.js";
import { PlanPair } from "../engine/evaluate/plan-pair.js";
import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import { type AccountFrame, principalFrame } from "../engine/frame/frame.js";
import type { LayerVerdict } from "../engine/plan/verdict.js";
import { denyWithoutPolicies } from "./no-policies.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import type { PolicySet } from "./policy-set.js";
import type { PolicyTypes } from "./policy-types.js";
import { questionOf, type UnsoundRequest } from "./request.js";
import { invalidRequest, RequestIssue } from "./request-issue.js";
import { ACCOUNT_ROLES, NO_ATTR } from "./request-parts.js";
import { validated } from "./request-validation.js";
import { snapshot } from "./snapshot.js";
import { permission, platform } from "./two-layers.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";

/**
 * May `request.key` perform `request.operation` on `request.resource`, which belongs to `request.account`?
 *
 * Pure: no I/O, no clock, no randomness; it does not change its arguments. It never throws, for any arguments. Each
 * layer that needs a malformed part denies. An argument that is not a policy set denies everything. The decision's
 * `fault` says what to correct.
 */
export function decide<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  request: NoInfer<DecisionRequest<T>>,
): Decision<T>;
export function decide(policies: PolicySet, request: PermissionRequest): Decision {
  return decideAny(policies, request);
}

/**
 * {@link decide} for tools, which have sets of either kind. A set with a platform layer denies a request without an
 * account.
 */
export function decideAny(policies: PolicySet, request: PermissionRequest): Decision {
  return decideWithinBound(policies, decideRead, request, undefined);
}

/** Decides on a request before anything of it is read. */
export function decideRead(policies: PolicySet, request: PermissionRequest): Decision {
  // The schemas and the rules must see the same values.
  const read = policies.permission.enforcesSchemas ? snapshot(request) : request;
  const taken = validated(read, policies.platform === undefined ? NO_ACCOUNT_FRAME : undefined);
  if (!taken.isSound) return decideUnsound(policies, taken);
  const { key, account, resource, action, now } = taken;
  return policies.tables.find(key, account, resource, action).decide(key, account, resource, now);
}

/**
 * Runs `decided` within the bound on nested decisions, and never throws. `given` and `by` are arguments so that the hot
 * path allocates no closure.
 */
export function decideWithinBound<T, By>(
  policies: PolicySet,
  decided: (policies: PolicySet, given: T, by: By) => Decision,
  given: T,
  by: By,
): Decision {
  if (!enterDecision()) return decideWhole(policies, DECIDED_WITHIN);
  try {
    return decided(policies, given, by);
  } catch {
    // The layers of a policy set do not throw, so `policies` is not one.
    return denyWithoutPolicies(policies);
  } finally {
    leaveDecision();
  }
}

/**
 * The deepest nesting of decisions. An attribute may be a getter that decides. A getter that decides on its own request
 * would call itself without end, several times at each depth, and the stack would not end that in time.
 */
const MAX_WITHIN = 4;

/** The decisions and plans under way, each but the first within another. */
let underWay = 0;

/** Called before a request is read. False: too many are under way. True: {@link leaveDecision} must follow. */
export function enterDecision(): boolean {
  if (underWay > MAX_WITHIN) return false;
  underWay += 1;
  return true;
}

export function leaveDecision(): void {
  underWay -= 1;
}

export const DECIDED_WITHIN = new RequestIssue("", `is read by more than ${MAX_WITHIN} decisions, each within another`);

/** The account of requests to a permission-only set, where nothing reads it. */
export const NO_ACCOUNT: DecisionRequest["account"] = Object.freeze({ id: "none", attr: Object.freeze({}) });

export const NO_ACCOUNT_FRAME: AccountFrame = principalFrame("account", "none", ACCOUNT_ROLES, NO_ATTR, "");

/** Decides on a request with a malformed part: a layer that needs the part denies, and the other layer is asked. */
export function decideUnsound(policies: PolicySet, unsound: UnsoundRequest): Decision {
  const { platform: wall } = policies;
  return decisionOf(
    policies,
    unsound.action,
    unsound.resource,
    permissionVerdict(policies.permission, unsound),
    wall === undefined ? NOT_ASKED : platformVerdict(wall, unsound),
  );
}

function permissionVerdict(layer: Layer, unsound: UnsoundRequest): LayerVerdict {
  const asked = questionOf(unsound.key, unsound);
  if (asked instanceof RequestIssue) return refused(asked);
  const { principal: key, action, resource, now } = asked;
  const plan = layer.planFor(key, resource, action);
  return permission(plan, key, resource, new PlanPair(plan, undefined), now).verdict;
}

function platformVerdict(layer: Layer, unsound: UnsoundRequest): LayerVerdict {
  const asked = questionOf(unsound.account, unsound);
  if (asked instanceof RequestIssue) return refused(asked);
  const { principal: account, action, resource, now } = asked;
  const plan = layer.planFor(account, resource, action);
  return platform(plan, account, resource, new PlanPair(plan, undefined), now).verdict;
}

function refused(issue: RequestIssue): LayerVerdict {
  return refusedVerdict(invalidRequest(issue), issue.path);
}

/** Decides on a request that has one fault as a whole. */
export function decideWhole(policies: PolicySet, whole: RequestIssue): Decision {
  try {
    const parts = { key: whole, action: whole, resource: whole, account: whole, now: whole };
    return decideUnsound(policies, { isSound: false, ...parts, whole });
  } catch {
    return denyWithoutPolicies(policies);
  }
}
