/** Memory and processor time of this process. */

export interface Usage {
  readonly rss: number;
  readonly heap: number;
  /** Processor time so far, in microseconds. */
  readonly cpu: number;
}

/** Collects garbage first, where Node runs with `--expose-gc`. */
export function usageNow(): Usage {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { rss, heap: heapUsed, cpu: user + system };
}
