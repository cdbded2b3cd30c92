/** The laws of hints, tried on requests: what is expected of the hints for one refused request. */

import { expect } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { type Hint, hintsOf, type PolicySet } from "../../src/index.js";
import type { PlainRequest } from "../property/arbitraries/index.js";

/** All hints for a request. */
export function hintsFor(policies: PolicySet, request: PlainRequest, disclose = false): readonly Hint[] {
  return hintsOf(policies, decideAny(policies, request), request, { limit: 99, disclose });
}

/** The request, with the key that a hint asks for. `list`: the attribute with the key's permissions. */
export function withHint(request: PlainRequest, { permissions, roles = [] }: Hint, list = "permissions"): PlainRequest {
  const { key } = request;
  const held = key.attr[list];
  const attr = permissions.length === 0 ? {} : { [list]: [...(Array.isArray(held) ? held : []), ...permissions] };
  return { ...request, key: { ...key, roles: [...key.roles, ...roles], attr: { ...key.attr, ...attr } } };
}

/** Each hint replays, is needed in all its parts, and includes no other one. None is given but for lack of permission. */
export function expectUseful(policies: PolicySet, request: PlainRequest, hints: readonly Hint[], list?: string): void {
  const { outcome, fault } = decideAny(policies, request);
  if (outcome !== "insufficient_permissions" || fault !== undefined) expect(hints).toEqual([]);
  const text = JSON.stringify(request);
  for (const hint of hints) {
    expect(decideAny(policies, withHint(request, hint, list)).outcome, text).toBe("allow");
    for (const less of lessThan(hint)) {
      expect(decideAny(policies, withHint(request, less, list)).outcome, `${text}: ${JSON.stringify(hint)}`).not.toBe(
        "allow",
      );
    }
  }
}

/** The hint without one of its parts. */
function lessThan({ permissions, roles = [] }: Hint): readonly Hint[] {
  return [
    ...permissions.map((one) => ({ permissions: permissions.filter((other) => other !== one), roles })),
    ...roles.map((one) => ({ permissions, roles: roles.filter((other) => other !== one) })),
  ];
}

/**
 * No hint stands before one that allows strictly less: of `others`, by their own keys and by the key of the request, each
 * with the hint, and of requests that `more` makes. Permissions may stand before roles, and combinations are not compared. Returns the number of pairs with a hint that allows strictly less.
 */
export function expectLeastFirst(
  policies: PolicySet,
  request: PlainRequest,
  hints: readonly Hint[],
  others: readonly PlainRequest[],
  list?: string,
  more?: () => PlainRequest,
): number {
  // Also keys that have a part of a hint already, or a role more, and the key of the request.
  const parts = hints.flatMap(({ permissions, roles = [] }) => [
    ...permissions.map((one): Hint => ({ permissions: [one] })),
    ...roles.map((one): Hint => ({ permissions: [], roles: [one] })),
  ]);
  const keys = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
  const asked = [
    ...others,
    ...keys.flatMap((part) => others.map((other) => withHint(other, part, list))),
    ...others.map((other) => ({ ...other, key: request.key })),
  ];
  const allowed = hints.map((hint) =>
    asked.map((one) => decideAny(policies, withHint(one, hint, list)).outcome === "allow"),
  );
  let ordered = 0;
  for (const [i, earlier] of allowed.entries()) {
    for (const [j, later] of allowed.entries()) {
      if (j <= i) continue;
      if (isLess(earlier, later)) ordered += 1;
      if (hints[i]?.roles === undefined && hints[j]?.roles !== undefined) continue;
      // A sample that tells two combinations apart has to be very large.
      if (!isSingle(hints[i]) || !isSingle(hints[j])) continue;
      if (!isLess(later, earlier) || isOnlyAllowedBy(policies, hints[j], hints[i], list, more)) continue;
      expect.fail(`a hint that allows strictly less stands behind: ${JSON.stringify([request, hints[i], hints[j]])}`);
    }
  }
  return ordered;
}

function isLess(one: readonly boolean[], two: readonly boolean[]): boolean {
  return one.every((is, n) => !is || two[n] === true) && one.some((is, n) => is !== two[n]);
}

function isSingle({ permissions, roles = [] }: Hint = { permissions: [] }): boolean {
  return permissions.length + roles.length === 1;
}

/** Requests that are looked at for one that a hint allows and another one does not. */
const FURTHER = 10_000;

function isOnlyAllowedBy(
  policies: PolicySet,
  hint: Hint = { permissions: [] },
  other: Hint = { permissions: [] },
  list: string | undefined,
  more: (() => PlainRequest) | undefined,
): boolean {
  if (more === undefined) return false;
  const allows = (request: PlainRequest, one: Hint) =>
    decideAny(policies, withHint(request, one, list)).outcome === "allow";
  for (let n = 0; n < FURTHER; n++) {
    const request = more();
    if (allows(request, hint) && !allows(request, other)) return true;
  }
  return false;
}
