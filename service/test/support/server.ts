/** The application behind its own HTTP server, for tests that need a socket. */

import { connect } from "node:net";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { createLogger } from "../../src/observability/logger.js";
import { DOCS, type TestService } from "./service.js";

export function serverFor({ app, log }: TestService): Promise<RunningServer> {
  const logger = createLogger("debug", log);
  return startServer({
    fetch: (request, connection) => app.fetch(request, connection),
    host: "127.0.0.1",
    port: 0,
    docsUrl: DOCS,
    logger,
  });
}

/** Sends bytes; returns everything received until the connection ends or `ms` have passed. */
export function raw(baseUrl: string, parts: readonly (string | Buffer)[], ms = 20_000): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("data", (chunk) => {
      received += chunk;
    });
    // The server may answer and close the connection before it has read everything.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
    for (const part of parts) socket.write(part);
  });
}
