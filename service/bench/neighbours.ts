/** Measures the latency of a quiet account beside a noisy one. */

import { callsOf } from "./calls.js";
import type { Served } from "./serve.js";

/** The median latencies of the quiet account's sequential requests, in milliseconds. */
export async function neighbours(
  { baseUrl, admin, keyId, other }: Served,
  connections: number,
  seconds: number,
): Promise<{ readonly alone: number; readonly beside: number }> {
  const quiet = callsOf(baseUrl, "/v2/keys.getKey", admin, { keyId });
  const noisy = callsOf(baseUrl, "/v1/keys.createKey", other.admin, { apiId: other.apiId, name: "noise" });
  await quiet.many(500, 4, 200);
  await noisy.many(500, 4, 200);
  const alone = await medianFor(quiet.one, seconds / 2);
  let ended = false;
  const noise = Array.from({ length: connections }, async () => {
    while (!ended) await noisy.one();
  });
  const beside = await medianFor(quiet.one, seconds / 2);
  ended = true;
  await Promise.all(noise);
  return { alone, beside };
}

async function medianFor(one: () => Promise<{ readonly ms: number }>, seconds: number): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) times.push((await one()).ms);
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
