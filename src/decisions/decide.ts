/**
 * The decision. Read this file and you know what keyward does.
 *
 *     key, operation, resource      ->  permission layer  ->  allow | deny
 *     account, operation, resource  ->  platform layer    ->  allow | deny
 *
 * INVARIANT (two layers apart): the permission layer is not given the account, and the platform layer is not given the key.
 * (`pair.ts` asks both together, since they read the same resource; that their rules read nothing of the other's principal is
 * kept where these are written: `engine/generate/draft.ts`.)
 *
 * Both layers are always evaluated, permission first. The platform's denial wins (`outcome.ts`):
 *
 *     platform denies              ->  forbidden                  no key can help   (docs/contract.md §7.5)
 *     otherwise permission denies  ->  insufficient_permissions   another key can   (docs/contract.md §7.5)
 *     otherwise                    ->  allow
 *
 * A permission-only set has no platform layer. Then nobody is asked, nothing is forbidden, and the decision says so.
 *
 * What follows, whatever the policies (test/property/ checks each on generated policy sets):
 *
 * 1. Key swap. If `decide(k, op, r, a)` is `forbidden`, so is `decide(k2, op, r, a)` for every key `k2`, with the same
 *    platform verdict: `platform` below does not have the key.
 * 2. Account swap. The permission verdict is the same under every account: `permission` below does not have it.
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
import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import type { LayerVerdict } from "../engine/plan/verdict.js";
import { decidedWithout } from "./no-policies.js";
import { NOT_ASKED } from "./not-asked.js";
import { decisionOf } from "./outcome.js";
import type { PolicySet } from "./policy-set.js";
import type { PolicyTypes } from "./policy-types.js";
import { questionOf, type Target, type Unsound } from "./request.js";
import { invalidRequest, RequestIssue } from "./request-issue.js";
import { snapshot } from "./snapshot.js";
import { takeUpFor } from "./take-up.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";

/**
 * May `request.key` perform `request.operation` on `request.resource`, which belongs to `request.account`?
 *
 * Pure: no I/O, no clock, no randomness; it does not change its arguments. It never throws, whatever it is given: a
 * request that is not well-formed is denied by each layer that needs the malformed part, what is no policies denies
 * everything, and the decision's `fault` says what has to be mended.
 */
export function decide<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T>,
  request: NoInfer<DecisionRequest<T>>,
): Decision<T>;
export function decide(policies: PolicySet, request: PermissionRequest): Decision {
  return decideAny(policies, request);
}

/** {@link decide} for tools, which have sets of either kind: a platform layer denies a request without an account. */
export function decideAny(policies: PolicySet, request: PermissionRequest): Decision {
  return within(policies, decideRead, request, undefined);
}

/** Decides on a request that nothing was read of yet. */
export function decideRead(policies: PolicySet, request: PermissionRequest): Decision {
  // What satisfies the schemas is what the rules have read.
  const read = policies.permission.enforcesSchemas ? snapshot(request) : request;
  const absent = policies.platform === undefined ? NO_ACCOUNT : undefined;
  return takeUpFor(policies.pair, decideUnsound, policies, read, absent);
}

/**
 * What decides runs in here, and never throws. It is passed what it decides on, and by whom, so that no closure has to be
 * made.
 */
export function within<T, By>(
  policies: PolicySet,
  decided: (policies: PolicySet, given: T, by: By) => Decision,
  given: T,
  by: By,
): Decision {
  if (!enter()) return decideWhole(policies, DECIDED_WITHIN);
  try {
    return decided(policies, given, by);
  } catch {
    // The layers of a policy set do not throw: there is none.
    return decidedWithout(policies);
  } finally {
    leave();
  }
}

/**
 * Decisions may be asked for within others: an attribute may be a getter that decides. One that asks for its own request
 * would read itself without end, several times at each depth, and what ends that is not the stack: it is this bound.
 */
const MAX_WITHIN = 4;

/** How many decisions and plans are being made, each but the first within another. */
let underWay = 0;

/** Before anything of a request is read. False: there are too many under way; otherwise {@link leave} has to follow. */
export function enter(): boolean {
  if (underWay > MAX_WITHIN) return false;
  underWay += 1;
  return true;
}

export function leave(): void {
  underWay -= 1;
}

export const DECIDED_WITHIN = new RequestIssue("", `is read by more than ${MAX_WITHIN} decisions, each within another`);

/** Stands for an account that nobody asks about. */
export const NO_ACCOUNT: DecisionRequest["account"] = Object.freeze({ id: "none", attr: Object.freeze({}) });

/** Decides where some part is malformed: a layer that needs it denies, and the other one is asked. */
export function decideUnsound(policies: PolicySet, { key, account, ...target }: Unsound): Decision {
  const { permission, platform } = policies;
  const permitted = verdictOn(permission, key, target);
  const supported = platform === undefined ? NOT_ASKED : verdictOn(platform, account, target);
  return decisionOf(policies, target.action, target.resource, permitted, supported);
}

function verdictOn(layer: Layer, principal: Unsound["key"], target: Target): LayerVerdict {
  const question = questionOf(principal, target);
  if (question instanceof RequestIssue) return refusedVerdict(invalidRequest(question), question.path);
  return layer.verdict(question.principal, question.resource, question.action, question.now);
}

/** Decides where one thing is wrong with all of a request. */
export function decideWhole(policies: PolicySet, whole: RequestIssue): Decision {
  try {
    const parts = { key: whole, action: whole, resource: whole, account: whole, now: whole };
    return decideUnsound(policies, { isSound: false, ...parts, whole });
  } catch {
    return decidedWithout(policies);
  }
}
