/** The HTTP server: listening, what is not even a request, and an orderly end. */

import { createServer, type IncomingMessage, Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createAdaptorServer } from "@hono/node-server";
import { requestId as newRequestId } from "keyward";
import { type ErrorDescription, errorReply } from "keyward/http";
import type { Logger } from "../observability/logger.js";
import { HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT } from "./problems.js";

export interface ServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly docsUrl: string;
  readonly logger: Logger;
}

export interface RunningServer {
  /** Without a final `/`. */
  readonly baseUrl: string;
  /** Takes no more connections, and waits for requests in flight; after `timeoutMs` cuts them off. */
  close(timeoutMs: number): Promise<void>;
}

/** Longest time for the header fields, and for the whole of a request, to arrive; in milliseconds. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };

/** Rejects if the address cannot be had. */
export async function startServer({ fetch, host, port, docsUrl, logger }: ServerOptions): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch, createServer, serverOptions: TIMEOUTS });
  if (!(server instanceof Server)) throw new Error("the server is not one of HTTP/1.1");
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    answerUnreadable(error, socket, docsUrl, logger);
  });
  // A request that expects something else than 100-continue is served all the same: the expectation may be ignored.
  server.on("checkExpectation", (request: IncomingMessage, response) => server.emit("request", request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    baseUrl: `http://${authorityOf(address)}`,
    close: async (timeoutMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection is idle once its request in flight is answered; it would be kept for the next one.
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const late = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
}

function authorityOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  return `${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Node's own answers to what its parser refuses have no body; these are in the envelope, as all errors are. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, docsUrl: string, logger: Logger): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const { status, headers, body } = errorReply(problemOf(error.code), { requestId, docsUrl });
  const text = JSON.stringify(body);
  const fields = { ...headers, "content-length": String(Buffer.byteLength(text)), connection: "close" };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
  logger.info({ requestId, operation: "none", outcome: error.code, status }, "request");
}

function problemOf(code: string | undefined): ErrorDescription {
  if (code === "HPE_HEADER_OVERFLOW") return HEADERS_TOO_LARGE;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? REQUEST_TIMEOUT : MALFORMED_REQUEST;
}
