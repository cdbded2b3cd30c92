/**
 * Traces and metrics of `keyward serve`, with exporters in memory.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { metrics, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isTelemetryConfigured } from "../../src/serve/telemetry-sdk.js";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { CHECK, checkOf, EVALUATION, evaluationOf, post, serving } from "./support.js";

const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 });

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

describe("with an SDK", () => {
  beforeAll(() => {
    process.env.OTEL_TRACES_EXPORTER = "otlp";
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });

  beforeEach(() => {
    spans.reset();
    measured.reset();
  });

  afterAll(() => {
    delete process.env.OTEL_TRACES_EXPORTER;
    for (const api of [trace, metrics, propagation]) api.disable();
  });

  test("a request is a span of the caller's trace, without anything of the request or the policies", async () => {
    await serving(["--data", "FILE:data.json"], async ({ origin }) => {
      const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, authorization: "Bearer secret-token" };
      const resource = { type: "record", id: "secret-id", properties: { owner: "secret-owner" } };
      await post(`${origin}${EVALUATION}?secret-query`, { ...evaluationOf("write"), resource }, headers);
      await post(origin + CHECK, checkOf(["read"], "secret-owner"));
      await fetch(`${origin}/secret-path`);
      const found = spans.getFinishedSpans();
      expect(found.map(({ name, kind, attributes }) => [name, kind, attributes])).toEqual(
        [
          [`POST ${EVALUATION}`, "POST", EVALUATION, 200],
          [`POST ${CHECK}`, "POST", CHECK, 200],
          ["GET", "GET", undefined, 404],
        ].map(([name, method, route, status]) => [
          name,
          SpanKind.SERVER,
          {
            "http.request.method": method,
            ...(route === undefined ? {} : { "http.route": route }),
            "http.response.status_code": status,
            "keyward.policy_set_hash": expect.stringMatching(/^sha256:[\da-f]{64}$/),
          },
        ]),
      );
      const [first, second] = found;
      expect([first?.spanContext().traceId, first?.parentSpanContext?.spanId]).toEqual([TRACE, PARENT]);
      expect([second?.spanContext().traceId === TRACE, second?.parentSpanContext]).toEqual([false, undefined]);
      const text = JSON.stringify(
        found.map(({ name, attributes, events, links }) => [name, attributes, events, links]),
      );
      expect(text).not.toMatch(/secret|alice|owner|member/);
    });
  });

  test("requests that are refused are spans, too; only failures of the program are errors", async () => {
    await serving([], async ({ origin }) => {
      for (const body of ["{", JSON.stringify({ requestId: "r" })]) await post(origin + CHECK, body);
      const found = spans.getFinishedSpans();
      expect(found.map(({ status, attributes }) => [status.code, attributes["http.response.status_code"]])).toEqual([
        [SpanStatusCode.UNSET, 400],
        [SpanStatusCode.UNSET, 400],
      ]);
    });
  });

  test("metrics count requests and decisions", async () => {
    await serving(["--data", "FILE:data.json"], async ({ origin }) => {
      for (const action of ["read", "write", "read"]) await post(origin + EVALUATION, evaluationOf(action));
      await post(origin + CHECK, checkOf(["read", "list"]));
      await reader.forceFlush();
      const found = new Map(
        measured
          .getMetrics()
          .flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics: each }) =>
              each.map(({ descriptor, dataPoints }) => [
                descriptor.name,
                dataPoints.map(({ attributes, value }) => [
                  Object.values(attributes).join(" "),
                  typeof value === "number" ? value : value.count,
                ]),
              ]),
            ),
          ),
      );
      expect(found.get("keyward.decisions")).toEqual(
        expect.arrayContaining([
          ["authzen allow", expect.any(Number)],
          ["authzen insufficient_permissions", expect.any(Number)],
          ["cerbos EFFECT_ALLOW", expect.any(Number)],
          ["cerbos EFFECT_DENY", expect.any(Number)],
        ]),
      );
      expect(found.get("http.server.request.duration")).toContainEqual([`POST ${EVALUATION} 200`, expect.any(Number)]);
    });
  });
});

test.each([
  [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }, true],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://localhost:4318" }, true],
  [{ OTEL_TRACES_EXPORTER: "otlp", OTEL_SDK_DISABLED: "true" }, false],
  [{ OTEL_TRACES_EXPORTER: "" }, false],
  [{ OTEL_SERVICE_NAME: "keyward" }, false],
  [{}, false],
])("%j: %s", (environment, expected) => {
  expect(isTelemetryConfigured(environment)).toBe(expected);
});

test.skipIf(!BUILT)("an SDK that is not installed is a usage error (skipped without dist/: npm run build)", () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-telemetry-"));
  try {
    // The repository has the SDK, for its service. A copy of the program has all packages but that.
    cpSync(dirname(BIN), join(home, "dist"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(home, "package.json"));
    mkdirSync(join(home, "node_modules"));
    for (const name of readdirSync(join(ROOT, "node_modules"))) {
      if (name !== "@opentelemetry") symlinkSync(join(ROOT, "node_modules", name), join(home, "node_modules", name));
    }
    const args = [join(home, "dist", basename(BIN)), "serve", "policies", "--listen", "127.0.0.1:0"];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, OTEL_METRICS_EXPORTER: "otlp" },
      timeout: 60_000,
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining("npm install --save-dev @opentelemetry/api@")]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
