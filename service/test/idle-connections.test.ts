/**
 * An idle connection stays open for longer than a proxy keeps it. Otherwise the proxy sends a request on a connection that
 * is being closed, and does not send it again, since it is a POST.
 *
 * @module-tag long
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../src/config/config.js";
import { createLogger } from "../src/observability/logger.js";
import { startService } from "../src/service.js";

test.each([
  ["for 75 seconds by default", {}, "timeout=75"],
  ["as long as is configured", { KEEP_ALIVE_TIMEOUT_MS: "90000" }, "timeout=90"],
])("%s", async (_, environment, expected) => {
  const home = mkdtempSync(join(tmpdir(), "keyward-idle-"));
  const config = readConfig({ DEMO: "1", PORT: "0", DECISION_LOG: join(home, "decisions.jsonl"), ...environment });
  const service = await startService(config, createLogger("silent"));
  try {
    const { headers } = await fetch(`${service.baseUrl}/healthz`);
    expect([headers.get("connection"), headers.get("keep-alive")]).toEqual(["keep-alive", expected]);
  } finally {
    await service.close(0);
    rmSync(home, { recursive: true, force: true });
  }
});
