/**
 * The decision. Read this file and you know what keyward does.
 *
 *     key, operation, resource      ->  permission layer  ->  allow | deny
 *     account, operation, resource  ->  platform layer    ->  allow | deny
 *
 * INVARIANT (two layers apart): `permissionVerdict` is not given the account, and `platformVerdict` is not given the key.
 *
 * Both layers are always evaluated, permission first. The platform's denial wins:
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
import type { PrincipalInput } from "../engine/plan/subjects.js";
import type { LayerVerdict } from "../engine/plan/verdict.js";
import { NOT_ASKED } from "./not-asked.js";
import type { PermissionSet, PolicySet } from "./policy-set.js";
import { invalidVerdict, RequestIssue, type Taken, takeUp } from "./request.js";
import type { Decision, DecisionRequest, Outcome, PermissionRequest, PlatformVerdict } from "./types.js";

/**
 * May `request.key` perform `request.operation` on `request.resource`, which belongs to `request.account`?
 *
 * Pure: no I/O, no clock, no randomness; it does not change its arguments and never throws. A request that is not
 * well-formed is denied by each layer that needs the malformed part, and the verdict's `errors` say why.
 */
export function decide(policies: PermissionSet, request: PermissionRequest): Decision;
export function decide(policies: PolicySet, request: DecisionRequest): Decision;
export function decide(policies: PolicySet, request: PermissionRequest): Decision {
  return decideAny(policies, request);
}

/** {@link decide} for tools, which have sets of either kind: a platform layer denies a request without an account. */
export function decideAny(policies: PolicySet, request: PermissionRequest): Decision {
  const { key, action, resource, account, now } = takeUp(request);
  const permission = permissionVerdict(policies.permission, key, action, resource, now);
  const platform = platformVerdict(policies.platform, account, action, resource, now);
  return { outcome: outcomeOf(permission, platform), permission, platform };
}

/** What combines the layers (docs/contract.md §7.2 and §7.5). */
export function outcomeOf(permission: LayerVerdict, platform: LayerVerdict): Outcome {
  if (platform.effect !== "allow") return "forbidden";
  if (permission.effect !== "allow") return "insufficient_permissions";
  return "allow";
}

/** What the key may do. It never sees the account. */
function permissionVerdict(
  layer: Layer,
  key: Taken["key"],
  action: Taken["action"],
  resource: Taken["resource"],
  now: Taken["now"],
): LayerVerdict {
  return verdictFor(layer, key, action, resource, now);
}

/** What the platform forbids: nothing, where there is no such layer. It never sees the key. */
function platformVerdict(
  layer: Layer | undefined,
  account: Taken["account"],
  action: Taken["action"],
  resource: Taken["resource"],
  now: Taken["now"],
): PlatformVerdict {
  return layer === undefined ? NOT_ASKED : verdictFor(layer, account, action, resource, now);
}

function verdictFor(
  layer: Layer,
  principal: PrincipalInput | RequestIssue,
  action: Taken["action"],
  resource: Taken["resource"],
  now: Taken["now"],
): LayerVerdict {
  if (principal instanceof RequestIssue) return invalidVerdict(principal);
  if (action instanceof RequestIssue) return invalidVerdict(action);
  if (resource instanceof RequestIssue) return invalidVerdict(resource);
  if (now instanceof RequestIssue) return invalidVerdict(now);
  return layer.verdict(principal, resource, action, now);
}

/**
 * Decisions for one key and account on many resources, in their order: a list page. The same as {@link decide} for each.
 */
export function decideAll(
  policies: PermissionSet,
  request: Omit<PermissionRequest, "resource">,
  resources: readonly DecisionRequest["resource"][],
): readonly Decision[];
export function decideAll(
  policies: PolicySet,
  request: Omit<DecisionRequest, "resource">,
  resources: readonly DecisionRequest["resource"][],
): readonly Decision[];
export function decideAll(
  policies: PolicySet,
  request: Omit<PermissionRequest, "resource">,
  resources: readonly DecisionRequest["resource"][],
): readonly Decision[] {
  return resources.map((resource) => decideAny(policies, { ...request, resource }));
}
