/**
 * Challenges of RFC 6750 for refused callers: the permissions that they lack (`CHALLENGES=1`). Nothing is told of keys
 * above the caller, which it cannot change.
 */

import { type Decision, type DecisionRequest, hintsOf, type PolicySet } from "keyward";
import { challengeOf } from "keyward/http";
import { coverage, type Granted, isChainSound } from "../operations/delegation.js";
import type { ChainedKey, KeyPowers } from "../store/rows.js";

/** The challenge for a request that the caller may not make. `decision` is that of the caller's own key. */
export function challengeForRequest(
  policies: PolicySet,
  caller: ChainedKey,
  { decision, request }: { readonly decision: Decision; readonly request: DecisionRequest },
): string | undefined {
  return isChainSound(caller) ? challengeOf(hintsOf(policies, decision, request, { limit: 1 })) : undefined;
}

/**
 * The challenge for powers that the caller may not pass on: the granted permissions that it lacks, where it could pass on
 * all of the powers if it had these.
 */
export async function challengeForGrant(
  policies: PolicySet,
  caller: KeyPowers,
  { after, before }: Granted,
): Promise<string | undefined> {
  const mayPassOn = async (maker: KeyPowers, holder: KeyPowers) =>
    (await coverage(policies, maker, { after: holder, before })).covered;
  const lacking: string[] = [];
  for (const permission of after.permissions) {
    const isHeld = await mayPassOn(caller, { ...after, roles: ["custom"], permissions: [permission] });
    if (!isHeld) lacking.push(permission);
  }
  if (lacking.length === 0) return undefined;
  const isEnough = await mayPassOn({ ...caller, permissions: [...caller.permissions, ...lacking] }, after);
  return isEnough ? challengeOf([{ permissions: lacking }]) : undefined;
}
