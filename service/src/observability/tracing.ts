/**
 * Spans, and the trace that a request is part of, by `@opentelemetry/api` alone: whoever runs the service with an SDK
 * (`NODE_OPTIONS=--import …`) has them exported, and for all others they cost next to nothing.
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

/** Of whichever SDK is loaded by the time that a span begins. */
const TRACER = trace.getTracer("keyward-service");

/** https://www.w3.org/TR/trace-context/#traceparent-header, of version 00 and of later ones, whose beginning is the same. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const MAX_HEADER = 512;

/** The context that a request comes from; the root for one that names none, or not in the form of the standard. */
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

/** The trace of a context, for logs. Without an SDK a request that names none has a span of no trace. */
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
 * `work` in a span below `parent`. Spans have names, ids and outcomes; of what is thrown they say that it was, as messages
 * can have values in them.
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

/** The id that a caller, or a proxy before us, gave the request: short and plain, or none. For logs alone. */
export function callersRequestId(headers: Pick<Headers, "get">): string | undefined {
  const given = headers.get("x-request-id") ?? "";
  return /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
