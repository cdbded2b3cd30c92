/**
 * A small reverse proxy. It keeps connections to its upstreams open, takes turns between those that are ready, and tries
 * another one only where no connection was made. A request that may have reached an upstream is not sent again: that is a
 * 502, as with the defaults of nginx.
 */

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  readonly baseUrl: string;
  /** The requests that were answered 502, each with the error of the upstream. */
  readonly failed: readonly string[];
  /** The number of requests that each upstream answered. */
  readonly served: readonly number[];
  close(): Promise<void>;
}

/** How often an upstream is asked whether it is ready, in milliseconds. */
const PROBE_INTERVAL = 100;

/** `ports`: the upstreams, on this machine. */
export async function startProxy(ports: readonly number[]): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const failed: string[] = [];
  const served = ports.map(() => 0);
  const isReady = ports.map(() => true);
  let turn = 0;
  let isOpen = true;
  const probe = async (upstream: number) => {
    while (isOpen) {
      const status = await fetch(`http://127.0.0.1:${ports[upstream]}/readyz`).then(
        (response) => response.text().then(() => response.status),
        () => 0,
      );
      isReady[upstream] = status === 200;
      await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL));
    }
  };
  const probes = ports.map((_, upstream) => probe(upstream));

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tried: readonly number[]) => {
    const untried = ports.flatMap((_, i) => (tried.includes(i) ? [] : [i]));
    const ready = untried.filter((i) => isReady[i]);
    const candidates = ready.length > 0 ? ready : untried;
    const upstream = candidates[turn++ % candidates.length] ?? 0;
    const { method, headers, url } = incoming;
    const out = request({ agent, host: "127.0.0.1", port: ports[upstream], method, path: url, headers });
    let isConnected = false;
    out.on("socket", (socket) => {
      isConnected = !socket.connecting;
      if (!isConnected) socket.once("connect", () => (isConnected = true));
    });
    out.on("response", (response) => {
      served[upstream] = (served[upstream] ?? 0) + 1;
      const { connection: _, "keep-alive": __, ...rest } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, rest);
      response.pipe(outgoing);
    });
    out.on("error", (error: NodeJS.ErrnoException) => {
      if (!isConnected && untried.length > 1) return forward(incoming, outgoing, body, [...tried, upstream]);
      failed.push(`${isConnected ? "connected" : "not connected"}: ${error.code}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end("{}");
    });
    out.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => forward(incoming, outgoing, Buffer.concat(chunks), []));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    failed,
    served,
    close: async () => {
      isOpen = false;
      await Promise.all(probes);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
