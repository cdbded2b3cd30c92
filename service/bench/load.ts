/** Measures one operation under load. */

import autocannon from "autocannon";
import type { Served } from "./serve.js";
import type { Usage } from "./usage.js";

export interface LoadResult {
  readonly perSecond: number;
  /** Latency in milliseconds, measured by the client. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** The number of responses with an unexpected status. */
  readonly unexpected: number;
  /** Processor time of the server for one request, in microseconds. Other load on the machine does not affect it. */
  readonly cpu: number;
  /** Memory of the server after warm-up and after the load, each measured after a garbage collection. */
  readonly before: Usage;
  readonly after: Usage;
  /** Mean time of a request in the handler, and of its decision, in milliseconds, from the server's own metrics. */
  readonly requestMs: number;
  readonly decisionMs: number;
}

/** Combines several rounds into one result. */
export function together(rounds: readonly LoadResult[]): LoadResult {
  const [first, last] = [rounds[0], rounds.at(-1)];
  if (first === undefined || last === undefined) throw new Error("there are no rounds");
  const mean = (of: (round: LoadResult) => number) => rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length;
  const total = (of: (round: LoadResult) => number) => mean(of) * rounds.length;
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    p50: mean(({ p50 }) => p50),
    p99: Math.max(...rounds.map(({ p99 }) => p99)),
    errors: total(({ errors }) => errors),
    unexpected: total(({ unexpected }) => unexpected),
    cpu: total(({ cpu, perSecond }) => cpu * perSecond) / total(({ perSecond }) => perSecond),
    before: first.before,
    after: last.after,
    requestMs: mean(({ requestMs }) => requestMs),
    decisionMs: mean(({ decisionMs }) => decisionMs),
  };
}

export type MeasuredOperation = "keys.getKey" | "apis.deleteApi";

/** The request of an operation: one is answered 200, the other is refused with 403. */
export function requestOf({ keyId, apiId }: Served, operation: MeasuredOperation) {
  const path = `/v2/${operation}`;
  return operation === "keys.getKey" ? { path, status: 200, body: { keyId } } : { path, status: 403, body: { apiId } };
}

export interface LoadOptions {
  readonly seconds: number;
  /** Duration of the warm-up, in seconds. */
  readonly warmUp: number;
  readonly connections: number;
  readonly usage: () => Promise<Usage>;
}

export async function load(
  served: Served,
  operation: MeasuredOperation,
  { seconds, warmUp, connections, usage }: LoadOptions,
): Promise<LoadResult> {
  const { path, status, body } = requestOf(served, operation);
  const fire = (duration: number) =>
    autocannon({
      url: `${served.baseUrl}${path}`,
      connections,
      duration,
      method: "POST",
      headers: { authorization: `Bearer ${served.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  if (warmUp > 0) await fire(warmUp);
  const before = await usage();
  const start = await totals(served, operation);
  const result = await fire(seconds);
  const after = await usage();
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
    after,
    cpu: (after.cpu - before.cpu) / answered,
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
