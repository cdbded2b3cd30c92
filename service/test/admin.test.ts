/** The operator's actions: each takes effect at once, leaves an entry in the audit chain, and tells no secret. */

import { describe, expect, test } from "vitest";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { readAdminCommand } from "../src/operator/command.js";
import { asText } from "../src/operator/print.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import type { TestService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("admin", (open) => {
  let store: Store;
  let service: TestService;
  useService(open, (made) => ({ store, service } = made));

  const admin = async (...args: string[]) => JSON.parse(await readAdminCommand([...args, "--format", "json"])(store));
  const by = ["--operator", "alice", "--reason", "ticket 7"];
  const status = async (path: string, { secret }: { secret: string }, body: object) =>
    (await service.call(path, secret, body)).status;
  const create = ({ admin, active }: World) => status("/v1/keys.createKey", admin, { apiId: active, name: "x" });
  const entries = async ({ accountId }: World) => {
    const list: Record<string, unknown>[] = [];
    for await (const { entry } of chainOf(store, accountId)) list.push(JSON.parse(entry));
    return list;
  };
  const lastEntry = async (world: World) => (await entries(world)).at(-1);

  test("accounts: suspended, and active again", async () => {
    const world = await newAccount(store);
    const { accountId } = world;
    const suspended = await admin("accounts", "suspend", accountId, ...by);
    expect(suspended).toEqual({
      changed: true,
      account: {
        accountId,
        plan: "pro",
        status: "suspended",
        holds: [],
        limits: { apis: 100, keys: 1_000, workspaces: 100 },
        usage: { apis: 2, keys: 3, workspaces: 1 },
      },
    });
    expect(await create(world)).toBe(403);
    expect((await entries(world))[0]).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      operator: "alice",
      reason: "ticket 7",
      command: "accounts.suspend",
      accountId,
      resourceKind: "account",
      resourceId: accountId,
      before: { status: "active" },
      change: { status: "suspended" },
    });
    // Again, it changes nothing, and is no entry.
    const length = (await entries(world)).length;
    expect(await admin("accounts", "suspend", accountId, ...by)).toEqual({ ...suspended, changed: false });
    expect(await entries(world)).toHaveLength(length);
    expect((await admin("accounts", "lift", accountId, ...by)).account.status).toBe("active");
    expect(await create(world)).toBe(200);
    // Lifting a suspension leaves other states alone.
    await admin("accounts", "update", accountId, "--status", "past_due", ...by);
    expect((await admin("accounts", "lift", accountId, ...by)).account.status).toBe("past_due");
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("accounts: plan and limits", async () => {
    const world = await newAccount(store);
    const { accountId } = world;
    const { account } = await admin("accounts", "update", accountId, "--plan", "enterprise", "--keys", "3", ...by);
    expect(account).toMatchObject({ plan: "enterprise", limits: { apis: 100, keys: 3 } });
    expect(await create(world)).toBe(403);
    await admin("accounts", "update", accountId, "--keys", "4", ...by);
    expect(await create(world)).toBe(200);
    expect(await admin("accounts", "get", accountId)).toMatchObject({
      account: { limits: { keys: 4 }, usage: { keys: 4 } },
    });
    expect((await entries(world))[0]).toMatchObject({
      before: { plan: "pro", limitKeys: 1_000 },
      change: { plan: "enterprise", limitKeys: 3 },
    });
  });

  test("accounts: holds, one beside another", async () => {
    const world = await newAccount(store);
    const { accountId } = world;
    await admin("accounts", "hold", accountId, "--hold", "legal", ...by);
    expect((await admin("accounts", "hold", accountId, "--hold", "billing", ...by)).account.holds).toEqual([
      "legal",
      "billing",
    ]);
    expect((await admin("accounts", "release", accountId, "--hold", "legal", ...by)).account.holds).toEqual([
      "billing",
    ]);
    expect(await create(world)).toBe(403);
    await admin("accounts", "release", accountId, "--hold", "billing", ...by);
    expect(await create(world)).toBe(200);
    expect((await admin("accounts", "release", accountId, "--hold", "billing", ...by)).changed).toBe(false);
  });

  test("workspaces and APIs: suspensions by the platform", async () => {
    const world = await newAccount(store);
    const { workspaceId, active, accountId } = world;
    for (const [group, id] of [
      ["workspaces", workspaceId],
      ["apis", active],
    ] as const) {
      expect((await admin(group, "suspend", id, ...by)).changed).toBe(true);
      expect(await create(world)).toBe(403);
      const { apis } = await admin("apis", "list", "--account", accountId);
      expect(apis.find(({ apiId }: { apiId: string }) => apiId === active)).toMatchObject({
        state: group === "apis" ? "suspended" : "active",
        stateInForce: "suspended",
      });
      expect((await admin(group, "lift", id, ...by)).changed).toBe(true);
      expect(await create(world)).toBe(200);
    }
    const deleting = await add(store, world, (things) => things.api(workspaceId, { name: "x", state: "deleting" }));
    await expect(admin("apis", "suspend", deleting, ...by)).rejects.toThrow("the API is being deleted");
    expect((await admin("apis", "lift", deleting, ...by)).changed).toBe(false);
    expect((await admin("workspaces", "list", "--account", accountId)).workspaces).toMatchObject([
      { workspaceId, state: "active" },
    ]);
  });

  test("keys: found and revoked by the beginning of a secret, and never shown with one", async () => {
    const world = await newAccount(store);
    const { keyId, secret } = world.editor;
    const prefix = secret.slice(0, 19);
    const { key } = await admin("keys", "get", prefix);
    expect(key).toMatchObject({ keyId, prefix, state: "enabled", accountId: world.accountId });
    expect(await admin("keys", "get", keyId)).toEqual({ key });
    const revoked = await admin("keys", "revoke", prefix, ...by);
    expect(revoked).toEqual({ changed: true, key: { ...key, state: "revoked", stateInForce: "revoked" } });
    expect(await status("/v2/keys.whoami", world.editor, {})).toBe(401);
    expect((await admin("accounts", "get", world.accountId)).account.usage.keys).toBe(2);
    expect((await admin("keys", "revoke", keyId, ...by)).changed).toBe(false);
    const shown = JSON.stringify([await admin("keys", "list", "--account", world.accountId), await entries(world)]);
    for (const each of [world.admin, world.editor, world.viewer]) expect(shown).not.toContain(each.secret.slice(20));
    expect(shown).not.toMatch(/[0-9a-f]{64}/);
  });

  test("keys: issued in the name of the operator", async () => {
    const world = await newAccount(store);
    const { key, keyId } = await admin("keys", "issue", "--account", world.accountId, ...by);
    expect(await status("/v2/keys.whoami", { secret: key }, {})).toBe(200);
    expect(await lastEntry(world)).toMatchObject({ operator: "alice", command: "keys.issue", change: { keyId } });
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("lists come in pages, each row once", async () => {
    const world = await newAccount(store);
    const list = async (...args: string[]) => {
      const ids: string[] = [];
      for (let after: string | null = ""; after !== null; ) {
        const from: string[] = after === "" ? [] : ["--after", after];
        const { keys, next } = await admin("keys", "list", "--account", world.accountId, ...args, ...from);
        ids.push(...keys.map(({ keyId }: { keyId: string }) => keyId));
        after = next;
      }
      return ids;
    };
    const own = [world.admin, world.editor, world.viewer].map(({ keyId }) => keyId).sort();
    for (const limit of ["1", "2", "3", "100"]) expect(await list("--limit", limit)).toEqual(own);
    await admin("accounts", "suspend", world.accountId, ...by);
    const { accounts } = await admin("accounts", "list", "--status", "suspended", "--limit", "1000");
    expect(accounts.map(({ accountId }: { accountId: string }) => accountId)).toContain(world.accountId);
    expect(new Set(accounts.map((account: { status: string }) => account.status))).toEqual(new Set(["suspended"]));
  });

  test("changes at the same time are made one after another", async () => {
    const world = await newAccount(store);
    const holds = Array.from({ length: 8 }, (_, i) => `hold_${i}`);
    await Promise.all(holds.map((hold) => admin("accounts", "hold", world.accountId, "--hold", hold, ...by)));
    expect((await admin("accounts", "get", world.accountId)).account.holds.sort()).toEqual(holds);
    expect(await entries(world)).toHaveLength(8);
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  test("resources that do not exist", async () => {
    for (const [kind, ...args] of [
      ["account", "accounts", "get", "acc_none"],
      ["account", "accounts", "suspend", "acc_none", ...by],
      ["account", "keys", "list", "--account", "acc_none"],
      ["account", "keys", "issue", "--account", "acc_none", ...by],
      ["workspace", "workspaces", "suspend", "ws_none", ...by],
      ["api", "apis", "lift", "api_none", ...by],
      ["key", "keys", "revoke", "key_none", ...by],
      ["key with the prefix", "keys", "get", "kw_0123456789abcdef"],
    ] as const) {
      await expect(admin(...args)).rejects.toThrow(`there is no ${kind} `);
    }
  });
});

describe("arguments", () => {
  test.each([
    ["", "usage: admin GROUP COMMAND"],
    ["accounts", 'there is no command "admin accounts"'],
    ["accounts delete acc_1", 'there is no command "admin accounts delete"'],
    ["accounts get", "ID: is required"],
    ["accounts get acc_1 acc_2", 'unexpected argument "acc_2"'],
    ["accounts list acc_1", 'unexpected argument "acc_1"'],
    ["accounts get acc_1 --operator alice", "Unknown option '--operator'"],
    ["accounts get acc_1 --format yaml", "--format: must be text or json"],
    ["accounts suspend acc_1", "--operator: is required"],
    ["accounts suspend acc_1 --operator", "--operator"],
    ["accounts suspend acc_1 --operator=", "--operator: must be 1 to 100"],
    ["accounts update acc_1 --operator alice --plan gold", "--plan: "],
    ["accounts update acc_1 --operator alice --keys -1", "--keys"],
    ["accounts update acc_1 --operator alice --keys=", "--keys: must be a whole number"],
    ["accounts update acc_1 --operator alice --keys 1e3", "--keys: must be a whole number"],
    ["accounts update acc_1 --operator alice --keys 9999999999", "--keys: "],
    ["accounts hold acc_1 --operator alice", "--hold: is required"],
    ["accounts hold acc_1 --operator alice --hold Legal", "--hold: must be a word"],
    ["keys list", "--account: is required"],
    ["keys list --account acc_1 --limit 0", "--limit: "],
    [`keys get kw_0123456789abcdef_${"x".repeat(43)}`, "ID: must not be a secret"],
    [`keys revoke kw_0123456789abcdef_${"x".repeat(43)} --operator alice`, "ID: must not be a secret"],
  ])("%s", (line, message) => {
    expect(() => readAdminCommand(line.split(" ").filter((word) => word !== ""))).toThrow(message);
  });

  test("a change without a property to set is refused", async () => {
    const none = { run: async () => [], ping: async () => {} };
    await expect(readAdminCommand(["accounts", "update", "acc_1", "--operator", "a"])(none)).rejects.toThrow(
      "nothing to set",
    );
  });
});

test("as text: a table, or one value a line; characters that a terminal would obey are escaped", () => {
  expect(
    asText({
      apis: [
        { apiId: "api_1", name: "a" },
        { apiId: "api_22", name: "\u001b[2Jb\u202e" },
      ],
      next: null,
    }),
  ).toBe("apiId   name\napi_1   a\napi_22  \\u{1b}[2Jb\\u{202e}\nnext: -\n");
  expect(asText({ changed: true, account: { holds: ["a", "b"], limits: { apis: 1, keys: 2 }, none: [] } })).toBe(
    "changed: true\nholds: a,b\nlimits: apis=1 keys=2\nnone: -\n",
  );
  expect(asText({ keys: [], next: null })).toBe("keys: none\nnext: -\n");
});
