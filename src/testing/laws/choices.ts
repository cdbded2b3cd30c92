/** Pseudo-random choices from a seed, so that generated values can be reproduced. */

/** Takes choices from a seed. The seed 0 always takes the first, so shrinking towards 0 gives simple values. */
export class SeededChoices {
  private state: number;
  private readonly plain: boolean;

  constructor(seed: number) {
    this.state = seed;
    this.plain = seed === 0;
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    if (this.plain) return 0;
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * bound);
  }

  /** One of `items`; undefined if `items` is empty. */
  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** True in about `percent` of 100 calls. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.below(left.length), 1));
  }
}
