/** Workspaces are read and listed by the keys that may list the APIs in them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { type Answer, type TestService, testService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

describeStores("workspaces", (open) => {
  let store: Store;
  let service: TestService;
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
  });
  afterAll(() => store.close());

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
});
