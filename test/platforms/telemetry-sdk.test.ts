/**
 * `keyward serve` starts the OpenTelemetry SDK that is installed beside it, and sends traces and metrics to a collector.
 *
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECK, checkOf, FILES, post, waitFor } from "../serve/support.js";
import { BUILT, ROOT } from "../support/built.js";
import { withFiles } from "../support/terminal.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

interface Received {
  readonly path: string | undefined;
  readonly body: string;
}

async function withCollector(use: (endpoint: string, received: readonly Received[]) => Promise<void>): Promise<void> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ path: request.url, body: Buffer.concat(chunks).toString("utf8") });
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.skipIf(!BUILT)("the SDK is loaded and configured by the environment (skipped without dist/)", async () => {
  // Node looks for the SDK in the folders above the package.
  const home = await mkdtemp(join(ROOT, "test/platforms/node_modules/.keyward-"));
  try {
    await cp(join(ROOT, "dist"), join(home, "dist"), { recursive: true });
    await cp(join(ROOT, "package.json"), join(home, "package.json"));
    await withCollector(async (endpoint, received) => {
      await withFiles(FILES, async (directory) => {
        const args = [join(directory, "policies"), "--permission-only", "--listen", "127.0.0.1:0"];
        const child = spawn(process.execPath, [join(home, "dist/cli.js"), "serve", ...args], {
          env: {
            ...process.env,
            OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
            OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
            OTEL_METRICS_EXPORTER: "otlp",
            OTEL_METRIC_EXPORT_INTERVAL: "300",
            OTEL_METRIC_EXPORT_TIMEOUT: "200",
            OTEL_SERVICE_NAME: "decisions",
          },
        });
        let text = "";
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (data) => {
            text += String(data);
          });
        }
        const exited = once(child, "exit");
        const origin = await waitFor(() => /http:\S+/.exec(text)?.[0]).catch(() => expect.fail(text));
        await post(origin + CHECK, checkOf(["read"]), { traceparent: `00-${TRACE}-b7ad6b7169203331-01` });
        await waitFor(() =>
          received.find(({ path, body }) => path === "/v1/metrics" && body.includes("keyward.decisions")),
        );
        child.kill("SIGTERM");
        expect((await exited)[0]).toBe(0);
        const traces = received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body);
        expect(traces.join()).toContain(`"traceId":"${TRACE}"`);
        expect(traces.join()).toContain(`POST ${CHECK}`);
        expect(traces.join()).toContain('"decisions"');
        expect(traces.join()).not.toMatch(/alice|"record"/);
      });
    });
  } finally {
    await rm(home, { recursive: true });
  }
});
