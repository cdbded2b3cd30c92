/** Runs candidates in interleaved rounds, and describes the results. */

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
 * Nanoseconds for one call of each candidate in each round. Candidates take turns, so that noise affects all alike. All
 * garbage is collected before each turn, unless `collects` is false: a collection also discards the code that V8
 * compiled for functions that are gone.
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
 * The ratio of the minimum times. If other programs are running, it is more reliable than the median, since noise can
 * only make a round longer.
 */
export function leastRatio(times: readonly number[], base: readonly number[]): string {
  return (Math.min(...times) / Math.min(...base)).toFixed(2);
}

/** `1.87 (1.80 – 1.95)` */
export function show({ median, low, high }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} – ${high.toFixed(digits)})`;
}
