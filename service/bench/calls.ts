/** Calls one operation over keep-alive connections. */

import { Agent, request } from "node:http";

export interface Calls {
  /** Makes `count` calls on `connections` connections. Returns the number of responses with another status. */
  many(count: number, connections: number, status: number): Promise<number>;
  /** Makes one call. Returns its status and its duration in milliseconds. */
  one(): Promise<{ readonly status: number; readonly ms: number }>;
}

export function callsOf(baseUrl: string, path: string, key: string, body: object): Calls {
  const text = JSON.stringify(body);
  const agent = new Agent({ keepAlive: true });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const one = () =>
    new Promise<{ readonly status: number; readonly ms: number }>((resolve, reject) => {
      const started = performance.now();
      const sent = request(`${baseUrl}${path}`, { method: "POST", agent, headers }, (response) => {
        response.resume();
        response.once("end", () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - started }));
      });
      sent.once("error", reject);
      sent.end(text);
    });
  const many = async (count: number, connections: number, status: number) => {
    let left = count;
    let unexpected = 0;
    const caller = async () => {
      while (left-- > 0) if ((await one()).status !== status) unexpected++;
    };
    await Promise.all(Array.from({ length: connections }, caller));
    // Idle connections are closed here: the server ends them after a while, perhaps just as the next call is sent.
    agent.destroy();
    return unexpected;
  };
  return { many, one };
}
