/**
 * Caches values by sets of conditions. A set is a bit set in words, mostly in one word. The value is the same for every
 * request with the same set, by the invariant "a set says all" of `compiled-plan.ts`.
 */

import { at, put } from "../plan/sparse-list.js";

/** Sets kept for one plan. There are rarely more than a dozen different ones. */
const MAX_SETS = 1_024;

/** The sets that begin with the same words. */
class VerdictCacheNode<V> {
  value: V | undefined = undefined;
  next: Map<number, VerdictCacheNode<V>> | undefined = undefined;
}

export class VerdictCache<V> {
  private root = new VerdictCacheNode<V>();
  private count = 0;

  /** The cached value of a set. The set is the first `count` words of the list. */
  get(words: readonly number[], count: number): V | undefined {
    let at: VerdictCacheNode<V> | undefined = this.root;
    for (let i = 0; i < count && at !== undefined; i++) at = at.next?.get(words[i] ?? 0);
    return at?.value;
  }

  set(words: readonly number[], count: number, value: V): void {
    if (this.count >= MAX_SETS) {
      this.root = new VerdictCacheNode();
      this.count = 0;
    }
    let at = this.root;
    for (const word of words.slice(0, count)) {
      at.next ??= new Map();
      const known = at.next.get(word);
      const next = known ?? new VerdictCacheNode<V>();
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

/** The values of recent sets of one word. A lookup makes neither a list nor a map. */
export class RecentWords<V> {
  private readonly entries: (RecentWord<V> | undefined)[] = [];

  get(word: number): V | undefined {
    const entry = at(this.entries, slotIndexOf(word));
    return entry !== undefined && entry.word === word ? entry.value : undefined;
  }

  set(word: number, value: V): void {
    put(this.entries, slotIndexOf(word), { word, value });
  }
}

interface RecentWord<V> {
  readonly word: number;
  readonly value: V;
}

/** Mixes the bits, also those above the lowest 32. */
function slotIndexOf(word: number): number {
  return (Math.imul(word + word * 2 ** -32, 0x9e3779b1) >>> 16) & (PLACES - 1);
}
