/** A table of bounded size, for names that callers choose. */

/** Longer names, in UTF-16 code units, are not kept: a bounded number of them could still take too much memory. */
export const LONGEST_KEPT = 256;

/**
 * A cache of `size` to twice as many entries. An entry that is found is copied to the younger half before the older
 * half is evicted, so entries in use survive any number of new ones.
 */
export class BoundedCache<K, V> {
  private readonly size: number;
  private recent = new Map<K, V>();
  private older = new Map<K, V>();

  constructor(size: number) {
    this.size = size;
  }

  get(key: K): V | undefined {
    const found = this.recent.get(key);
    if (found !== undefined) return found;
    const old = this.older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (typeof key === "string" && key.length > LONGEST_KEPT) return;
    if (this.recent.size >= this.size) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }
}
