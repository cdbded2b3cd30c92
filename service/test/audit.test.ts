/**
 * Changes and refusals are stored in a hash chain, which shows tampering.
 *
 * @module-tag long
 */

import { Readable } from "node:stream";
import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { DecisionLogEntrySchema } from "@cerbos/api/cerbos/audit/v1/audit_pb";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { exportedChains, exportedLines } from "../src/audit-export.js";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { audit, auditHeads } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

describeStores("audit", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  beforeEach(async () => {
    store ??= await open();
    service ??= await testService(store);
    world = await newAccount(store);
  });
  afterAll(() => store.close());

  const create = (key: string) => service.call("/v1/keys.createKey", key, { apiId: world.active, name: "x" });
  const entries = async () => {
    const list: Record<string, unknown>[] = [];
    for await (const { entry } of chainOf(store, world.accountId)) list.push(JSON.parse(entry));
    return list;
  };

  test("an entry for each change and each refusal of one, and none for what is read", async () => {
    const made = (await create(world.admin.secret)).body;
    const refused = (await create(world.viewer.secret)).body;
    const { admin, active, system } = world;
    const forbidden = (await service.call("/v2/apis.deleteApi", admin.secret, { apiId: system })).body;
    await service.call("/v2/apis.getApi", admin.secret, { apiId: active });
    await service.call("/v2/apis.getApi", admin.secret, { apiId: "api_none" });
    const list = await entries();
    // An entry holds the decision's record and the change.
    const recordOf = ({ meta }: { meta: { requestId: string } }) => ({
      time: expect.any(String),
      ...service.records.find(({ requestId }) => requestId === meta.requestId),
    });
    expect(list).toEqual([
      {
        ...recordOf(made),
        change: expect.objectContaining({ keyId: made.data.keyId, roles: ["custom"] }),
      },
      recordOf(refused),
      recordOf(forbidden),
    ]);
    expect(list.map(({ keyId, operation, resourceId, outcome }) => [keyId, operation, resourceId, outcome])).toEqual([
      [admin.keyId, "keys.createKey", active, "allow"],
      [world.viewer.keyId, "keys.createKey", active, "insufficient_permissions"],
      [admin.keyId, "apis.deleteApi", system, "forbidden"],
    ]);
    expect(JSON.stringify(list)).not.toMatch(/kw_[0-9a-f]{16}/);
    expect(await verifyAudit(store)).toMatchObject({ faults: [] });
  });

  test("what comes at once is one chain", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => create((i % 2 === 0 ? world.admin : world.viewer).secret)));
    expect((await entries()).length).toBe(40);
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("refusals by two replicas at once, among changes, are one chain: each once, and those of each account in its own", async () => {
    const replicas = [service, await testService(store)];
    const neighbour = await newAccount(store);
    const answers = await Promise.all(
      Array.from({ length: 90 }, async (_, i) => {
        const account = i % 5 === 0 ? neighbour : world;
        const { secret } = i % 3 === 0 ? account.admin : account.viewer;
        const body = { apiId: account.active, name: `'"{},\\ ${i}` };
        const answer = await replicas[i % 2]?.call("/v1/keys.createKey", secret, body);
        return { account, id: answer?.body.meta.requestId, status: answer?.status };
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 403]));
    for (const account of [world, neighbour]) {
      const ids: unknown[] = [];
      for await (const { entry } of chainOf(store, account.accountId)) ids.push(JSON.parse(entry).requestId);
      const own = answers.filter((answer) => answer.account === account);
      expect(ids.sort()).toEqual(own.map(({ id }) => id).sort());
    }
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("it is exported as Cerbos logs decisions: a check for each layer", async () => {
    const address = "192.0.2.7";
    const body = { apiId: world.active, name: "x" };
    await service.call("/v1/keys.createKey", world.viewer.secret, body, { remoteAddress: address });
    const own: JsonObject[] = [];
    for await (const entry of exportedChains(store)) {
      const { checkResources } = messageOf(entry);
      const ids = checkResources.inputs.map(({ principal }) => principal?.id);
      if (ids.includes(world.viewer.keyId) || ids.includes(world.accountId)) own.push({ ...entry } as JsonObject);
    }
    const { requestId = "", time = "", policySetHash = "" } = (await entries())[0] as Record<string, string>;
    const resource = { kind: "api", id: world.active };
    const checked = (principal: { policyVersion: string }, effect: string, policy: string) => ({
      inputs: [
        {
          requestId,
          principal,
          resource: { ...resource, policyVersion: principal.policyVersion },
          actions: ["keys.createKey"],
        },
      ],
      outputs: [{ requestId, resourceId: world.active, actions: { "keys.createKey": { effect, policy } } }],
    });
    const common = {
      ...{ "log.logger": "cerbos.audit", "log.kind": "decision", timestamp: time, peer: { address } },
      metadata: { "keyward-policy-set": { values: [policySetHash] } },
    };
    const viewer = { id: world.viewer.keyId, roles: ["viewer"], policyVersion: "default" };
    const account = { id: world.accountId, roles: ["account"], policyVersion: "platform" };
    expect(own).toEqual([
      {
        ...{ ...common, callId: `${requestId}:permission` },
        checkResources: checked(viewer, "EFFECT_DENY", "resource.api.vdefault"),
      },
      {
        ...{ ...common, callId: `${requestId}:platform` },
        checkResources: checked(account, "EFFECT_ALLOW", "resource.api.vplatform"),
      },
    ]);
  });

  test("records of the decision log are, too; what is no record is refused", async () => {
    await create(world.viewer.secret);
    const line = JSON.stringify({ time: new Date().toISOString(), ...service.records.at(-1) });
    const all = async (...lines: string[]) => {
      const list: object[] = [];
      for await (const entry of exportedLines(Readable.from(lines))) list.push(entry);
      return list;
    };
    const exported = await all(line, "", line);
    expect(exported.length).toBe(4);
    for (const entry of exported) expect(messageOf(entry).checkResources.outputs.length).toBe(1);
    await expect(all(line, "{")).rejects.toThrow("a line is no JSON");
    await expect(all(line, '{"a":1}')).rejects.toThrow("a line is no decision record: time");
  });

  test.each<[string, (at: ReturnType<typeof and>) => Promise<unknown>, string]>([
    ["changed", (at) => store.queries.update(audit).set({ entry: "{}" }).where(at), "was changed"],
    ["removed", (at) => store.queries.delete(audit).where(at), "is missing"],
  ])("an entry that was %s is found", async (_, tamper, fault) => {
    for (let i = 0; i < 4; i++) await create(world.viewer.secret);
    const before = (await verifyAudit(store)).faults.length;
    await tamper(and(eq(audit.accountId, world.accountId), eq(audit.seq, 2)));
    const { faults } = await verifyAudit(store);
    expect(faults.length).toBe(before + 1);
    expect(faults).toContainEqual(
      expect.objectContaining({ accountId: world.accountId, fault: expect.stringContaining(fault) }),
    );
  });

  test("and so is an end that was cut off", async () => {
    for (let i = 0; i < 3; i++) await create(world.viewer.secret);
    await store.queries.delete(audit).where(and(eq(audit.accountId, world.accountId), eq(audit.seq, 3)));
    const { faults } = await verifyAudit(store);
    const own = { accountId: world.accountId, seq: 2, fault: "the chain ends too early" };
    expect(faults).toContainEqual(own);
  });

  test("an entry that was added after the end, and an end that is gone", async () => {
    for (let i = 0; i < 3; i++) await create(world.viewer.secret);
    const { accountId } = world;
    const [last] = await store.queries
      .delete(audit)
      .where(and(eq(audit.accountId, accountId), eq(audit.seq, 3)))
      .returning();
    if (last === undefined) throw new Error("no entry");
    const head = eq(auditHeads.accountId, accountId);
    const [{ hash = "" } = {}] = await store.queries
      .select()
      .from(audit)
      .where(and(eq(audit.accountId, accountId), eq(audit.seq, 2)));
    const faultsOf = async () => (await verifyAudit(store)).faults.filter((fault) => fault.accountId === accountId);
    // Resets the head to entry 2, so that the valid entry 3 stands after the end of the chain.
    await store.queries.update(auditHeads).set({ seq: 2, hash }).where(head);
    expect(await faultsOf()).toEqual([]);
    await store.queries.insert(audit).values(last);
    expect(await faultsOf()).toEqual([{ accountId, seq: 3, fault: "the chain goes on after its end" }]);
    await store.queries.delete(auditHeads).where(head);
    expect(await faultsOf()).toEqual([{ accountId, seq: 3, fault: "the end of the chain is gone" }]);
    await store.queries.delete(audit).where(eq(audit.accountId, accountId));
    expect(await faultsOf()).toEqual([{ accountId, seq: 0, fault: "the end of the chain is gone" }]);
  });
});

/** Parses the entry as Cerbos's own message type, which refuses unknown fields. */
function messageOf(entry: object) {
  const { "log.logger": _, "log.kind": __, ...message } = { ...entry } as Record<string, JsonValue>;
  const { method } = fromJson(DecisionLogEntrySchema, message as JsonObject);
  if (method.case !== "checkResources") throw new Error("not a check");
  return { checkResources: method.value };
}
