/**
 * Traces and metrics by the real OpenTelemetry SDK, which the service starts when the standard variables ask for it.
 *
 * @module-tag long
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ConfigInvalid } from "../src/config/config.js";
import { isTelemetryConfigured, startTelemetry } from "../src/observability/telemetry-sdk.js";
import { NOT_BUILT, type ServiceProcess, startProcess, until } from "./support/process.js";

/** A collector for OTLP over HTTP, as JSON. */
async function startCollector() {
  const received: { path: string; body: string }[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      received.push({ path: incoming.url ?? "", body: Buffer.concat(chunks).toString() });
      outgoing.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const textOf = (path: string) =>
    received
      .filter((request) => request.path === path)
      .map(({ body }) => body)
      .join("\n");
  return { url: `http://127.0.0.1:${port}`, textOf, close: () => server.close() };
}

/** The demonstration, which is printed after the service listens. Then it handles signals, too. */
async function demoOf(service: ServiceProcess) {
  await until("the demonstration is there", () => service.stdout().includes("\n\n"));
  return JSON.parse(service.stdout().split("\n")[0] ?? "").demo;
}

test.skipIf(NOT_BUILT !== undefined)(`a collector gets traces and metrics (${NOT_BUILT ?? "built"})`, async () => {
  const collector = await startCollector();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_METRIC_EXPORT_INTERVAL: "300",
    OTEL_METRIC_EXPORT_TIMEOUT: "300",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
  const service = await startProcess({ ...process.env, ...environment, DEMO: "1" });
  try {
    const demo = await demoOf(service);
    const secret: string = demo.keys.read_only;
    const answer = await service.call("/v2/apis.deleteApi", secret, { apiId: demo.apis.active });
    expect(answer.status).toBe(403);
    await until("both have arrived", () => {
      const [traces, metrics] = [collector.textOf("/v1/traces"), collector.textOf("/v1/metrics")];
      return traces.includes("POST apis.deleteApi") && metrics.includes("keyward.request.duration");
    });
    const [traces, metrics] = [collector.textOf("/v1/traces"), collector.textOf("/v1/metrics")];
    expect(traces).toContain('"keyward-service"');
    expect(traces).toContain("insufficient_permissions");
    expect(traces).toContain("sight_api");
    expect(metrics).toMatch(/keyward\.requests.*insufficient_permissions/s);
    expect(metrics).toContain("keyward.account.requests");
    expect(`${traces}${metrics}`).not.toContain(secret);
    // The rest is sent at the end.
    await service.call("/v2/keys.whoami", secret, {});
  } finally {
    expect(await service.end()).toBe(0);
    collector.close();
  }
  expect(collector.textOf("/v1/traces")).toContain("keys.whoami");
});

test("a collector that is away disturbs no request, and not the end", async () => {
  if (NOT_BUILT !== undefined) return;
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_METRIC_EXPORT_INTERVAL: "200" };
  const service = await startProcess({ ...process.env, ...environment, OTEL_METRIC_EXPORT_TIMEOUT: "200", DEMO: "1" });
  try {
    const demo = await demoOf(service);
    for (let i = 0; i < 20; i++) expect((await service.call("/v2/keys.whoami", demo.keys.admin, {})).status).toBe(200);
  } finally {
    expect(await service.end()).toBe(0);
  }
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }, true],
  [{ OTEL_METRICS_EXPORTER: "otlp" }, true],
  [{ OTEL_TRACES_EXPORTER: "console", OTEL_SDK_DISABLED: "true" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
  [{ OTEL_SERVICE_NAME: "x" }, false],
])("%j asks for telemetry: %s", (environment, expected) => {
  expect(isTelemetryConfigured(environment)).toBe(expected);
});

test("an SDK that is not installed, or has another shape, is a fault of the configuration", async () => {
  const asked = { OTEL_TRACES_EXPORTER: "otlp" };
  const missing = startTelemetry(asked, () => Promise.reject(new Error("ERR_MODULE_NOT_FOUND")));
  await expect(missing).rejects.toThrow(ConfigInvalid);
  await expect(startTelemetry(asked, async () => ({}))).rejects.toThrow(/another version/);
  expect(await startTelemetry({}, () => Promise.reject(new Error("not asked")))).toBeUndefined();
});
