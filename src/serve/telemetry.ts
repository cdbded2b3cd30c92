/** Traces and metrics for OpenTelemetry. Loads `@opentelemetry/api`; the program's SDK exports them. */

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Attributes,
  type Counter,
  context,
  type Histogram,
  metrics,
  ProxyTracerProvider,
  propagation,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { endpointOf, type ServiceObserver } from "./observer.js";
import { startTelemetrySdk, type TelemetrySdk } from "./telemetry-sdk.js";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST"]);

/** Names are those of OpenTelemetry's semantic conventions for HTTP servers. No attribute has a value of a request. */
export class Telemetry implements ServiceObserver {
  private readonly tracer: Tracer;
  private readonly durations: Histogram;
  private readonly decisions: Counter;
  private readonly reloads: Counter;
  private readonly sdk: TelemetrySdk | undefined;
  private hash = "";

  /** `sdk`: ended with this object. */
  constructor(version: string, sdk?: TelemetrySdk) {
    this.sdk = sdk;
    this.tracer = trace.getTracer("keyward", version);
    const meter = metrics.getMeter("keyward", version);
    this.durations = meter.createHistogram("http.server.request.duration", {
      description: "The time from the head of a request to its response.",
      unit: "s",
      advice: {
        explicitBucketBoundaries: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
      },
    });
    this.decisions = meter.createCounter("keyward.decisions", {
      description: "Decisions by API and outcome; for Cerbos's API, effects of actions.",
    });
    this.reloads = meter.createCounter("keyward.policy.reloads", {
      description: "Changes of the policies that were taken over, held or refused.",
    });
  }

  started(incoming: IncomingMessage, outgoing: ServerResponse): (error?: unknown) => void {
    const { method = "" } = incoming;
    const route = endpointOf(incoming);
    const attributes: Attributes = {
      "http.request.method": METHODS.has(method) ? method : "_OTHER",
      ...(route === undefined ? {} : { "http.route": route }),
    };
    const name = `${attributes["http.request.method"] === "_OTHER" ? "HTTP" : method}${route === undefined ? "" : ` ${route}`}`;
    const options = { kind: SpanKind.SERVER, attributes: { ...attributes, "keyward.policy_set_hash": this.hash } };
    const span = this.tracer.startSpan(name, options, propagation.extract(context.active(), incoming.headers));
    const started = performance.now();
    return (error) => {
      const ended = { "http.response.status_code": outgoing.statusCode };
      // The message of an error can have a part of a request.
      if (error !== undefined || outgoing.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttributes(ended).end();
      this.durations.record((performance.now() - started) / 1_000, { ...attributes, ...ended });
    };
  }

  decided(api: string, outcome: string): void {
    this.decisions.add(1, { "keyward.api": api, "keyward.outcome": outcome });
  }

  reloaded(result: string): void {
    this.reloads.add(1, { "keyward.result": result });
  }

  inForce(hash: string): void {
    this.hash = hash;
  }

  /** Sends the rest, for five seconds at most. */
  async end(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref());
    await Promise.race([this.sdk?.shutdown().catch(() => {}), late]);
  }
}

const END_MS = 5_000;

/** Starts the user's SDK, unless the program has been started with one (`node --import`). */
export async function startTelemetry(version: string): Promise<Telemetry> {
  const provider = trace.getTracerProvider();
  const isStarted = !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("keyward") !== undefined;
  return new Telemetry(version, isStarted ? undefined : await startTelemetrySdk());
}
