/**
 * What was asked for lately, by a pair of texts and a list of roles.
 *
 * A request's texts are new each time, so a `Map` computes a hash of every one. Here a few of their characters choose
 * two places to look at, and what stands there is compared. What is not found is looked up elsewhere.
 */

import { LONGEST_KEPT } from "./bounded.js";

interface Entry<T> {
  readonly first: string;
  readonly second: string;
  readonly roles: readonly string[];
  readonly found: T;
}

const SIZE = 1_024;

/** Longer lists of roles are not kept. */
const MAX_ROLES = 8;

export class Recent<T> {
  private readonly size: number;
  private entries: (Entry<T> | undefined)[] = [];

  /** `size`: how many are kept, a power of two. */
  constructor(size = SIZE) {
    this.size = size;
  }

  get(first: string, second: string, roles: readonly string[]): T | undefined {
    const at = placeOf(first, second, roles) & (this.size - 1);
    const entry = this.entries[at];
    if (entry !== undefined && isFor(entry, first, second, roles)) return entry.found;
    const other = this.entries[at ^ 1];
    return other !== undefined && isFor(other, first, second, roles) ? other.found : undefined;
  }

  /** Of the two entries in the places of this one, the older is dropped. */
  set(first: string, second: string, roles: readonly string[], found: T): void {
    const isShort = (text: string): boolean => text.length <= LONGEST_KEPT;
    if (!isShort(first) || !isShort(second) || roles.length > MAX_ROLES || !roles.every(isShort)) return;
    if (this.entries.length === 0) this.entries = new Array<undefined>(this.size).fill(undefined);
    const at = placeOf(first, second, roles) & (this.size - 1);
    this.entries[at ^ 1] = this.entries[at];
    this.entries[at] = { first, second, roles: [...roles], found };
  }
}

function isFor<T>(entry: Entry<T>, first: string, second: string, roles: readonly string[]): boolean {
  if (entry.second !== second || entry.first !== first || entry.roles.length !== roles.length) return false;
  for (let i = 0; i < roles.length; i++) if (entry.roles[i] !== roles[i]) return false;
  return true;
}

function placeOf(first: string, second: string, roles: readonly string[]): number {
  const role = roles[0] ?? "";
  return mixed(second) * 5 + mixed(first) * 37 + mixed(role) * 11 + roles.length * 3;
}

/** Names of one policy set differ in their lengths, in the middle, or at their ends: numbers in three digits of them. */
function mixed(text: string): number {
  const end = text.length;
  if (end === 0) return 0;
  const last = text.charCodeAt(end - 1) * 31 + text.charCodeAt(end >> 1) * 7 + end * 13;
  return end < 3 ? last : last + text.charCodeAt(end - 2) * 341 + text.charCodeAt(end - 3) * 67;
}
