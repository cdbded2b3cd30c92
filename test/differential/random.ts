/** Seeded random choices. A seed determines the store and its requests, on every machine. */

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1), by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[this.int(0, items.length - 1)] as T;
  }

  /** `least` to `most` distinct items, in any order. */
  some<T>(items: readonly T[], least: number, most: number): T[] {
    const pool = [...items];
    const taken: T[] = [];
    for (let n = Math.min(this.int(least, most), pool.length); n > 0; n--) {
      taken.push(...pool.splice(this.int(0, pool.length - 1), 1));
    }
    return taken;
  }

  /** A list of `least` to `most` items, each made by `make`. */
  times<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.int(least, most) }, (_, i) => make(i));
  }

  seed(): number {
    return Math.floor(this.next() * 2 ** 31);
  }
}
