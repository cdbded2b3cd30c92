/** The HTTP server: listening, what is not even a request, and an orderly end. */

import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { requestId as newRequestId } from "keyward";
import { type ErrorDescription, type ErrorReply, errorReply } from "keyward/http";
import type { Logger } from "../observability/logger.js";
import { HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT, UNKNOWN_OPERATION } from "./problems.js";

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

/** How long a connection that the server has let go of is left to its caller after the last answer, in milliseconds. */
const LINGER = 1_000;

/** Rejects if the address cannot be had. */
export async function startServer({ fetch, host, port, docsUrl, logger }: ServerOptions): Promise<RunningServer> {
  /** The error as a response, logged. */
  const told = (problem: ErrorDescription, outcome: string): ErrorReply => {
    const requestId = newRequestId();
    const reply = errorReply(problem, { requestId, docsUrl });
    logger.info({ requestId, operation: "none", outcome, status: reply.status }, "request");
    return reply;
  };
  const listener = getRequestListener(fetch, {
    // For HTTP/1.0, which has no Host field.
    hostname: "localhost",
    errorHandler: () => {
      const { status, headers, body } = told(MALFORMED_REQUEST, "unreadable target");
      return new Response(JSON.stringify(body), { status, headers });
    },
  });
  const exchanges = new Exchanges();
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    exchanges.begin(incoming, outgoing);
    const problem = problemOfHead(incoming);
    if (problem === undefined) return void listener(incoming, outgoing);
    const { status, headers, body } = told(problem, problem.code);
    outgoing.writeHead(status, { ...headers, connection: "close" }).end(JSON.stringify(body));
  };
  // Without a Host field Node would answer by itself, without a body.
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false }, serve);
  /** Ends a connection with the error, once what was asked on it before is answered. */
  const endWith = (socket: Duplex, problem: ErrorDescription, outcome: string) => {
    exchanges.last(socket, () => {
      if (socket.writable && !socket.writableEnded) socket.end(asText(told(problem, outcome)));
    });
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    endWith(socket, problemOf(error.code), error.code ?? "unreadable");
  });
  // Node would cut the connection, with the answers to what was asked before.
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    // From here on the server knows nothing of the connection: nobody else hears what breaks, or ends it if the caller does not.
    socket.on("error", () => {});
    socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER).unref());
    endWith(socket, UNKNOWN_OPERATION, UNKNOWN_OPERATION.code);
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

/** The requests of each connection that are not answered yet: clients may send the next before they have the answer. */
class Exchanges {
  private readonly open = new WeakMap<Duplex, Set<IncomingMessage>>();
  private readonly ending = new WeakMap<Duplex, () => void>();

  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const own = this.open.get(socket) ?? new Set();
    this.open.set(socket, own.add(incoming));
    outgoing.once("close", () => {
      own.delete(incoming);
      this.endIfAnswered(socket);
    });
  }

  /**
   * Calls `end` once every request that was read whole is answered, so that no answer is lost; once a connection. One whose
   * body breaks off waits for the rest of it, and ends with the connection.
   */
  last(socket: Duplex, end: () => void): void {
    if (this.ending.has(socket)) return;
    this.ending.set(socket, end);
    this.endIfAnswered(socket);
  }

  private endIfAnswered(socket: Duplex): void {
    const whole = [...(this.open.get(socket) ?? [])].filter(({ complete }) => complete);
    if (whole.length === 0) this.ending.get(socket)?.();
  }
}

/** What is wrong with a request that the parser takes, before it is a request of the Fetch API. */
function problemOfHead({ httpVersion, rawHeaders, url }: IncomingMessage): ErrorDescription | undefined {
  // RFC 9112 §3.2: one Host field, and no second one that somebody on the way might have read instead.
  const hosts = rawHeaders.filter((text, i) => i % 2 === 0 && text.length === 4 && text.toLowerCase() === "host");
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== "1.0")) return MALFORMED_REQUEST;
  // `OPTIONS *` asks about the server as a whole.
  return url === "*" ? UNKNOWN_OPERATION : undefined;
}

/** Node's own answers to what its parser refuses have no body; these are in the envelope, as all errors are. */
function asText({ status, headers, body }: ErrorReply): string {
  const text = JSON.stringify(body);
  const fields = { ...headers, "content-length": String(Buffer.byteLength(text)), connection: "close" };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

function problemOf(code: string | undefined): ErrorDescription {
  if (code === "HPE_HEADER_OVERFLOW") return HEADERS_TOO_LARGE;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? REQUEST_TIMEOUT : MALFORMED_REQUEST;
}
