/**
 * What was asked for lately, by a pair of texts and a list of roles, and perhaps by two scopes.
 *
 * A request's texts are new each time, so a `Map` computes a hash of every one. Here a few of their characters choose
 * two places to look at, and what stands there is compared. What is not found is looked up elsewhere.
 */

import { LONGEST_KEPT } from "./bounded.js";

interface Entry<T> {
  readonly first: string;
  readonly second: string;
  readonly roles: readonly string[];
  readonly principalScope: string;
  readonly resourceScope: string;
  readonly found: T;
}

/** Places in all, if nothing else is said; and at first. */
const MOST = 1_024;
const FIRST = 256;

/** Longer lists of roles are not kept. */
const MAX_ROLES = 8;

export class Recent<T> {
  private readonly most: number;
  private size: number;
  private entries: (Entry<T> | undefined)[] = [];
  /** What was put in since there were so many places. */
  private count = 0;

  /** `most`: how many are kept at most, a power of two. There are more places than are taken, as long as there may be. */
  constructor(most = MOST) {
    this.most = most;
    this.size = Math.min(most, FIRST);
  }

  get(
    first: string,
    second: string,
    roles: readonly string[],
    principalScope = ROOT,
    resourceScope = ROOT,
  ): T | undefined {
    const at = placeOf(first, second, roles, principalScope, resourceScope) & (this.size - 1);
    const entry = this.entries[at];
    if (entry !== undefined && isFor(entry, first, second, roles, principalScope, resourceScope)) return entry.found;
    const other = this.entries[at ^ 1];
    const isOther = other !== undefined && isFor(other, first, second, roles, principalScope, resourceScope);
    return isOther ? other.found : undefined;
  }

  /** Of the two entries in the places of this one, the older is dropped. */
  set(
    first: string,
    second: string,
    roles: readonly string[],
    found: T,
    principalScope = ROOT,
    resourceScope = ROOT,
  ): void {
    const texts = [first, second, principalScope, resourceScope, ...roles];
    if (roles.length > MAX_ROLES || texts.some((text) => text.length > LONGEST_KEPT)) return;
    if (this.entries.length === 0) this.entries = places(this.size);
    else if (++this.count > this.size / 4 && this.size < this.most) this.grow();
    this.put({ first, second, roles: [...roles], principalScope, resourceScope, found });
  }

  private grow(): void {
    const { entries } = this;
    this.size *= 4;
    this.entries = places(this.size);
    this.count = 0;
    for (const entry of entries) if (entry !== undefined) this.put(entry);
  }

  private put(entry: Entry<T>): void {
    const { first, second, roles, principalScope, resourceScope } = entry;
    const at = placeOf(first, second, roles, principalScope, resourceScope) & (this.size - 1);
    this.entries[at ^ 1] = this.entries[at];
    this.entries[at] = entry;
  }
}

function places(count: number): undefined[] {
  return new Array<undefined>(count).fill(undefined);
}

const ROOT = "";

function isFor<T>(
  entry: Entry<T>,
  first: string,
  second: string,
  roles: readonly string[],
  principalScope: string,
  resourceScope: string,
): boolean {
  if (entry.second !== second || entry.first !== first || entry.roles.length !== roles.length) return false;
  if (entry.principalScope !== principalScope || entry.resourceScope !== resourceScope) return false;
  for (let i = 0; i < roles.length; i++) if (entry.roles[i] !== roles[i]) return false;
  return true;
}

function placeOf(
  first: string,
  second: string,
  roles: readonly string[],
  principalScope: string,
  resourceScope: string,
): number {
  const role = roles[0] ?? "";
  const scopes = mixed(principalScope) * 7 + mixed(resourceScope) * 59;
  return mixed(second) * 5 + mixed(first) * 37 + mixed(role) * 11 + roles.length * 3 + scopes;
}

/** Names of one policy set differ in their lengths, in the middle, or at their ends: numbers in three digits of them. */
function mixed(text: string): number {
  const end = text.length;
  if (end === 0) return 0;
  const last = text.charCodeAt(end - 1) * 31 + text.charCodeAt(end >> 1) * 7 + end * 13;
  return end < 3 ? last : last + text.charCodeAt(end - 2) * 341 + text.charCodeAt(end - 3) * 67;
}
