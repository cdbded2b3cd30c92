/**
 * What was asked for lately, by a pair of texts and a list of roles, and perhaps by two scopes.
 *
 * A request's texts are new each time, so a `Map` computes a hash of every one. Here a few of their characters choose
 * four places to look at, and what stands there is compared. What is not found is looked up elsewhere.
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

/** An entry has so many places. */
const WAYS = 4;

/** So many are dropped before it is plain that more of their characters have to be looked at. */
const MAX_DROPPED = 16;

export class Recent<T> {
  private readonly most: number;
  private size: number;
  private entries: (Entry<T> | undefined)[] = [];
  /** What was put in since there were so many places. */
  private count = 0;
  private dropped = 0;

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
    const at = this.placeOf(first, second, roles, principalScope, resourceScope);
    const entry = this.entries[at];
    if (entry !== undefined && isFor(entry, first, second, roles, principalScope, resourceScope)) return entry.found;
    for (let i = 1; i < WAYS; i++) {
      const other = this.entries[(at ^ i) & (this.size - 1)];
      if (other !== undefined && isFor(other, first, second, roles, principalScope, resourceScope)) return other.found;
    }
    return undefined;
  }

  /** Of the entries in the places of this one, the oldest is dropped. */
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
    this.size *= 4;
    this.count = 0;
    this.place();
  }

  /** Gives each entry its place anew. */
  private place(): void {
    const { entries } = this;
    this.entries = places(this.size);
    for (const entry of entries) if (entry !== undefined) this.put(entry);
  }

  private put(entry: Entry<T>): void {
    const { first, second, roles, principalScope, resourceScope } = entry;
    const at = this.placeOf(first, second, roles, principalScope, resourceScope);
    const { entries } = this;
    let [moved, isFull]: [Entry<T> | undefined, boolean] = [entry, true];
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
   * Most of what a look costs is looking at characters: as few as may be, until these have proved to leave too many names
   * in one place.
   */
  private placeOf(
    first: string,
    second: string,
    roles: readonly string[],
    principalScope: string,
    resourceScope: string,
  ): number {
    const role = roles.length === 0 ? "" : (roles[0] ?? "");
    let mixed = some(second) * 5 + some(first) * 37 + few(role) * 11 + roles.length * 3;
    if (principalScope !== ROOT || resourceScope !== ROOT) mixed += more(principalScope) * 7 + more(resourceScope) * 59;
    if (this.dropped >= MAX_DROPPED) mixed += more(second) * 5 + more(first) * 37 + more(role) * 11;
    return mixed & (this.size - 1);
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

/** Names of one policy set differ in their lengths and in the middle, */
function few(text: string): number {
  const end = text.length;
  return end === 0 ? 0 : text.charCodeAt(end >> 1) * 7 + end * 13;
}

/** or at their ends, */
function some(text: string): number {
  const end = text.length;
  return end === 0 ? 0 : text.charCodeAt(end >> 1) * 7 + text.charCodeAt(end - 1) * 31 + end * 13;
}

/** and numbers in three digits of them. */
function more(text: string): number {
  const end = text.length;
  return end < 3 ? some(text) : text.charCodeAt(end - 2) * 341 + text.charCodeAt(end - 3) * 67 + some(text);
}
