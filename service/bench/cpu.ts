/** Processor time for a request. */

import { callsOf } from "./calls.js";
import type { Measured } from "./servers.js";

/** Connections at a time: enough to keep the process busy. */
const CONNECTIONS = 8;

export interface CpuResult {
  /** Of each round, in microseconds a request, the least first: on a shared machine the one that says most. */
  readonly micros: readonly number[];
  readonly unexpected: number;
}

export async function cpu(
  { served, usage }: Measured,
  operation: "keys.getKey" | "apis.deleteApi",
  requests: number,
  rounds: number,
): Promise<CpuResult> {
  const [status, body] = operation === "keys.getKey" ? [200, { keyId: served.keyId }] : [403, { apiId: served.apiId }];
  const calls = callsOf(served.baseUrl, `/v2/${operation}`, served.admin, body);
  // Compilation is over before the measurement begins.
  await calls.many(requests / 2, CONNECTIONS, status);
  const micros: number[] = [];
  let unexpected = 0;
  for (let round = 0; round < rounds; round++) {
    const before = await usage();
    unexpected += await calls.many(requests, CONNECTIONS, status);
    const after = await usage();
    micros.push((after.cpu - before.cpu) / requests);
  }
  return { micros: micros.sort((a, b) => a - b), unexpected };
}
