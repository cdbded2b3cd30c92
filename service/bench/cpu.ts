/** Measures the processor time of a request. */

import { callsOf } from "./calls.js";
import { type MeasuredOperation, requestOf } from "./load.js";
import type { Measured } from "./servers.js";

/** Concurrent connections: enough to keep the process busy. */
const CONNECTIONS = 8;

export interface CpuResult {
  /** Microseconds a request in each round, in ascending order. On a shared machine the minimum is the most reliable. */
  readonly micros: readonly number[];
  readonly unexpected: number;
}

/** Measures each server, in the given order. Servers take turns, so that other load on the machine affects all alike. */
export async function cpu(
  servers: readonly Measured[],
  operation: MeasuredOperation,
  requests: number,
  rounds: number,
): Promise<readonly CpuResult[]> {
  const measured = servers.map(({ served, usage }) => {
    const { path, status, body } = requestOf(served, operation);
    return { calls: callsOf(served.baseUrl, path, served.admin, body), status, usage };
  });
  // Warm-up: V8 finishes compiling before the measurement begins.
  for (const { calls, status } of measured) await calls.many(requests / 2, CONNECTIONS, status);
  const results = measured.map(() => ({ micros: [] as number[], unexpected: 0 }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, { calls, status, usage }] of measured.entries()) {
      const result = results[i];
      if (result === undefined) continue;
      const before = await usage();
      result.unexpected += await calls.many(requests, CONNECTIONS, status);
      const after = await usage();
      result.micros.push((after.cpu - before.cpu) / requests);
    }
  }
  for (const { micros } of results) micros.sort((a, b) => a - b);
  return results;
}
