/** What was changed and refused is in the store, in a chain that shows whether it was tampered with. */

import { and, eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { audit } from "../src/store/schema.js";
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
    const common = { resourceKind: "api", policySetHash: service.policies.current.hash };
    const list = await entries();
    expect(list).toEqual([
      {
        ...{ ...common, time: expect.any(String), requestId: made.meta.requestId, keyId: admin.keyId },
        ...{ operation: "keys.createKey", resourceId: active, outcome: "allow" },
        change: expect.objectContaining({ keyId: made.data.keyId, roles: ["custom"] }),
      },
      {
        ...{ ...common, time: expect.any(String), requestId: refused.meta.requestId, keyId: world.viewer.keyId },
        ...{ operation: "keys.createKey", resourceId: active, outcome: "insufficient_permissions" },
      },
      {
        ...{ ...common, time: expect.any(String), requestId: forbidden.meta.requestId, keyId: admin.keyId },
        ...{ operation: "apis.deleteApi", resourceId: system, outcome: "forbidden" },
      },
    ]);
    expect(JSON.stringify(list)).not.toMatch(/kw_[0-9a-f]{16}/);
    expect(await verifyAudit(store)).toMatchObject({ faults: [] });
  });

  test("what comes at once is one chain", async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => create((i % 2 === 0 ? world.admin : world.viewer).secret)));
    expect((await entries()).length).toBe(40);
    expect((await verifyAudit(store)).faults).toEqual([]);
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
});
