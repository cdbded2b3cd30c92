/**
 * A cache of recent lookups, by a pair of texts and a list of roles, and perhaps by two scopes.
 *
 * The texts of a request are new each time, so a `Map` has to hash every one. Here a few of their characters choose
 * four places, and the entries there are compared. The caller looks up a miss elsewhere.
 */

import { LONGEST_KEPT } from "./bounded-cache.js";

class RecentEntry<T> {
  readonly first: string;
  readonly second: string;
  readonly roles: readonly string[];
  readonly principalScope: string;
  readonly resourceScope: string;
  readonly found: T;

  constructor(
    first: string,
    second: string,
    roles: readonly string[],
    principalScope: string,
    resourceScope: string,
    found: T,
  ) {
    this.first = first;
    this.second = second;
    this.roles = roles;
    this.principalScope = principalScope;
    this.resourceScope = resourceScope;
    this.found = found;
  }

  isFor(
    first: string,
    second: string,
    roles: readonly string[],
    principalScope: string,
    resourceScope: string,
  ): boolean {
    if (this.second !== second || this.first !== first || this.roles.length !== roles.length) return false;
    if (this.principalScope !== principalScope || this.resourceScope !== resourceScope) return false;
    for (let i = 0; i < roles.length; i++) if (this.roles[i] !== roles[i]) return false;
    return true;
  }
}

/** The default of the most places, and the number of places at first. */
const MOST = 1_024;
const FIRST = 256;

/** The scope of an entry without scopes. */
const ROOT = "";

/** Longer lists of roles are not cached. */
const MAX_ROLES = 8;

/** The number of places in which an entry can stand. */
const WAYS = 4;

/** After this many evictions, more characters choose the places. */
const MAX_DROPPED = 4;

export class RecentCache<T> {
  private readonly most: number;
  private size: number;
  private entries: (RecentEntry<T> | undefined)[] = [];
  /** The entries that were added since the table last grew. */
  private count = 0;
  private dropped = 0;

  /**
   * `most`: the most places, a power of two. Up to that number, the table grows when a quarter of its places are taken.
   */
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
    const at = this.placeOf(first, second, roles, principalScope, resourceScope);
    const entry = this.entries[at];
    return entry?.isFor(first, second, roles, principalScope, resourceScope)
      ? entry.found
      : this.beside(at, first, second, roles, principalScope, resourceScope);
  }

  /** Looks in the other places of an entry. */
  private beside(
    at: number,
    first: string,
    second: string,
    roles: readonly string[],
    principalScope: string,
    resourceScope: string,
  ): T | undefined {
    for (let i = 1; i < WAYS; i++) {
      const entry = this.entries[(at ^ i) & (this.size - 1)];
      if (entry?.isFor(first, second, roles, principalScope, resourceScope)) return entry.found;
    }
    return undefined;
  }

  /** Adds an entry. If all its places are taken, the oldest entry in them is evicted. */
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
    this.put(new RecentEntry(first, second, [...roles], principalScope, resourceScope, found));
  }

  private grow(): void {
    this.size *= 4;
    this.count = 0;
    this.place();
  }

  /** Puts each entry in its place again. */
  private place(): void {
    const { entries } = this;
    this.entries = places(this.size);
    for (const entry of entries) if (entry !== undefined) this.put(entry);
  }

  private put(entry: RecentEntry<T>): void {
    const { first, second, roles, principalScope, resourceScope } = entry;
    const at = this.placeOf(first, second, roles, principalScope, resourceScope);
    const { entries } = this;
    let [moved, isFull]: [RecentEntry<T> | undefined, boolean] = [entry, true];
    for (let i = 0; i < Math.min(WAYS, this.size) && isFull; i++) {
      const place = (at ^ i) & (this.size - 1);
      const older = entries[place];
      entries[place] = moved;
      isFull = older !== undefined;
      moved = older;
    }
    if (isFull && ++this.dropped === MAX_DROPPED) this.place();
  }

  /**
   * The first place of an entry. Reading characters is most of the cost of a lookup: one character of each name is
   * read, until these have proved to leave too many names in one place.
   */
  private placeOf(
    first: string,
    second: string,
    roles: readonly string[],
    principalScope: string,
    resourceScope: string,
  ): number {
    // Inlined: a call would cost as much as reading a character.
    let mixed = first.length * 101 + second.length * 59;
    if (first.length !== 0) mixed += first.charCodeAt(first.length >> 1) * 37;
    if (second.length !== 0) mixed += second.charCodeAt(second.length >> 1) * 5;
    if (roles.length !== 0) {
      const role = roles[0] ?? "";
      mixed += roles.length * 3 + role.length * 31;
      if (role.length !== 0) mixed += role.charCodeAt(role.length >> 1) * 11;
    }
    if (principalScope !== ROOT || resourceScope !== ROOT)
      mixed += mixMoreCharacters(principalScope) * 7 + mixMoreCharacters(resourceScope) * 59;
    if (this.dropped >= MAX_DROPPED)
      mixed += mixMoreCharacters(second) * 5 + mixMoreCharacters(first) * 37 + mixMoreCharacters(roles[0] ?? "") * 11;
    return mixed & (this.size - 1);
  }
}

function places(count: number): undefined[] {
  return new Array<undefined>(count).fill(undefined);
}

/**
 * Reads more characters. Names of one length with the same letter in the middle differ in their first, or in the last
 * three.
 */
function mixMoreCharacters(text: string): number {
  const end = text.length;
  if (end === 0) return 0;
  const ends = text.charCodeAt(0) * 7 + text.charCodeAt(end - 1) * 31 + end * 13;
  return end < 3 ? ends : text.charCodeAt(end - 2) * 341 + text.charCodeAt(end - 3) * 67 + ends;
}
