/**
 * Two replicas behind a proxy are restarted in turn while callers go on: no request is lost, and each is answered once.
 *
 * @module-tag long
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sized } from "../../test/support/size.js";
import { readConfig } from "../src/config/config.js";
import { createLogger } from "../src/observability/logger.js";
import { startService } from "../src/service.js";
import { NO_POSTGRES, newDatabase, openPostgresAt, skipped } from "./support/databases.js";
import { freePort } from "./support/postgres-server.js";
import { startProxy } from "./support/proxy.js";
import { newAccount } from "./support/world.js";

const CREATES = sized(5_000);
const CALLERS = 12;
const ROUNDS = 3;

test.skipIf(NO_POSTGRES !== undefined)(`a rolling restart${skipped(NO_POSTGRES)}`, async () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-rolling-"));
  const url = await newDatabase();
  const store = await openPostgresAt(url);
  const { admin, active } = await newAccount(store, { limitKeys: 100_000 });
  const ports = [await freePort(), await freePort()];
  const start = (port: number) => {
    const environment = { DATABASE_URL: url, PORT: String(port), DECISION_LOG: join(home, `${port}.jsonl`) };
    return startService(readConfig(environment), createLogger("silent"));
  };
  const replicas = await Promise.all(ports.map(start));
  const proxy = await startProxy(ports);

  const statuses = new Map<number, number>();
  const ids = new Set<string>();
  let left = CREATES;
  let restarting = true;
  const caller = async () => {
    // Callers go on until the last restart is over.
    while (left-- > 0 || restarting) {
      const response = await fetch(`${proxy.baseUrl}/v1/keys.createKey`, {
        method: "POST",
        headers: { authorization: `Bearer ${admin.secret}`, "content-type": "application/json" },
        body: JSON.stringify({ apiId: active, name: "x" }),
      });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const { data } = (await response.json()) as { data?: { keyId: string } };
      if (data !== undefined) ids.add(data.keyId);
    }
  };
  // Waiting until a replica has served again makes sure that never both are away.
  const restarts = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, port] of ports.entries()) {
        const before = proxy.served[i] ?? 0;
        await replicas[i]?.close();
        replicas[i] = await start(port);
        while ((proxy.served[i] ?? 0) < before + 20) await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    restarting = false;
  };
  try {
    await Promise.all([restarts(), ...Array.from({ length: CALLERS }, caller)]);
    expect([[...statuses.keys()], proxy.failed]).toEqual([[200], []]);
    expect(ids.size).toBe(statuses.get(200));
    const counted = { name: "counted", text: "select key_count as count from apis where id = $1", isOwn: true };
    const [row] = await store.run<{ count: number }>(counted, [active]);
    expect(row?.count).toBe(ids.size);
  } finally {
    restarting = false;
    await proxy.close();
    await Promise.all(replicas.map((replica) => replica.close()));
    await store.close();
    rmSync(home, { recursive: true, force: true });
  }
});
