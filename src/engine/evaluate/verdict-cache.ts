/**
 * What was found for sets of conditions before: sets are words of bits, most of one word. That it is the same for every
 * request with the same set is the invariant "a set says all" of `compiled-plan.ts`.
 */

import { at, put } from "../plan/places.js";

/** Sets kept for one plan. There are rarely more than a dozen different ones. */
const MAX_SETS = 1_024;

/** The sets that begin alike. */
class Branch<V> {
  value: V | undefined = undefined;
  next: Map<number, Branch<V>> | undefined = undefined;
}

export class VerdictCache<V> {
  private root = new Branch<V>();
  private count = 0;

  /** What is known of a set, whose words are the first so many of a list. */
  get(words: readonly number[], count: number): V | undefined {
    let at: Branch<V> | undefined = this.root;
    for (let i = 0; i < count && at !== undefined; i++) at = at.next?.get(words[i] ?? 0);
    return at?.value;
  }

  set(words: readonly number[], count: number, value: V): void {
    if (this.count >= MAX_SETS) {
      this.root = new Branch();
      this.count = 0;
    }
    let at = this.root;
    for (const word of words.slice(0, count)) {
      at.next ??= new Map();
      const known = at.next.get(word);
      const next = known ?? new Branch<V>();
      if (known === undefined) {
        at.next.set(word, next);
        this.count++;
      }
      at = next;
    }
    at.value = value;
  }
}

/** Places for recent words, a power of two. */
const PLACES = 32;

/** The values of sets of one word that were asked for lately. Neither list nor map is made to look one up. */
export class RecentWords<V> {
  private readonly entries: (Recent<V> | undefined)[] = [];

  get(word: number): V | undefined {
    const entry = at(this.entries, placeOf(word));
    return entry !== undefined && entry.word === word ? entry.value : undefined;
  }

  set(word: number, value: V): void {
    put(this.entries, placeOf(word), { word, value });
  }
}

interface Recent<V> {
  readonly word: number;
  readonly value: V;
}

/** Mixes the bits, those above the lowest 32, too. */
function placeOf(word: number): number {
  return (Math.imul(word + word * 2 ** -32, 0x9e3779b1) >>> 16) & (PLACES - 1);
}
