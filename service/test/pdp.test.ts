/**
 * A Cerbos PDP decides: answers are the same, and 503 if the PDP is unavailable.
 *
 * @module-tag long
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPolicies } from "keyward/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_SERVER, type Server, startServer } from "../../test/support/server.js";
import { createLogger } from "../src/observability/logger.js";
import { withAgreementCheck } from "../src/policies/agreement.js";
import type { Decider } from "../src/policies/decider.js";
import { remotePdp } from "../src/policies/remote.js";
import type { Store } from "../src/store/store.js";
import { NO_POSTGRES, newDatabase, openNewPglite, skipped } from "./support/databases.js";
import { NOT_BUILT, run, type ServiceProcess, startProcess, until } from "./support/process.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

/** A TCP port for a server that listens on a Unix socket. `bytes`: the number that it has sent. */
async function tcpFor(grpc: string) {
  let sent = 0;
  const server = createServer((socket) => {
    const inner = connect(grpc.replace("unix:", ""));
    inner.on("data", (chunk) => {
      sent += chunk.length;
    });
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, bytes: () => sent, close: () => server.close() };
}

describe.skipIf(NO_SERVER !== undefined)(`with a PDP${skipped(NO_SERVER)}`, () => {
  let pdp: Server;
  let store: Store;
  let remote: TestService;
  let embedded: TestService;
  let decider: Decider;
  let world: World;
  beforeAll(async () => {
    pdp = await startServer(shippedPolicies, { schema: { enforcement: "reject" } });
    store = await openNewPglite();
    embedded = await testService(store);
    decider = remotePdp(embedded.policies, { address: pdp.grpc, tls: false, timeoutMs: 10_000 });
    remote = await testService(store, { decider });
    world = await newAccount(store);
  });
  afterAll(async () => {
    decider.close();
    await store.close();
    await pdp.stop();
  });

  test("every answer and record is the embedded engine's", async () => {
    const { admin, editor, viewer, active, system } = world;
    const asked: [string, string, object][] = [
      ["/v2/apis.deleteApi", viewer.secret, { apiId: active }],
      ["/v2/apis.deleteApi", admin.secret, { apiId: system }],
      ["/v2/apis.deleteApi", editor.secret, { apiId: active }],
      ["/v2/apis.getApi", viewer.secret, { apiId: active }],
      ["/v2/apis.listKeys", viewer.secret, { apiId: system }],
      ["/v2/keys.getKey", viewer.secret, { keyId: admin.keyId }],
      ["/v2/keys.updateKey", viewer.secret, { keyId: admin.keyId, state: "disabled" }],
      ["/v1/keys.createKey", viewer.secret, { apiId: active, name: "x" }],
      ["/v1/keys.createKey", admin.secret, { apiId: system, name: "x" }],
    ];
    for (const [path, key, body] of asked) {
      const [here, there] = [await embedded.call(path, key, body), await remote.call(path, key, body)];
      expect([path, there.status, there.body.error ?? there.body.data]).toEqual([
        ...[path, here.status, here.body.error ?? here.body.data],
      ]);
      const { requestId: _, durationMs: __, ...record } = embedded.records.at(-1) ?? {};
      expect(remote.records.at(-1)).toMatchObject(record);
    }
    const made = await remote.call("/v1/keys.createKey", admin.secret, { apiId: active, name: "x", roles: ["viewer"] });
    expect(made.status).toBe(200);
    expect((await remote.app.request("/readyz")).status).toBe(200);
  });

  test.skipIf(NOT_BUILT !== undefined || NO_POSTGRES !== undefined)(
    `two replicas, one PDP and one PostgreSQL keep the quota${skipped(NOT_BUILT ?? NO_POSTGRES)}`,
    async () => {
      const environment = {
        DATABASE_URL: await newDatabase(),
        CERBOS_PDP: pdp.grpc,
        CERBOS_PDP_TIMEOUT_MS: "20000",
        DATABASE_TIMEOUT_MS: "60000",
      };
      const made = JSON.parse((await run(["create-account", "--keys", "11"], environment)).stdout);
      const replicas: readonly ServiceProcess[] = await Promise.all([
        startProcess(environment),
        startProcess(environment),
      ]);
      const [one, two] = replicas;
      try {
        if (one === undefined || two === undefined) throw new Error("there are no replicas");
        const api = { workspaceId: made.workspaceId, name: "x", state: "active" };
        const { apiId } = (await one.call("/v2/apis.createApi", made.key, api)).body.data;
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, i) =>
            (i % 2 === 0 ? one : two).call("/v1/keys.createKey", made.key, { apiId, name: "x" }),
          ),
        );
        expect(answers.filter(({ status }) => status === 200).length).toBe(10);
        expect(answers.filter(({ status }) => status === 403).length).toBe(90);
      } finally {
        await Promise.all(replicas.map((replica) => replica.end()));
      }
    },
  );

  test("that has other policies is told apart, once it decides otherwise", async () => {
    const directory = mkdtempSync(join(tmpdir(), "keyward-other-"));
    cpSync(shippedPolicies, directory, { recursive: true });
    // Removes reading an API from the supported operations.
    const file = join(directory, "platform", "api.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("apis.getApi", "apis.readApi"));
    const other = await startServer(directory, { schema: { enforcement: "reject" } });
    const { policies } = embedded;
    const options = { address: other.grpc, tls: false, timeoutMs: 10_000 };
    const decider = withAgreementCheck(remotePdp(policies, options), policies, createLogger("silent"));
    try {
      const service = await testService(store, { decider, policies });
      const told = async () => (await (await service.app.request("/readyz")).json()) as { policies: { pdp?: string } };
      const get = () => service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
      expect((await told()).policies.pdp).toBe("unknown");
      await service.call("/v2/apis.listKeys", world.admin.secret, { apiId: world.active });
      expect((await told()).policies.pdp).toBe("agree");
      expect((await get()).status).toBe(403);
      expect((await told()).policies.pdp).toBe("differ");
    } finally {
      decider.close();
      await other.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test("of which there are several: they take turns, and one that is gone is passed over", async () => {
    const second = await startServer(shippedPolicies, { schema: { enforcement: "reject" } });
    const doors = await Promise.all([pdp.grpc, second.grpc].map(tcpFor));
    const address = `ipv4:${doors.map(({ port }) => `127.0.0.1:${port}`).join(",")}`;
    const fleet = remotePdp(embedded.policies, { address, tls: false, timeoutMs: 10_000 });
    try {
      const service = await testService(store, { decider: fleet });
      const read = async () =>
        (await service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active })).status;
      const statuses = async () => new Set(await Promise.all(Array.from({ length: 20 }, read)));
      expect(await statuses()).toEqual(new Set([200]));
      expect(doors.map(({ bytes }) => bytes() > 0)).toEqual([true, true]);
      await second.stop();
      await until("it is passed over", async () => (await read()) === 200);
      expect(await statuses()).toEqual(new Set([200]));
    } finally {
      fleet.close();
      await second.stop();
      for (const door of doors) door.close();
    }
  });

  test("that has no policies: 503, and not ready", async () => {
    const directory = mkdtempSync(join(tmpdir(), "keyward-empty-"));
    const empty = await startServer(directory, { schema: { enforcement: "reject" } });
    const decider = remotePdp(embedded.policies, { address: empty.grpc, tls: false, timeoutMs: 10_000 });
    try {
      const service = await testService(store, { decider });
      const read = await service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
      expect([read.status, read.headers.get("retry-after")]).toEqual([503, "1"]);
      expect((await service.app.request("/readyz")).status).toBe(503);
    } finally {
      decider.close();
      await empty.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test("when it is gone, nothing is allowed, nothing is refused: 503, and not ready", async () => {
    await pdp.stop();
    for (const key of [world.admin, world.viewer]) {
      const answer = await remote.call("/v1/keys.createKey", key.secret, { apiId: world.active, name: "x" });
      expect([answer.status, answer.body.error.detail]).toEqual([503, "The service is temporarily unavailable"]);
    }
    expect((await remote.call("/v2/keys.whoami", world.admin.secret, {})).status).toBe(200);
    expect((await remote.app.request("/readyz")).status).toBe(503);
    expect((await remote.app.request("/healthz")).status).toBe(200);
  });
});
