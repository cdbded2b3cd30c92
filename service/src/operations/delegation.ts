/**
 * Delegation: a key may pass on only powers that it has itself. Otherwise a key that may create keys could create one
 * that may do everything. And a key may never do more than the keys above it: the key that made it, and so on.
 *
 * The policies say what a key may do, so they are asked, about every request (`covers`).
 */

import { setImmediate } from "node:timers/promises";
import { type Coverage, coversInSteps, type PolicySet, type UncoveredRequest } from "keyward";
import { MAX_CHAIN } from "../store/columns.js";
import type { AncestorRow, ChainedKey, KeyPowers } from "../store/rows.js";
import { principalOf } from "./resources.js";

/** A key that is changed or made, and the keys that have to cover it. */
export interface Excess {
  /** The key that lacks a power: the maker, or a key above it. */
  readonly maker: KeyPowers;
  /** The power; undefined if it is not proved that there is none. */
  readonly request: UncoveredRequest | undefined;
}

/** The links of a chain: the key itself, then its ancestors. */
export function linksOf(key: ChainedKey): readonly [ChainedKey, ...AncestorRow[]] {
  return [key, ...key.ancestors];
}

/**
 * True if every key above a key is there, each the parent of the one before, may make requests, and the chain is not too
 * long. Otherwise the key may do nothing but revoke itself.
 */
export function isChainSound(key: ChainedKey): boolean {
  const { ancestors } = key;
  const isWhole = linksOf(key).every(({ parentId }, at) => parentId === (ancestors[at]?.id ?? null));
  return isWhole && ancestors.length < MAX_CHAIN && ancestors.every(({ usable }) => usable);
}

/** Every key may revoke itself: a leaked key can always be revoked. */
export const REVOKE = "keys.revokeKey";

/** Whether a request is a key's revocation of itself. Then the keys above it are not asked. */
export function isRevokingItself(
  key: Pick<KeyPowers, "id">,
  operation: string,
  resource: { readonly kind: string; readonly id: string },
): boolean {
  return operation === REVOKE && resource.kind === "key" && resource.id === key.id;
}

/**
 * A power that `after` would have, but neither `before` (the same key until now) nor the maker or a key above it.
 * Undefined if all powers are proved to be covered.
 */
export function grantedExcess(policies: PolicySet, maker: ChainedKey, granted: Granted): Promise<Excess | undefined> {
  return firstExcess(linksOf(maker), (one) => coverage(policies, one, granted));
}

/** A power of `target` that the maker, or a key above it, lacks. Undefined if all of them are proved to be covered. */
export function heldExcess(policies: PolicySet, maker: ChainedKey, target: ChainedKey): Promise<Excess | undefined> {
  // The target may do no more than any key above it.
  return firstExcess(linksOf(maker), async (one) => {
    let found: Coverage = { covered: false, undecided: true };
    for (const link of linksOf(target)) {
      const next = link.id === one.id ? COVERED : await coverage(policies, one, { after: link });
      if (next.covered) return next;
      if (found.undecided === true) found = next;
    }
    return found;
  });
}

const COVERED: Coverage = { covered: true };

async function firstExcess(
  makers: readonly KeyPowers[],
  of: (maker: KeyPowers) => Promise<Coverage>,
): Promise<Excess | undefined> {
  for (const maker of makers) {
    const found = await of(maker);
    if (!found.covered) return { maker, request: found.request };
  }
  return undefined;
}

/** The powers of a key as it would be, and as it is. */
export interface Granted {
  readonly after: KeyPowers;
  readonly before?: KeyPowers | undefined;
}

/** The longest turn of a comparison, in milliseconds. Then other requests get theirs. */
const TURN_MS = 3;

/** Compares a maker with a key as it would be. The powers of the key as it is need no maker. */
export async function coverage(policies: PolicySet, maker: KeyPowers, { after, before }: Granted): Promise<Coverage> {
  const steps = coversInSteps(policies, {
    maker: principalOf(maker),
    holder: principalOf(after),
    ...(before && { before: principalOf(before) }),
  });
  let end = 0;
  for (;;) {
    if (performance.now() >= end) {
      await setImmediate();
      end = performance.now() + TURN_MS;
    }
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
