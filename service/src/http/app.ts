/** The application: routes paths to operations, and does the work common to all requests. */

import type { Context, Span } from "@opentelemetry/api";
import { Hono, type Context as HonoContext } from "hono";
import { requestId as newRequestId } from "keyward";
import { ApiError, REQUEST_ID_HEADER } from "keyward/http";
import { registerGauges } from "../observability/gauges.js";
import type { Logger } from "../observability/logger.js";
import { callersRequestId, contextOf, inSpan, failed as markFailed, traceIdOf } from "../observability/tracing.js";
import { OPERATIONS, pathOf } from "../operations/index.js";
import { stackFramesOf } from "../store/faults.js";
import type { CallerAddresses } from "./caller-address.js";
import { ERROR_PAGES, htmlOf, PAGE_HEADERS } from "./error-pages.js";
import { openApiDocument } from "./openapi.js";
import { methodNotAllowed, UNKNOWN_OPERATION } from "./problems.js";
import { Readiness, type ReadinessOptions } from "./readiness.js";
import { failureOf } from "./respond.js";
import { serveOperation } from "./serve-operation.js";
import { type ServingOptions, servingWith } from "./serving.js";

export interface AppOptions extends ServingOptions, Pick<ReadinessOptions, "isOpen" | "readinessTimeoutMs"> {
  readonly logger: Logger;
  readonly docsUrl: string;
  readonly addresses: CallerAddresses;
}

/** The facts about a request, collected until it is answered. */
interface Exchange {
  readonly requestId: string;
  readonly span: Span;
  /** The parent of the request's spans. */
  readonly within: Context;
  operation: string;
  outcome: string;
  caller?: object;
}

/** The properties of a connection that the server passes with each request. */
export interface Connection {
  readonly remoteAddress?: string | undefined;
}

interface Env {
  Bindings: Connection;
  Variables: { exchange: Exchange };
}

export function createApp(options: AppOptions): Hono<Env> {
  const { logger, metrics, docsUrl } = options;
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const started = performance.now();
    const { headers } = c.req.raw;
    // The caller's own id is not adopted: callers could then choose the ids in the logs.
    const requestId = newRequestId();
    const callerRequestId = callersRequestId(headers);
    const parent = contextOf(headers);
    const attributes = { "http.request.method": c.req.method, "keyward.request_id": requestId };
    await inSpan(parent, { name: c.req.method, kind: "server", attributes }, async (span, within) => {
      const exchange: Exchange = { requestId, span, within, operation: "none", outcome: "allow" };
      c.set("exchange", exchange);
      await next();
      const { operation, outcome, caller } = exchange;
      const { status } = c.res;
      span.updateName(operation === "none" ? c.req.method : `${c.req.method} ${operation}`);
      span.setAttributes({ "http.response.status_code": status, "keyward.outcome": outcome });
      const durationMs = performance.now() - started;
      metrics.request({ operation, outcome }, durationMs);
      const traceId = traceIdOf(within);
      const ids = { requestId, ...(callerRequestId && { callerRequestId }), ...(traceId && { traceId }) };
      logger.info({ ...ids, operation, outcome, status, ...caller, durationMs }, "request");
    });
  });

  const serving = servingWith(options);
  registerGauges(serving);
  for (const operation of OPERATIONS) {
    app.post(pathOf(operation), async (c) => {
      const exchange = c.get("exchange");
      const { requestId, within } = exchange;
      exchange.operation = operation.name;
      const onCaller = (caller: object) => {
        exchange.caller = caller;
      };
      const request = c.req.raw;
      // Tests have no server, and so no connection.
      const connection: Connection | undefined = c.env;
      const address = options.addresses.of(connection?.remoteAddress, request.headers);
      const served = await serveOperation(serving, operation, { request, requestId, within, onCaller, address });
      const text = JSON.stringify({ meta: { requestId }, data: served.data });
      return answered({ requestId, text, headers: served.headers });
    });
  }

  const readiness = new Readiness(options);
  const document = JSON.stringify(openApiDocument(docsUrl));
  const reads: { readonly [path: string]: () => Promise<Omit<AppAnswer, "requestId">> } = {
    "/healthz": async () => ({ text: '{"status":"ok"}' }),
    "/readyz": () => readiness.answer(),
    "/metrics": async () => ({ text: await metrics.text(), headers: { "content-type": metrics.contentType } }),
    "/openapi.json": async () => ({ text: document }),
  };
  for (const [path, read] of Object.entries(reads)) {
    app.get(path, async (c) => {
      const exchange = c.get("exchange");
      exchange.operation = path.slice(1);
      exchange.outcome = "ok";
      return answered({ requestId: exchange.requestId, ...(await read()) });
    });
  }

  for (const page of ERROR_PAGES) {
    const text = htmlOf(page);
    app.get(page.path, (c) => {
      const exchange = c.get("exchange");
      exchange.operation = "errors";
      exchange.outcome = "ok";
      return answered({ requestId: exchange.requestId, text, headers: PAGE_HEADERS });
    });
  }

  const methods = new Map([
    ...OPERATIONS.map((operation) => [pathOf(operation), "POST"] as const),
    ...[...Object.keys(reads), ...ERROR_PAGES.map(({ path }) => path)].map((path) => [path, "GET, HEAD"] as const),
  ]);
  app.notFound((c) => {
    const allow = methods.get(c.req.path);
    // Errors thrown here would bypass the middleware.
    return failed(new ApiError(allow === undefined ? UNKNOWN_OPERATION : methodNotAllowed(allow)), c);
  });
  app.onError(failed);

  function failed(error: Error, c: HonoContext<Env>): Response {
    const exchange = c.get("exchange");
    const { requestId, operation, span } = exchange;
    const { reply, outcome, fault } = failureOf(error, { requestId, docsUrl });
    exchange.outcome = outcome;
    if (fault) {
      markFailed(span);
      logger.error({ requestId, operation, err: error }, "request failed");
      logger.debug({ requestId, stack: stackFramesOf(error) }, "where it failed");
    } else logger.debug({ requestId, operation, reason: error.message }, "request refused");
    return answered({ requestId, text: JSON.stringify(reply.body), status: reply.status, headers: reply.headers });
  }
  return app;
}

interface AppAnswer {
  readonly requestId: string;
  readonly text: string;
  /** Default: 200. */
  readonly status?: number;
  /** In addition to the common headers; may replace the content type, which is JSON. */
  readonly headers?: { readonly [name: string]: string };
}

/** Builds the response with all headers at once. Adding one later builds it twice, which is the slowest step of all. */
function answered({ requestId, text, status = 200, headers = {} }: AppAnswer): Response {
  const common = { "content-type": "application/json", "cache-control": "no-store", [REQUEST_ID_HEADER]: requestId };
  return new Response(text, { status, headers: { ...common, ...headers } });
}
