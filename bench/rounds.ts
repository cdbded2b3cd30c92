/** Interleaved rounds, and what to say of them. */

export interface Spread {
  readonly median: number;
  /** The first and third quartile. */
  readonly low: number;
  readonly high: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (q: number): number => sorted[Math.round(q * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/**
 * Nanoseconds of one call of each candidate in each round. Candidates take turns, so that noise hits all alike. Before each
 * turn all garbage is collected, unless `collects` is false: V8 then throws away code, too, that it compiled for functions
 * that are gone.
 */
export function interleave(
  candidates: readonly (() => void)[],
  rounds: number,
  calls: number,
  collects = true,
): number[][] {
  const times: number[][] = candidates.map(() => []);
  for (let round = 0; round < rounds; round++) {
    candidates.forEach((candidate, i) => {
      if (collects) globalThis.gc?.();
      const start = process.hrtime.bigint();
      candidate();
      times[i]?.push(Number(process.hrtime.bigint() - start) / calls);
    });
  }
  return times;
}

/**
 * How the least time of the one is to that of the other. Where other programs run, it says more than the median: nothing
 * makes a round shorter than it is.
 */
export function leastRatio(times: readonly number[], base: readonly number[]): string {
  return (Math.min(...times) / Math.min(...base)).toFixed(2);
}

/** `1.87 (1.80 – 1.95)` */
export function show({ median, low, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} – ${high.toFixed(digits)})`;
}
