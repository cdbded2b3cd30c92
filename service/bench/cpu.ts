/** Processor time for a request. */

import { callsOf } from "./calls.js";
import type { Measured } from "./servers.js";

/** Connections at a time: enough to keep the process busy. */
const CONNECTIONS = 8;

export async function cpu(
  { served, usage }: Measured,
  operation: "keys.getKey" | "apis.deleteApi",
  requests: number,
): Promise<{ readonly micros: number; readonly unexpected: number }> {
  const [status, body] = operation === "keys.getKey" ? [200, { keyId: served.keyId }] : [403, { apiId: served.apiId }];
  const calls = callsOf(served.baseUrl, `/v2/${operation}`, served.admin, body);
  // Compilation is over before the measurement begins.
  await calls.many(requests / 2, CONNECTIONS, status);
  const before = await usage();
  const unexpected = await calls.many(requests, CONNECTIONS, status);
  const after = await usage();
  return { micros: (after.cpu - before.cpu) / requests, unexpected };
}
