/** One operation under load. */

import autocannon from "autocannon";
import type { Served } from "./serve.js";

interface Usage {
  readonly rss: number;
  readonly heap: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** In milliseconds, as a caller sees it. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** Answers with another status than the operation's. */
  readonly unexpected: number;
  /** Memory of the server after warm-up, and after the load; each after a collection. */
  readonly before: Usage;
  readonly after: Usage;
  /** Mean time of a request in the handler, and of the decision in it, in milliseconds, by the server's own metrics. */
  readonly requestMs: number;
  readonly decisionMs: number;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly usage: () => Promise<Usage>;
}

export async function load(
  served: Served,
  operation: "keys.getKey" | "apis.deleteApi",
  { seconds, connections, usage }: LoadOptions,
): Promise<LoadResult> {
  const [status, body] = operation === "keys.getKey" ? [200, { keyId: served.keyId }] : [403, { apiId: served.apiId }];
  const fire = (duration: number) =>
    autocannon({
      url: `${served.baseUrl}/v2/${operation}`,
      connections,
      duration,
      method: "POST",
      headers: { authorization: `Bearer ${served.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await fire(Math.min(10, Math.max(3, seconds / 4)));
  const before = await usage();
  const start = await totals(served, operation);
  const result = await fire(seconds);
  const end = await totals(served, operation);
  const answered = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0);
  const mean = (sum: number, count: number) => (count === 0 ? 0 : (1000 * sum) / count);
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.timeouts,
    unexpected: answered - (result.statusCodeStats[status]?.count ?? 0),
    before,
    after: await usage(),
    requestMs: mean(end.requestSum - start.requestSum, end.requests - start.requests),
    decisionMs: mean(end.decisionSum - start.decisionSum, end.decisions - start.decisions),
  };
}

/** Sums and counts of an operation's histograms. */
async function totals({ baseUrl }: Served, operation: string) {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const value = (name: string) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && line.includes(`operation="${operation}"`))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  return {
    requestSum: value("keyward_request_duration_seconds_sum"),
    requests: value("keyward_request_duration_seconds_count"),
    decisionSum: value("keyward_decision_duration_seconds_sum"),
    decisions: value("keyward_decision_duration_seconds_count"),
  };
}
