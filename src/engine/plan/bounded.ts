/** A table of bounded size, for names that callers choose. */

/** Longer names are not kept: in a table of so many they would not be few. */
export const LONGEST_KEPT = 256;

/**
 * Keeps the entries that were asked for lately: between `size` and twice as many. Those in use survive however many
 * others come along, since an entry that is found is carried over when the older half is dropped.
 */
export class Bounded<K, V> {
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
