/** The operations: their effects, their answers, and the powers that they refuse to pass on. */

import { describe, expect, test } from "vitest";
import { newSecret } from "../src/auth/secret.js";
import { OPERATIONS, pathOf } from "../src/operations/index.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { codeOf, type TestService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("operations", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  useService(open, (made) => ({ store, service, world } = made));

  /** The data of a call that must succeed. */
  const done = async (path: string, key: string, body: unknown) => {
    const answer = await service.call(path, key, body);
    expect(answer.text).toMatch(/^\{"meta":\{"requestId":"req_\w{22}"\},"data":/);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toBe(answer.body.meta.requestId);
    return answer.body.data;
  };
  const code = async (path: string, key: string, body: unknown) => codeOf(await service.call(path, key, body));

  test("each answers under its own version alone", async () => {
    for (const operation of OPERATIONS) {
      const other = operation.version === "v1" ? "v2" : "v1";
      const answer = await service.call(`/${other}/${operation.name}`, world.admin.secret, {});
      expect([operation.name, answer.status, answer.body.error.title]).toEqual([operation.name, 404, "Not Found"]);
      expect((await service.call(pathOf(operation), undefined, {})).status).toBe(401);
    }
    expect(OPERATIONS.map(pathOf)).toContain("/v1/keys.createKey");
    expect(OPERATIONS.map(pathOf)).toContain("/v2/apis.deleteApi");
  });

  test("from a workspace to a key and back", async () => {
    const admin = world.admin.secret;
    const workspace = await done("/v2/workspaces.createWorkspace", admin, { name: "Life", environment: "production" });
    expect(workspace).toMatchObject({ name: "Life", environment: "production", state: "active" });
    const { workspaceId } = workspace;
    const api = await done("/v2/apis.createApi", admin, { workspaceId, name: "Billing" });
    expect(api).toMatchObject({ workspaceId, name: "Billing", state: "draft", keyCount: 0, deleteProtection: false });
    const { apiId } = api;
    expect(await code("/v1/keys.createKey", admin, { apiId, name: "x" })).toBe("forbidden");
    expect(await done("/v2/apis.updateApi", admin, { apiId, state: "active" })).toMatchObject({ state: "active" });
    const made = await done("/v1/keys.createKey", admin, { apiId, name: "Täst 🔑", roles: ["viewer"] });
    const { key: secret, ...view } = made;
    expect(secret).toMatch(/^kw_[0-9a-f]{16}_[\w-]{43}$/);
    expect(view).toMatchObject({ apiId, name: "Täst 🔑", roles: ["viewer"], workspaceIds: [workspaceId] });
    expect(await done("/v2/keys.getKey", admin, { keyId: made.keyId })).toEqual(view);
    expect(await done("/v2/apis.getApi", secret, { apiId })).toMatchObject({ keyCount: 1 });
    expect(await done("/v2/keys.whoami", secret, {})).toEqual({
      keyId: made.keyId,
      accountId: world.accountId,
      apiId,
      parentId: world.admin.keyId,
      name: "Täst 🔑",
      environment: "production",
      roles: ["viewer"],
      permissions: [],
      workspaceIds: [workspaceId],
      expiresAt: null,
    });
    expect(await done("/v2/apis.listKeys", secret, { apiId })).toEqual({ keys: [view], nextCursor: null });
    expect(await done("/v2/keys.deleteKey", admin, { keyId: made.keyId })).toEqual({});
    expect(await code("/v2/keys.whoami", secret, {})).toBe("invalid_key");
    expect(await code("/v2/keys.getKey", admin, { keyId: made.keyId })).toBe("not_found");
    expect(await done("/v2/apis.deleteApi", admin, { apiId })).toEqual({});
    expect(await code("/v2/apis.getApi", admin, { apiId })).toBe("not_found");
  });

  test("names of workspaces are unique in an account, and in no other", async () => {
    const body = { name: "Twice", environment: "production" };
    await done("/v2/workspaces.createWorkspace", world.admin.secret, body);
    const again = await service.call("/v2/workspaces.createWorkspace", world.admin.secret, body);
    expect([again.status, again.body.error.title]).toEqual([409, "Conflict"]);
    const other = await newAccount(store);
    await done("/v2/workspaces.createWorkspace", other.admin.secret, body);
  });

  test("a key for certain workspaces creates no others", async () => {
    const scoped = await add(store, world, (things) =>
      things.key(world.system, { name: "x", roles: ["admin"], workspaceIds: [world.workspaceId] }),
    );
    const path = "/v2/workspaces.createWorkspace";
    expect(await code(path, scoped.secret, { name: "More", environment: "production" })).toBe(
      "insufficient_permissions",
    );
    const permitted = await add(store, world, (things) =>
      things.key(world.system, { name: "x", roles: ["custom"], permissions: ["workspace.*.create_workspace"] }),
    );
    expect(await code(path, permitted.secret, { name: "More", environment: "production" })).toBe("ok");
  });

  test("APIs are listed by the page, in order, each once", async () => {
    const workspaceId = await add(store, world, (things) =>
      things.workspace({ name: "Many", environment: "production" }),
    );
    const made = await add(store, world, async (things) => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.push(await things.api(workspaceId, { name: `${i}`, state: "active" }));
      return ids;
    });
    const first = await done("/v2/apis.listApis", world.viewer.secret, { workspaceId, limit: 3 });
    const rest = await done("/v2/apis.listApis", world.viewer.secret, { workspaceId, cursor: first.nextCursor });
    const listed = [...first.apis, ...rest.apis].map(({ apiId }: { apiId: string }) => apiId);
    expect([listed, rest.nextCursor]).toEqual([[...made].sort(), null]);
    const forged = { workspaceId, cursor: "MTc=" };
    expect((await service.call("/v2/apis.listApis", world.viewer.secret, forged)).status).toBe(400);
  });

  describe("the last key that administers an account", () => {
    test("is not deleted or reduced, by nobody, until there is another; but it can be revoked", async () => {
      const own = await newAccount(store);
      const { keyId } = own.admin;
      for (const { secret } of [own.editor, own.admin, own.viewer]) {
        expect(await code("/v2/keys.deleteKey", secret, { keyId })).toBe("forbidden");
        expect(await code("/v2/keys.updateKey", secret, { keyId, roles: ["viewer"] })).toBe("forbidden");
        expect(service.records.at(-1)).toMatchObject({ platformReasons: ["delete_protected"] });
        expect(await code("/v2/keys.updateKey", secret, { keyId, state: "revoked" })).toBe("forbidden");
      }
      const more = { keyId, roles: ["admin", "viewer"] };
      expect(await code("/v2/keys.updateKey", own.admin.secret, more)).toBe("ok");
      // None of these keys can replace the last admin. The one of the other environment is itself the last admin there.
      const elsewhere = await add(store, own, async (things) => {
        await things.key(own.system, { name: "x", roles: ["admin"], workspaceIds: [own.workspaceId] });
        await things.key(own.system, { name: "x", roles: ["admin"], state: "disabled" });
        const sandbox = await things.workspace({ name: "Sandbox", environment: "development" });
        return await things.key(await things.api(sandbox, { name: "x" }), { name: "x", roles: ["admin"] });
      });
      expect(await code("/v2/keys.deleteKey", own.editor.secret, { keyId })).toBe("forbidden");
      expect(await code("/v2/keys.deleteKey", elsewhere.secret, { keyId: elsewhere.keyId })).toBe("forbidden");
      const may = { operation: "keys.deleteKey", keyId };
      const verified = await done("/v2/keys.verifyKey", own.viewer.secret, { key: own.editor.secret, may });
      expect(verified.outcome).toBe("forbidden");
      // A key that expires does not count as an admin who stays, and the last admin is protected from its deletion.
      const expiresAt = new Date(Date.now() + 3_600_000);
      await add(store, own, (things) => things.key(own.system, { name: "x", roles: ["admin"], expiresAt }));
      expect(await code("/v2/keys.deleteKey", own.admin.secret, { keyId })).toBe("forbidden");
      const second = await add(store, own, (things) => things.key(own.system, { name: "x", roles: ["admin"] }));
      expect(await code("/v2/keys.deleteKey", own.admin.secret, { keyId: second.keyId })).toBe("ok");
      expect(await code("/v2/keys.revokeKey", own.editor.secret, { keyId })).toBe("insufficient_permissions");
      expect(await code("/v2/keys.revokeKey", own.admin.secret, { keyId })).toBe("ok");
      expect(await code("/v2/keys.whoami", own.admin.secret, {})).toBe("invalid_key");
    });
  });

  test.each<[string, Parameters<typeof newAccount>[1]]>([
    ["on hold", { holds: ["abuse"] }],
    ["suspended", { status: "suspended" }],
  ])("a key that has leaked is revoked in an account that is %s", async (_, account) => {
    const own = await newAccount(store, account);
    const { keyId, secret } = own.viewer;
    expect(await code("/v2/keys.updateKey", own.admin.secret, { keyId, state: "revoked" })).toBe("forbidden");
    const other = { keyId: own.editor.keyId };
    expect(await code("/v2/keys.revokeKey", secret, other)).toBe("insufficient_permissions");
    for (let time = 0; time < 2; time++) {
      expect(await done("/v2/keys.revokeKey", own.editor.secret, { keyId })).toMatchObject({ state: "revoked" });
    }
    expect(await code("/v2/keys.whoami", secret, {})).toBe("invalid_key");
    // Every key may revoke itself, even one without permissions.
    const leaked = await add(store, own, (things) => things.key(own.system, { name: "x", roles: ["custom"] }));
    expect(await code("/v2/keys.revokeKey", leaked.secret, { keyId: leaked.keyId })).toBe("ok");
    const { body } = await service.call("/v2/apis.getApi", own.admin.secret, { apiId: own.system });
    expect(body.data.keyCount).toBe(2);
    const system = await add(store, own, (things) =>
      things.key(own.system, { name: "x", roles: ["custom"], system: true }),
    );
    expect(await code("/v2/keys.revokeKey", own.admin.secret, { keyId: system.keyId })).toBe("forbidden");
  });

  describe("a key is verified", () => {
    const verify = (key: string, body: object) => service.call("/v2/keys.verifyKey", key, body);

    test("with what it may do: the three outcomes", async () => {
      const [viewer, reader] = [world.viewer.secret, world.editor.secret];
      const ask = async (key: string, may: object) => (await done("/v2/keys.verifyKey", viewer, { key, may })).outcome;
      expect(await done("/v2/keys.verifyKey", viewer, { key: reader })).toEqual({
        ...{ valid: true, code: "valid", keyId: world.editor.keyId, outcome: null },
        ...{ rateLimit: null, credits: null, externalId: null, meta: null, productPermissions: [] },
      });
      expect(await ask(reader, { operation: "keys.createKey", apiId: world.active })).toBe("allow");
      expect(await ask(viewer, { operation: "keys.createKey", apiId: world.active })).toBe("insufficient_permissions");
      expect(await ask(world.admin.secret, { operation: "apis.deleteApi", apiId: world.system })).toBe("forbidden");
      expect(await ask(viewer, { operation: "apis.listApis", workspaceId: world.workspaceId })).toBe("allow");
      expect(await ask(viewer, { operation: "keys.getKey", keyId: world.admin.keyId })).toBe("allow");
      const none = await verify(viewer, { key: reader, may: { operation: "apis.getApi", apiId: "api_none" } });
      expect(none.status).toBe(404);
      const wrong = await verify(viewer, { key: reader, may: { operation: "apis.getApi", keyId: world.admin.keyId } });
      expect(wrong.status).toBe(400);
    });

    test("and one that is not valid is not, whatever is wrong with it", async () => {
      const other = await newAccount(store);
      const { secret } = world.editor;
      const more = { rateLimit: null, credits: null, externalId: null, meta: null };
      const invalid = { valid: false, outcome: null, ...more };
      const nothing = { ...invalid, code: "not_found", keyId: null, productPermissions: null };
      for (const key of ["x", `${secret.slice(0, -1)}_`, other.admin.secret, newSecret().secret]) {
        const may = { operation: "apis.getApi", apiId: world.active };
        expect(await done("/v2/keys.verifyKey", world.viewer.secret, { key, may })).toEqual(nothing);
      }
      const [revoked, expired] = await add(store, world, async (things) => [
        await things.key(world.system, { name: "x", roles: ["viewer"], state: "revoked" }),
        await things.key(world.system, { name: "x", roles: ["viewer"], expiresAt: new Date(Date.now() - 1_000) }),
      ]);
      for (const [{ secret: key, keyId }, code] of [
        [revoked, "revoked"],
        [expired, "expired"],
      ] as const) {
        expect(await done("/v2/keys.verifyKey", world.viewer.secret, { key })).toEqual({
          ...{ ...invalid, code, keyId, productPermissions: [] },
        });
      }
    });

    test("by a key that may, and no other", async () => {
      const custom = (permissions: string[]) =>
        add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], permissions }));
      const key = world.editor.secret;
      const [may, mayNot] = [await custom(["key.*.verify_key"]), await custom(["key.*.read_key"])];
      expect((await verify(may.secret, { key })).status).toBe(200);
      const refused = await verify(mayNot.secret, { key });
      expect([refused.status, refused.text.includes(key)]).toEqual([403, false]);
    });

    test("a key that may verify none is refused alike, whatever the secret, and each answer leaves a record", async () => {
      const custom = (permissions: string[], more: object = {}) =>
        add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], permissions, ...more }));
      const other = await newAccount(store);
      const { secret } = world.editor;
      const unknown = ["x", `${secret.slice(0, -1)}_`, other.admin.secret, newSecret().secret];
      const powerless = [
        await custom([]),
        await custom(["key.*.read_key", "api.*.update_key"]),
        await custom(["workspace.*.verify_key"]),
        await custom(["key.*.verify_key"], { workspaceIds: [] }),
      ];
      for (const { keyId, secret: caller } of powerless) {
        service.records.length = 0;
        const answers = [];
        for (const key of [secret, ...unknown]) answers.push(await verify(caller, { key }));
        const bodies = answers.map(({ status, body }) => ({ status, error: body.error }));
        expect(new Set(bodies.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(bodies[0])]));
        expect(bodies[0]).toMatchObject({
          status: 403,
          error: { type: expect.stringMatching(/insufficient_permissions$/) },
        });
        expect(service.records.map((record) => [record.operation, record.keyId, record.outcome])).toEqual(
          answers.map(() => ["keys.verifyKey", keyId, "insufficient_permissions"]),
        );
      }
      const able = [
        world.viewer,
        await custom(["key.*.verify_key"]),
        await custom([`api.${world.active}.verify_key`]),
        await custom(["key.key_none.verify_key"]),
        await custom(["key.*.verify_key"], { workspaceIds: ["ws_none", world.workspaceId] }),
      ];
      for (const { secret: caller } of able) {
        for (const key of unknown) {
          service.records.length = 0;
          const answer = { valid: false, code: "not_found", keyId: null, outcome: null };
          expect((await verify(caller, { key })).body.data).toMatchObject(answer);
          expect(service.records).toMatchObject([{ operation: "keys.verifyKey", outcome: "allow" }]);
          if (key.length > 20) expect(JSON.stringify(service.records)).not.toContain(key);
        }
      }
    });
  });

  test("keys are listed by the page, in order, each once", async () => {
    const apiId = await add(store, world, (things) => things.api(world.workspaceId, { name: "x", state: "active" }));
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      made.push((await done("/v1/keys.createKey", world.editor.secret, { apiId, name: `${i}` })).keyId);
    }
    const listed: string[] = [];
    let cursor: string | null = null;
    const sizes: number[] = [];
    do {
      const body = cursor === null ? { apiId, limit: 3 } : { apiId, limit: 3, cursor };
      const page = await done("/v2/apis.listKeys", world.viewer.secret, body);
      sizes.push(page.keys.length);
      listed.push(...page.keys.map(({ keyId }: { keyId: string }) => keyId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(sizes).toEqual([3, 3, 1]);
    expect(listed).toEqual(made);
    const forged = await service.call("/v2/apis.listKeys", world.viewer.secret, { apiId, cursor: "' or 1=1" });
    expect(forged.status).toBe(400);
  });

  test("revoking a key frees its place, keeps its record, and is for good", async () => {
    const tight = await newAccount(store, { limitKeys: 4 });
    const admin = tight.admin.secret;
    const made = await done("/v1/keys.createKey", admin, { apiId: tight.active, name: "x" });
    expect(await code("/v1/keys.createKey", admin, { apiId: tight.active, name: "y" })).toBe("forbidden");
    const { keyId } = made;
    expect(await done("/v2/keys.updateKey", admin, { keyId, state: "revoked" })).toMatchObject({ state: "revoked" });
    expect(await code("/v2/keys.whoami", made.key, {})).toBe("invalid_key");
    expect(await done("/v2/keys.getKey", admin, { keyId })).toMatchObject({ state: "revoked" });
    expect(await done("/v2/apis.getApi", admin, { apiId: tight.active })).toMatchObject({ keyCount: 0 });
    // Deleting the API also deletes the records of its revoked keys.
    expect(await code("/v2/apis.deleteApi", admin, { apiId: tight.active })).toBe("ok");
    expect(await code("/v2/keys.getKey", admin, { keyId })).toBe("not_found");
  });

  describe("a key passes on nothing that it may not do itself", () => {
    const create = (key: string, more: object) =>
      code("/v1/keys.createKey", key, { apiId: world.active, name: "x", ...more });

    test.each([
      ["an editor", "editor", { roles: ["viewer"] }, "ok"],
      ["an editor", "editor", { roles: ["editor", "viewer"] }, "ok"],
      ["an editor", "editor", { roles: ["admin"] }, "insufficient_permissions"],
      ["an editor", "editor", { permissions: ["api.*.create_key"] }, "ok"],
      ["an editor", "editor", { permissions: ["api.*.delete_api"] }, "insufficient_permissions"],
      ["an editor", "editor", { permissions: ["api.api_9.delete_api"] }, "insufficient_permissions"],
      ["an editor", "editor", { permissions: ["workspace.*.create_api"] }, "insufficient_permissions"],
      ["an editor", "editor", { permissions: ["key.key_9.update_key"] }, "ok"],
      ["an admin", "admin", { roles: ["admin"], workspaceIds: ["*"] }, "ok"],
      ["an admin", "admin", { permissions: ["workspace.*.create_workspace"], workspaceIds: ["*"] }, "ok"],
    ] as const)("%s gives %#", async (_, who, more, expected) => {
      expect(await create(world[who].secret, more)).toBe(expected);
    });

    test("neither a wider reach than its own, nor more than its permissions", async () => {
      const [scoped, limited] = await add(store, world, async (things) => [
        await things.key(world.system, { name: "x", roles: ["admin"], workspaceIds: [world.workspaceId] }),
        await things.key(world.system, {
          name: "x",
          roles: ["custom"],
          permissions: [`api.${world.active}.create_key`, `api.${world.active}.read_key`],
        }),
      ]);
      expect(await create(scoped.secret, { roles: ["viewer"], workspaceIds: ["*"] })).toBe("insufficient_permissions");
      expect(await create(scoped.secret, { roles: ["viewer"] })).toBe("ok");
      const one = [`api.${world.active}.read_key`];
      expect(await create(limited.secret, { permissions: one })).toBe("ok");
      expect(await create(limited.secret, { permissions: ["api.*.read_key"] })).toBe("insufficient_permissions");
      expect(await create(limited.secret, { roles: ["viewer"] })).toBe("insufficient_permissions");
    });

    test("nor, when it changes a key, beyond what it may", async () => {
      const own = await add(store, world, (things) => things.key(world.system, { name: "x", roles: ["editor"] }));
      const { keyId } = own;
      const update = (key: string, changes: object) => code("/v2/keys.updateKey", key, { keyId, ...changes });
      const editor = world.editor.secret;
      expect(await update(editor, { roles: ["viewer"], permissions: ["api.*.create_key"] })).toBe("ok");
      expect(await update(editor, { roles: ["admin"] })).toBe("insufficient_permissions");
      expect(await update(editor, { state: "disabled" })).toBe("ok");
      expect(await update(editor, { state: "enabled" })).toBe("ok");
      expect(await update(editor, { state: "disabled" })).toBe("ok");
      expect(await update(world.admin.secret, { roles: ["admin"] })).toBe("ok");
      expect(await update(editor, { state: "enabled" })).toBe("insufficient_permissions");
      expect(await update(world.admin.secret, { state: "enabled" })).toBe("ok");
      const wider = { keyId: world.editor.keyId, roles: ["admin"] };
      expect(await code("/v2/keys.updateKey", editor, wider)).toBe("insufficient_permissions");
    });

    test("and the record says so: refused, as the maker is refused that itself", async () => {
      service.records.length = 0;
      expect(await create(world.editor.secret, { roles: ["admin"] })).toBe("insufficient_permissions");
      const { keyId } = world.viewer;
      const change = { keyId, roles: ["admin"] };
      expect(await code("/v2/keys.updateKey", world.editor.secret, change)).toBe("insufficient_permissions");
      const refusal = {
        keyId: world.editor.keyId,
        outcome: "insufficient_permissions",
        permissionEffect: "deny",
        permissionReasons: ["not_granted"],
        platformEffect: "allow",
        exceeding: { operation: "apis.updateApi", kind: "api" },
      };
      expect(service.records).toMatchObject([
        { ...refusal, operation: "keys.createKey", resourceId: world.active },
        { ...refusal, operation: "keys.updateKey", resourceId: keyId },
      ]);
    });

    describe("nor changes a key that may do more", () => {
      const changes: readonly (readonly [string, object])[] = [
        ["keys.updateKey", { roles: ["custom"] }],
        ["keys.updateKey", { permissions: [] }],
        ["keys.updateKey", { state: "disabled" }],
        ["keys.updateKey", { state: "revoked" }],
        ["keys.deleteKey", {}],
        ["keys.revokeKey", {}],
      ];
      const custom = ["custom"] as const;
      const holders: readonly (readonly [string, KeyOptions, KeyOptions, string])[] = [
        ["an editor, an admin", { roles: ["editor"] }, { roles: ["admin"] }, "insufficient_permissions"],
        ["an editor, an editor", { roles: ["editor"] }, { roles: ["editor"] }, "ok"],
        [
          "an editor, a disabled admin",
          { roles: ["editor"] },
          { roles: ["admin"], state: "disabled" },
          "insufficient_permissions",
        ],
        [
          "a key for keys, a viewer",
          { roles: custom, permissions: ["key.*.update_key", "key.*.delete_key"] },
          { roles: ["viewer"] },
          "insufficient_permissions",
        ],
        [
          "a key for keys, a key for less",
          { roles: custom, permissions: ["key.*.update_key", "key.*.delete_key"] },
          { roles: custom, permissions: ["key.key_9.update_key"] },
          "ok",
        ],
        [
          "an admin of one workspace, an admin",
          { roles: ["admin"], workspaceIds: ["own"] },
          { roles: ["admin"] },
          "insufficient_permissions",
        ],
        [
          "an admin, an admin of one workspace",
          { roles: ["admin"] },
          { roles: ["admin"], workspaceIds: ["own"] },
          "ok",
        ],
      ];
      test.each(holders)("%s", async (_, changer, changed, expected) => {
        const make = ({ workspaceIds, ...more }: KeyOptions) =>
          add(store, world, (things) => {
            const reach = workspaceIds === undefined ? {} : { workspaceIds: [world.workspaceId] };
            return things.key(world.system, { name: "x", ...more, roles: [...more.roles], ...reach });
          });
        const { secret } = await make(changer);
        for (const [operation, change] of changes) {
          const { keyId, secret: key } = await make(changed);
          const isUsable = changed.state === undefined;
          const may = { operation, keyId };
          const { outcome } = await done("/v2/keys.verifyKey", world.admin.secret, { key: secret, may });
          expect([operation, outcome]).toEqual([operation, expected === "ok" ? "allow" : expected]);
          expect([operation, await code(`/v2/${operation}`, secret, { keyId, ...change })]).toEqual([
            operation,
            expected,
          ]);
          const after = await code("/v2/keys.whoami", key, {});
          if (expected !== "ok") expect(after).toBe(isUsable ? "ok" : "invalid_key");
        }
      });

      test("not by a permission for that key alone: the record says what it lacks", async () => {
        const own = await newAccount(store);
        const { keyId } = own.admin;
        const body = { apiId: own.active, name: "x", permissions: [`key.${keyId}.update_key`], workspaceIds: ["*"] };
        const { key } = await done("/v1/keys.createKey", own.admin.secret, body);
        expect(await code("/v2/keys.revokeKey", key, { keyId })).toBe("insufficient_permissions");
        expect(service.records.at(-1)).toMatchObject({
          operation: "keys.revokeKey",
          resourceId: keyId,
          outcome: "insufficient_permissions",
          platformEffect: "allow",
          exceeding: { operation: "apis.getApi", kind: "api" },
        });
        expect(await code("/v2/keys.whoami", own.admin.secret, {})).toBe("ok");
      });
    });

    test("workspaces of others are none", async () => {
      const other = await newAccount(store);
      const answers = await Promise.all(
        [other.workspaceId, "ws_none"].map((id) =>
          service.call("/v1/keys.createKey", world.admin.secret, {
            apiId: world.active,
            name: "x",
            workspaceIds: [id],
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(answers[0]?.body.error).toEqual(answers[1]?.body.error);
    });
  });

  test("a decision record a decision, without attributes", async () => {
    service.records.length = 0;
    const answer = await service.call("/v2/keys.getKey", world.viewer.secret, { keyId: world.admin.keyId });
    expect(service.records).toEqual([
      {
        keyRoles: ["viewer"],
        permissionPolicy: "resource.key.vdefault",
        platformPolicy: "resource.key.vplatform",
        requestId: answer.body.meta.requestId,
        keyId: world.viewer.keyId,
        operation: "keys.getKey",
        resourceKind: "key",
        resourceId: world.admin.keyId,
        accountId: world.accountId,
        outcome: "allow",
        permissionEffect: "allow",
        permissionRules: ["resource.key.vdefault#role_may_read"],
        permissionReasons: ["role_may_read"],
        permissionErrors: [],
        platformEffect: "allow",
        platformRules: ["resource.key.vplatform#supported"],
        platformReasons: ["supported"],
        platformErrors: [],
        policySetHash: service.policies.current.hash,
        durationMs: expect.any(Number),
      },
    ]);
    const line = service.logged.map((text) => JSON.parse(text)).findLast(({ msg }) => msg === "request");
    expect(line).toMatchObject({ requestId: answer.body.meta.requestId, keyId: world.viewer.keyId, status: 200 });
  });
});

interface KeyOptions {
  readonly roles: readonly ("viewer" | "editor" | "admin" | "custom")[];
  readonly permissions?: string[];
  readonly workspaceIds?: string[];
  readonly state?: "disabled";
}
