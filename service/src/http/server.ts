/** The HTTP server: listens, answers invalid HTTP, and shuts down in order. */

import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { requestId as newRequestId } from "keyward";
import { type ErrorDescription, type ErrorReply, errorReply } from "keyward/http";
import type { Logger } from "../observability/logger.js";
import { HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT, UNKNOWN_OPERATION } from "./problems.js";
import { type ConnectionTimeouts, TIMEOUTS } from "./timeouts.js";

export interface ServerOptions {
  readonly fetch: (
    request: Request,
    connection: { readonly remoteAddress: string | undefined },
  ) => Response | Promise<Response>;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly docsUrl: string;
  readonly logger: Logger;
  readonly timeouts?: ConnectionTimeouts;
}

export interface RunningServer {
  /** Without a final `/`. */
  readonly baseUrl: string;
  /** Ends each connection with its next answer, so that proxies connect elsewhere. Still accepts connections. */
  drain(): void;
  /** Accepts no more connections, and waits for requests in flight; after `timeoutMs` cuts them off. */
  close(timeoutMs: number): Promise<void>;
}

/** How long a detached connection stays open for its caller after the last answer, in milliseconds. */
const LINGER = 1_000;

/** Rejects if the server cannot listen on the address. */
export async function startServer({
  fetch,
  host,
  port,
  docsUrl,
  logger,
  timeouts = TIMEOUTS,
}: ServerOptions): Promise<RunningServer> {
  /** Logs an error and returns it as a reply. */
  const told = (problem: ErrorDescription, outcome: string): ErrorReply => {
    const requestId = newRequestId();
    const reply = errorReply(problem, { requestId, docsUrl });
    logger.info({ requestId, operation: "none", outcome, status: reply.status }, "request");
    return reply;
  };
  const serveRequest = (request: Request, { incoming }: { readonly incoming: { readonly socket: Socket } }) =>
    fetch(request, { remoteAddress: incoming.socket.remoteAddress });
  const listener = getRequestListener(serveRequest, {
    // For HTTP/1.0, which has no Host field.
    hostname: "localhost",
    errorHandler: () => {
      const { status, headers, body } = told(MALFORMED_REQUEST, "unreadable target");
      return new Response(JSON.stringify(body), { status, headers });
    },
  });
  const exchanges = new UnansweredRequests();
  let isDraining = false;
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    exchanges.begin(incoming, outgoing);
    if (isDraining) outgoing.shouldKeepAlive = false;
    const problem = problemOfHead(incoming);
    if (problem === undefined) return void listener(incoming, outgoing);
    const { status, headers, body } = told(problem, problem.code);
    outgoing.writeHead(status, { ...headers, connection: "close" }).end(JSON.stringify(body));
  };
  // Without a Host field, Node would send its own answer, without a body.
  const server = createServer({ ...timeouts, requireHostHeader: false }, serve);
  /** Ends a connection with an error, after the earlier requests on it are answered. */
  const endWith = (socket: Duplex, problem: ErrorDescription, outcome: string) => {
    exchanges.last(socket, () => {
      if (socket.writable && !socket.writableEnded) socket.end(asText(told(problem, outcome)));
    });
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    endWith(socket, problemOf(error.code), error.code ?? "unreadable");
  });
  // By default, Node would cut the connection, and lose the answers to earlier requests.
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    // The server no longer tracks this connection, so its errors and its end must be handled here.
    socket.on("error", () => {});
    socket.once("finish", () => setTimeout(() => socket.destroy(), LINGER).unref());
    endWith(socket, UNKNOWN_OPERATION, UNKNOWN_OPERATION.code);
  });
  // An expectation other than 100-continue may be ignored, so the request is served normally.
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
    drain: () => {
      isDraining = true;
    },
    close: async (timeoutMs) => {
      isDraining = true;
      // Closing resets the connections that wait to be accepted. Right after the loop has polled, there are hardly any.
      await new Promise((resolve) => setImmediate(resolve));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection becomes idle when its request is answered, and would be kept open for the next request.
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

/** The unanswered requests of each connection: clients may pipeline requests. */
class UnansweredRequests {
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
   * Calls `end` once for each connection, when all completely read requests are answered, so that no answer is lost. A
   * request with an incomplete body does not delay `end`, and ends with the connection.
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

/** The fault of a request that Node's parser accepts but the Fetch API cannot represent; undefined if there is none. */
function problemOfHead({ httpVersion, rawHeaders, url }: IncomingMessage): ErrorDescription | undefined {
  // RFC 9112 §3.2: exactly one Host field. A proxy might have read the second one.
  const hosts = rawHeaders.filter((text, i) => i % 2 === 0 && text.length === 4 && text.toLowerCase() === "host");
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== "1.0")) return MALFORMED_REQUEST;
  return problemOfTarget(url ?? "");
}

/**
 * Refuses a path that the router would rewrite before it compares it: an escape, a dot segment, a backslash or a
 * fragment (`/%6detrics`, `/x/../metrics`). A proxy in front may have compared the path as it was sent. No path of this
 * service needs them.
 */
function problemOfTarget(target: string): ErrorDescription | undefined {
  // The absolute form has a host before the path (RFC 9112 §3.2.2).
  const [path = ""] = target.replace(/^https?:\/\/[^/?#\\]*/, "").split("?", 1);
  // `OPTIONS *` addresses the server as a whole.
  if (!path.startsWith("/") && path !== "*" && path !== "") return MALFORMED_REQUEST;
  const isPlain = /^\/[\w.~!$&'()*+,;=:@/-]*$/.test(path) && !path.split("/").some((part) => /^\.\.?$/.test(part));
  return isPlain ? undefined : UNKNOWN_OPERATION;
}

/** An error as raw HTTP, in the envelope of all errors: Node's own answers have no body. */
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
