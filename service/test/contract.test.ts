/** Every condition of docs/contract.md §7.3 and §7.4 over HTTP, with the exact bodies of §7.2. */

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores, skipped } from "./support/databases.js";
import { NO_REPLICAS, type Replicas, startReplicas } from "./support/replicas.js";
import { type Answer, DOCS, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

const DETAILS = {
  insufficient_permissions: "The authenticated API key does not have permission to perform this operation",
  forbidden: "This operation is not allowed",
};

/** Compares the whole body with docs/contract.md §7.2. */
function expectRefusal(answer: Answer, code: keyof typeof DETAILS): void {
  const requestId = answer.body.meta.requestId;
  expect(requestId).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(answer.text).toBe(
    `{"meta":{"requestId":"${requestId}"},"error":{"detail":"${DETAILS[code]}","status":403,"title":"Forbidden",` +
      `"type":"https://${DOCS}/api-reference/errors-v2/service/authorization/${code}"}}`,
  );
  expect(answer.status).toBe(403);
  expect(answer.headers.get("x-request-id")).toBe(requestId);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
}

describeStores("conditions of the contract", (open) => conditions(() => inProcess(open)));

describe.skipIf(NO_REPLICAS !== undefined)(
  `conditions of the contract: two replicas behind a proxy${skipped(NO_REPLICAS)}`,
  { tags: "long" },
  () => conditions(startReplicas),
);

async function inProcess(open: () => Promise<Store>): Promise<Replicas> {
  const store = await open();
  const { call, logged, records } = await testService(store);
  return {
    store,
    call,
    recordOf: async ({ body }) => records.find(({ requestId }) => requestId === body.meta.requestId),
    logged: () => logged,
    close: () => store.close(),
  };
}

function conditions(start: () => Promise<Replicas>): void {
  let service: Replicas;
  let store: Store;
  let world: World;
  beforeAll(async () => {
    service = await start();
    store = service.store;
    world = await newAccount(store);
  });
  afterAll(() => service.close());

  const createKey = (key: string, apiId: string) => service.call("/v1/keys.createKey", key, { apiId, name: "x" });
  const deleteApi = (key: string, apiId: string) => service.call("/v2/apis.deleteApi", key, { apiId });
  const api = (more: object) =>
    add(store, world, (things) => things.api(world.workspaceId, { name: "x", state: "active", ...more }));
  const key = (more: object) =>
    add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], ...more }));
  const expectForbidden = async (answer: Answer, platformReasons: readonly string[]) => {
    expectRefusal(answer, "forbidden");
    expect(await service.recordOf(answer)).toMatchObject({ outcome: "forbidden", platformReasons });
  };

  test("7.3.1 a read-only key writes", async () => {
    expectRefusal(await createKey(world.viewer.secret, world.active), "insufficient_permissions");
    const readOnly = await key({ permissions: ["api.*.read_api", "api.*.read_key"] });
    expectRefusal(await createKey(readOnly.secret, world.active), "insufficient_permissions");
  });

  test("7.3.2 a key for certain resources is used on others", async () => {
    const [one, other] = [await api({}), await api({})];
    const limited = await key({ permissions: [`api.${one}.create_key`] });
    expectRefusal(await createKey(limited.secret, other), "insufficient_permissions");
    expect((await createKey(limited.secret, one)).status).toBe(200);
  });

  test("7.3.3 a key for one workspace is used in another", async () => {
    const elsewhere = await add(store, world, (things) =>
      things.workspace({ name: "Elsewhere", environment: "production" }),
    );
    const scoped = await key({ roles: ["admin"], workspaceIds: [elsewhere] });
    expectRefusal(await createKey(scoped.secret, world.active), "insufficient_permissions");
    const there = await add(store, world, (things) => things.api(elsewhere, { name: "x", state: "active" }));
    expect((await createKey(scoped.secret, there)).status).toBe(200);
  });

  test("7.3.4 a key with limited permissions administers", async () => {
    expectRefusal(await deleteApi(world.editor.secret, await api({})), "insufficient_permissions");
  });

  test("7.3.5 a key whose permissions were reduced", async () => {
    const reduced = await key({ permissions: [`api.${world.active}.create_key`] });
    expect((await createKey(reduced.secret, world.active)).status).toBe(200);
    const change = { keyId: reduced.keyId, permissions: [] };
    expect((await service.call("/v2/keys.updateKey", world.admin.secret, change)).status).toBe(200);
    expectRefusal(await createKey(reduced.secret, world.active), "insufficient_permissions");
  });

  test("7.3.6 a key of one environment is used in another", async () => {
    const development = await add(store, world, async (things) => {
      const workspace = await things.workspace({ name: "Development", environment: "development" });
      const there = await things.api(workspace, { name: "x", state: "active" });
      return things.key(there, { name: "x", roles: ["admin"] });
    });
    expectRefusal(await createKey(development.secret, world.active), "insufficient_permissions");
  });

  test("7.4.1 a system resource", async () => {
    await expectForbidden(await deleteApi(world.admin.secret, world.system), ["system_resource", "out_of_sequence"]);
  });

  test.each(["suspended", "deleting"])("7.4.2 an API that is %s", async (state) => {
    await expectForbidden(await createKey(world.admin.secret, await api({ state })), ["state_forbids_modification"]);
  });

  test("7.4.2 a revoked key", async () => {
    const { keyId } = await key({ state: "revoked" });
    const answer = await service.call("/v2/keys.updateKey", world.admin.secret, { keyId, state: "enabled" });
    expectRefusal(answer, "forbidden");
    expectRefusal(await service.call("/v2/keys.deleteKey", world.admin.secret, { keyId }), "forbidden");
  });

  test("7.4.3 quotas of keys and of APIs", async () => {
    const full = await newAccount(store, { limitKeys: 4, limitApis: 3 });
    expect((await createKey(full.admin.secret, full.active)).status).toBe(200);
    await expectForbidden(await createKey(full.admin.secret, full.active), ["quota_exceeded"]);
    const body = { workspaceId: full.workspaceId, name: "x" };
    expect((await service.call("/v2/apis.createApi", full.admin.secret, body)).status).toBe(200);
    expectRefusal(await service.call("/v2/apis.createApi", full.admin.secret, body), "forbidden");
    // A key with every permission gets the same answer as a key with none.
    expectRefusal(await createKey(full.viewer.secret, full.active), "forbidden");
  });

  test("7.4.4 an account on hold", async () => {
    const held = await newAccount(store, { holds: ["abuse"] });
    await expectForbidden(await createKey(held.admin.secret, held.active), ["platform_policy_violation"]);
    const answer = await service.call("/v2/workspaces.createWorkspace", held.admin.secret, {
      name: "x",
      environment: "production",
    });
    expectRefusal(answer, "forbidden");
    expect((await service.call("/v2/apis.getApi", held.admin.secret, { apiId: held.active })).status).toBe(200);
  });

  test.each([
    ["a free plan in production", { plan: "free" }],
    ["a suspended account", { status: "suspended" }],
    ["a past-due account", { status: "past_due" }],
  ] as const)("7.4.5 %s", async (_, account) => {
    const poor = await newAccount(store, account);
    await expectForbidden(await createKey(poor.admin.secret, poor.active), ["not_available"]);
    const answer = await service.call("/v2/workspaces.createWorkspace", poor.admin.secret, {
      name: "x",
      environment: "production",
    });
    expectRefusal(answer, "forbidden");
  });

  test("7.4.5 what the plan lacks no key of any environment can do", async () => {
    const free = await newAccount(store, { plan: "free" });
    const development = await add(store, free, async (things) => {
      const workspace = await things.workspace({ name: "Sandbox", environment: "development" });
      const there = await things.api(workspace, { name: "x", state: "active" });
      return things.key(there, { name: "x", roles: ["admin"] });
    });
    const create = (secret: string, environment: string) =>
      service.call("/v2/workspaces.createWorkspace", secret, { name: "New", environment });
    for (const { secret } of [free.admin, free.viewer, development]) {
      expectRefusal(await create(secret, "production"), "forbidden");
    }
    expectRefusal(await create(free.admin.secret, "development"), "insufficient_permissions");
    const made = await create(development.secret, "development");
    expect([made.status, made.body.data.environment]).toEqual([200, "development"]);
  });

  test("7.4.6 out of sequence", async () => {
    expectRefusal(await createKey(world.admin.secret, await api({ state: "draft" })), "forbidden");
    const used = await api({});
    const { body } = await createKey(world.admin.secret, used);
    await expectForbidden(await deleteApi(world.admin.secret, used), ["out_of_sequence"]);
    expect((await service.call("/v2/keys.deleteKey", world.admin.secret, { keyId: body.data.keyId })).status).toBe(200);
    expect((await deleteApi(world.admin.secret, used)).status).toBe(200);
  });

  test("7.4.7 delete protection", async () => {
    const kept = await api({ deleteProtection: true });
    expectRefusal(await deleteApi(world.admin.secret, kept), "forbidden");
    const change = { apiId: kept, deleteProtection: false };
    expect((await service.call("/v2/apis.updateApi", world.admin.secret, change)).status).toBe(200);
    expect((await deleteApi(world.admin.secret, kept)).status).toBe(200);
  });

  test("counters are what is there", async () => {
    const { rows } = await counted(store);
    expect(rows).toEqual([]);
  });

  test("no secret was logged", () => {
    expect(service.logged().length).toBeGreaterThan(20);
    expect(service.logged().join("")).not.toMatch(/kw_[0-9a-f]{16}/);
  });
}

/** Accounts and APIs with wrong counters. */
async function counted(store: Store): Promise<{ rows: unknown[] }> {
  const result: unknown = await store.queries.execute(sql`
    select id from accounts a where
      used_keys <> (select count(*) from keys k where k.account_id = a.id and k.state <> 'revoked') or
      used_apis <> (select count(*) from apis p where p.account_id = a.id)
    union all
    select id from apis p where
      key_count <> (select count(*) from keys k where k.api_id = p.id and k.state <> 'revoked')`);
  return result as { rows: unknown[] };
}
