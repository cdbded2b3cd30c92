/** Processor time for a request. */

import { callsOf } from "./calls.js";
import { type MeasuredOperation, requestOf } from "./load.js";
import type { Measured } from "./servers.js";

/** Connections at a time: enough to keep the process busy. */
const CONNECTIONS = 8;

export interface CpuResult {
  /** Of each round, in microseconds a request, the least first: on a shared machine the one that says most. */
  readonly micros: readonly number[];
  readonly unexpected: number;
}

/** Of each server, in their order; they take turns, so that what else goes on in the machine meets all alike. */
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
  // Compilation is over before the measurement begins.
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
