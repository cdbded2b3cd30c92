/** The HTTP server of a decision point: bounds against slow and hostile callers, and an orderly end. */

import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { ListenAddress } from "./listen-address.js";
import type { TlsFiles } from "./tls.js";

/** A caller has this long for the header of a request, and for all of a request. */
const HEADER_MS = 10_000;
const REQUEST_MS = 30_000;
const BOUNDS = {
  headersTimeout: HEADER_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};

const TLS = { minVersion: "TLSv1.2" } as const;

/** Requests that are under way at the end have this long. */
const END_MS = 10_000;

export interface RunningServer {
  readonly address: ListenAddress;
  /** New connections get this certificate. Throws if the files do not fit. */
  replaceTls(tls: TlsFiles): void;
  /** Takes no new connections, answers the requests that are under way, and ends. */
  end(): Promise<void>;
}

/** Rejects if the address is taken. */
export async function runServer(
  { host, port }: ListenAddress,
  tls: TlsFiles | undefined,
  listener: RequestListener,
): Promise<RunningServer> {
  const secure = tls && createTlsServer({ ...BOUNDS, ...tls, ...TLS }, listener);
  const server: Server = secure ?? createServer(BOUNDS, listener);
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return {
    address: { host, port: actual },
    replaceTls: (files) => secure?.setSecureContext({ ...files, ...TLS }),
    end: () => ended(server),
  };
}

async function ended(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that was busy becomes idle, and would stay open until its caller closes it.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const late = setTimeout(() => server.closeAllConnections(), END_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
