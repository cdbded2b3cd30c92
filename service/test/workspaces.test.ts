/** Workspaces are read and listed by the keys that may list the APIs in them, counted, and deleted once they are empty. */

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { verifyAudit } from "../src/audit-log.js";
import { accounts } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { type Answer, failureOf, type TestService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

describeStores("workspaces", (open) => {
  let store: Store;
  let service: TestService;
  useService(open, (made) => ({ store, service } = made));

  test("a list has exactly the workspaces that the caller may read one by one, page by page", async () => {
    const world = await newAccount(store);
    const other = await newAccount(store);
    const { ids, callers } = await add(store, world, async (things) => {
      const made = [
        world.workspaceId,
        await things.workspace({ name: "Sandbox", environment: "development" }),
        await things.workspace({ name: "Stopped", environment: "production", state: "suspended" }),
        await things.workspace({ name: "More", environment: "production" }),
      ];
      const [, sandbox = "", , more = ""] = made;
      const inSandbox = await things.api(sandbox, { name: "x", state: "active" });
      const key = async (apiId: string, given: object) =>
        (await things.key(apiId, { name: "x", roles: ["custom"], ...given })).secret;
      return {
        ids: made,
        callers: [
          [world.admin.secret, 3],
          [world.viewer.secret, 3],
          [await key(inSandbox, { roles: ["admin"] }), 1],
          [await key(world.system, { roles: ["viewer"], workspaceIds: [more] }), 1],
          [await key(world.system, { permissions: ["workspace.*.read_api"] }), 3],
          [await key(world.system, { permissions: [`workspace.${more}.read_api`] }), 1],
          [await key(world.system, {}), 0],
        ] as const,
      };
    });
    for (const [secret, expected] of callers) {
      const readable: unknown[] = [];
      for (const workspaceId of [...ids, other.workspaceId]) {
        const { status, body } = await service.call("/v2/workspaces.getWorkspace", secret, { workspaceId });
        expect([200, 403, 404]).toContain(status);
        if (workspaceId === other.workspaceId) expect(status).toBe(404);
        if (status === 200) readable.push(body.data);
      }
      expect(readable).toHaveLength(expected);
      const listed: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page: object = cursor === null ? { limit: 1 } : { limit: 1, cursor };
        const answer: Answer = await service.call("/v2/workspaces.listWorkspaces", secret, page);
        const { data } = answer.body;
        expect(data.workspaces.length).toBeLessThanOrEqual(1);
        listed.push(...data.workspaces);
        cursor = data.nextCursor;
      } while (cursor !== null);
      const sorted = (views: readonly unknown[]) => views.map((view) => JSON.stringify(view)).sort();
      expect(sorted(listed)).toEqual(sorted(readable));
    }
    const forged = await service.call("/v2/workspaces.listWorkspaces", world.admin.secret, { cursor: "' or 1=1" });
    expect(forged.status).toBe(400);
    expect((await service.call("/v2/workspaces.listWorkspaces", undefined, {})).status).toBe(401);
  });

  test("a workspace is deleted once it has no APIs, by those who may", async () => {
    const world = await newAccount(store);
    const { secret } = world.admin;
    const create = { name: "Short-lived", environment: "production" };
    const { workspaceId } = (await service.call("/v2/workspaces.createWorkspace", secret, create)).body.data;
    const { apiId } = (await service.call("/v2/apis.createApi", secret, { workspaceId, name: "x" })).body.data;
    const remove = async (key: string, id = workspaceId) =>
      failureOf(await service.call("/v2/workspaces.deleteWorkspace", key, { workspaceId: id }));
    const read = () => service.call("/v2/workspaces.getWorkspace", secret, { workspaceId });
    expect((await read()).body.data.apiCount).toBe(1);
    const custom = (permissions: readonly string[]) =>
      add(store, world, (things) =>
        things.key(world.system, { name: "x", roles: ["custom"], permissions: [...permissions] }),
      );
    const deleter = await custom([`workspace.${workspaceId}.delete_workspace`]);
    expect(await remove(deleter.secret)).toBe("403 forbidden");
    expect(service.records.at(-1)).toMatchObject({ operation: "workspaces.deleteWithApis", outcome: "forbidden" });
    await service.call("/v2/apis.deleteApi", secret, { apiId });
    const lacking = "403 insufficient_permissions";
    expect(await remove(world.editor.secret)).toBe(lacking);
    expect(await remove((await custom(["workspace.*.create_workspace"])).secret)).toBe(lacking);
    const stranger = await newAccount(store);
    expect(await remove(stranger.admin.secret)).toBe("404 not_found");
    expect(await remove(deleter.secret, world.workspaceId)).toBe("403 forbidden");
    const stopped = await add(store, world, (things) =>
      things.workspace({ name: "Stopped", environment: "production", state: "suspended" }),
    );
    expect(await remove(secret, stopped)).toBe("403 forbidden");
    expect(await remove(deleter.secret)).toBe("ok");
    expect(await remove(deleter.secret)).toBe("404 not_found");
    expect((await read()).status).toBe(404);
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("an API that is created meanwhile keeps its workspace", async () => {
    const world = await newAccount(store);
    const { secret } = world.admin;
    for (let round = 0; round < 5; round++) {
      const create = { name: `Race ${round}`, environment: "production" };
      const { workspaceId } = (await service.call("/v2/workspaces.createWorkspace", secret, create)).body.data;
      const [made, gone] = await Promise.all([
        service.call("/v2/apis.createApi", secret, { workspaceId, name: "x" }),
        service.call("/v2/workspaces.deleteWorkspace", secret, { workspaceId }),
      ]);
      expect(["ok,403 forbidden", "404 not_found,ok"]).toContain([made, gone].map(failureOf).join());
    }
  });

  test("an account has as many workspaces as its limit, and a repeated request gets its answer", async () => {
    const world = await newAccount(store, { limitWorkspaces: 3 });
    const create = async (name: string, key = world.admin.secret, token = name) =>
      service.call(
        "/v2/workspaces.createWorkspace",
        key,
        { name, environment: "production" },
        {
          headers: { "idempotency-key": token },
        },
      );
    const all = await Promise.all(["one", "two", "three", "four"].map((name) => create(name)));
    expect(all.map(failureOf).sort()).toEqual(["403 forbidden", "403 forbidden", "ok", "ok"]);
    expect(service.records.filter(({ operation }) => operation === "workspaces.createBeyondLimit")).toHaveLength(2);
    expect(failureOf(await create("five", world.viewer.secret))).toBe("403 forbidden");
    const first = all.find(({ status }) => status === 200);
    const again = await create(first?.body.data.name);
    expect([again.status, again.body.data]).toEqual([200, first?.body.data]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const { workspaceId } = first?.body.data ?? {};
    expect(failureOf(await service.call("/v2/workspaces.deleteWorkspace", world.admin.secret, { workspaceId }))).toBe(
      "ok",
    );
    const counted = async () =>
      (await store.queries.select().from(accounts).where(eq(accounts.id, world.accountId)))[0]?.usedWorkspaces;
    expect(await counted()).toBe(2);
    expect(failureOf(await create("six"))).toBe("ok");
    expect([await counted(), failureOf(await create("seven"))]).toEqual([3, "403 forbidden"]);
  });
});
