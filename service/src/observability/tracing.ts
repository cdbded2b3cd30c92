/**
 * Spans and trace contexts, by `@opentelemetry/api` only. With an SDK (`telemetry-sdk.ts`, or `NODE_OPTIONS=--import …`)
 * spans are exported; without one they cost almost nothing.
 */

import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/** Uses the SDK that is loaded when a span begins. */
const TRACER = trace.getTracer("keyward-service");

/** https://www.w3.org/TR/trace-context/#traceparent-header: version 00, and later versions, which begin the same way. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const MAX_HEADER = 512;

/** The trace context of a request; the root context if the request has none, or an invalid one. */
export function contextOf(headers: Pick<Headers, "get">): Context {
  const parent = headers.get("traceparent") ?? "";
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(parent.slice(0, MAX_HEADER)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  if (version === "00" && more !== undefined) return ROOT_CONTEXT;
  const state = headers.get("tracestate") ?? "";
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state === "" || state.length > MAX_HEADER ? {} : { traceState: createTraceState(state) }),
  });
}

/** The trace id of a context, for logs. Undefined without an SDK for requests that bring no trace context. */
export function traceIdOf(within: Context): string | undefined {
  const span = trace.getSpanContext(within);
  return span !== undefined && isSpanContextValid(span) ? span.traceId : undefined;
}

export interface SpanOptions {
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  readonly attributes: Attributes;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Runs `work` in a span below `parent`. Spans contain names, ids and outcomes. A thrown error only marks its span as
 * failed, since error messages can contain values.
 */
export async function inSpan<T>(
  parent: Context,
  { name, kind, attributes }: SpanOptions,
  work: (span: Span, within: Context) => Promise<T>,
): Promise<T> {
  const span = TRACER.startSpan(name, { kind: KINDS[kind], attributes }, parent);
  const within = trace.setSpan(parent, span);
  try {
    return await context.with(within, () => work(span, within));
  } catch (error) {
    failed(span);
    throw error;
  } finally {
    span.end();
  }
}

export function failed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The request id from the caller, or from a proxy; undefined unless short and plain. Used in logs only. */
export function callersRequestId(headers: Pick<Headers, "get">): string | undefined {
  const given = headers.get("x-request-id") ?? "";
  return /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
