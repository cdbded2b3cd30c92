/** Calls of one operation over connections that are kept. */

import { Agent, request } from "node:http";

export interface Calls {
  /** Makes so many calls, on so many connections; gives how many were answered otherwise. */
  many(count: number, connections: number, status: number): Promise<number>;
  /** Makes one; gives the status, and how long it took in milliseconds. */
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
    // The server ends connections that were idle for a while, and it may do so as the next call is sent.
    agent.destroy();
    return unexpected;
  };
  return { many, one };
}
