/**
 * Delegation: a key may pass on only powers that it has itself. Otherwise a key that may create keys could create one
 * that may do everything. And a key may never do more than the keys above it: the key that made it, and so on.
 *
 * The policies say what a key may do, so they are asked, about every request (`covers`).
 */

import { type Coverage, covers, type PolicySet, type UncoveredRequest } from "keyward";
import type { AncestorRow, ChainedKey, KeyPowers } from "../store/rows.js";
import { MAX_CHAIN } from "../store/statements.js";
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
 * Whether every key above a key is there, may make requests, and the chain is not too long. Otherwise the key may do
 * nothing but revoke itself.
 */
export function isChainSound({ parentId, ancestors }: ChainedKey): boolean {
  const above = ancestors.at(-1);
  const isWhole = above === undefined ? parentId === null : above.parentId === null;
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
 * Undefined if it is proved that there is none.
 */
export function grantedExcess(
  policies: PolicySet,
  maker: ChainedKey,
  { after, before }: { readonly after: KeyPowers; readonly before?: KeyPowers },
): Excess | undefined {
  return firstExcess(linksOf(maker), (one) => coverage(policies, one, after, before));
}

/** A power of `target` that the maker, or a key above it, lacks. Undefined if it is proved that there is none. */
export function heldExcess(policies: PolicySet, maker: ChainedKey, target: ChainedKey): Excess | undefined {
  // The target may do no more than any key above it.
  return firstExcess(linksOf(maker), (one) => {
    let found: Coverage = { covered: false, undecided: true };
    for (const link of linksOf(target)) {
      const next = link.id === one.id ? COVERED : coverage(policies, one, link);
      if (next.covered) return next;
      if (found.undecided === true) found = next;
    }
    return found;
  });
}

const COVERED: Coverage = { covered: true };

function firstExcess(makers: readonly KeyPowers[], of: (maker: KeyPowers) => Coverage): Excess | undefined {
  for (const maker of makers) {
    const found = of(maker);
    if (!found.covered) return { maker, request: found.request };
  }
  return undefined;
}

function coverage(policies: PolicySet, maker: KeyPowers, holder: KeyPowers, before?: KeyPowers): Coverage {
  return covers(policies, {
    maker: principalOf(maker),
    holder: principalOf(holder),
    ...(before && { before: principalOf(before) }),
  });
}
