/** Keys that make keys: nobody passes on a power that it lacks, and no key does more than the keys above it. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shippedCopy } from "../../test/support/directory.js";
import { createLogger } from "../src/observability/logger.js";
import { embeddedDecider } from "../src/policies/decider.js";
import { openPolicies } from "../src/policies/policies.js";
import { StoreUnavailable } from "../src/store/faults.js";
import { KEY_WITH_ANCESTORS } from "../src/store/snapshots.js";
import type { Statement } from "../src/store/statement.js";
import type { ParameterValue, Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { codeOf, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

/** A copy of the shipped policies, with `from` replaced in one file. */
function edited(path: string, from: string, to: string): string {
  const directory = shippedCopy();
  const file = join(directory, path);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replaceAll(from, to));
  return directory;
}

describeStores("keys that make keys", (open) => {
  let store: Store;
  let service: TestService;
  let world: World;
  let apiId: string;
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
  });
  beforeAll(async () => {
    world = await newAccount(store);
    apiId = await add(store, world, (things) => things.api(world.workspaceId, { name: "Api", state: "active" }));
  });
  afterAll(() => store.close());

  const code = async (path: string, key: string, body: unknown, by = service) => codeOf(await by.call(path, key, body));
  interface Made {
    readonly keyId: string;
    readonly key: string;
    readonly parentId: string | null;
  }
  const make = async (key: string, more: object, by = service): Promise<Made> => {
    const { status, body } = await by.call("/v1/keys.createKey", key, { apiId, name: "x", ...more });
    expect(status).toBe(200);
    return body.data;
  };
  const EVERYWHERE = { workspaceIds: ["*"] };
  const permits = (...permissions: readonly string[]) => ({ permissions });

  /** A key that an operator made. */
  const root = (more: object) =>
    add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], ...more }));

  describe("a child", () => {
    test("names its parent: the key that made it", async () => {
      const child = await make(world.admin.secret, { roles: ["editor"] });
      expect(child.parentId).toBe(world.admin.keyId);
      const read = await service.call("/v2/keys.getKey", world.admin.secret, { keyId: child.keyId });
      expect(read.body.data.parentId).toBe(world.admin.keyId);
      expect((await service.call("/v2/keys.whoami", child.key, {})).body.data.parentId).toBe(world.admin.keyId);
      expect((await service.call("/v2/keys.whoami", world.admin.secret, {})).body.data.parentId).toBeNull();
    });

    test("loses with its next request what its parent loses", async () => {
      const parent = await root({ permissions: ["api.*.create_key", "api.*.read_api"] });
      const child = await make(parent.secret, permits("api.*.read_api"));
      expect(await code("/v2/apis.getApi", child.key, { apiId })).toBe("ok");
      const reduced = { keyId: parent.keyId, permissions: ["api.*.create_key"] };
      expect(await code("/v2/keys.updateKey", world.admin.secret, reduced)).toBe("ok");
      expect(await code("/v2/apis.getApi", child.key, { apiId })).toBe("insufficient_permissions");
      expect(service.records.at(-1)).toMatchObject({ keyId: child.keyId, refusedBy: parent.keyId });
      const listed = await service.call("/v2/apis.listApis", child.key, { workspaceId: world.workspaceId });
      expect(listed.status).toBe(403);
    });

    test.each(["revoked", "disabled", "deleted", "expired"])(
      "may do nothing below a key that is %s, but revoke itself",
      async (how) => {
        const parent = await root({ permissions: ["api.*.create_key", "api.*.read_api", "api.*.read_key"] });
        const child = await make(parent.secret, permits("api.*.create_key", "api.*.read_api", "api.*.read_key"));
        const below = await make(child.key, permits("api.*.read_api"));
        for (const { key } of [child, below]) expect(await code("/v2/apis.getApi", key, { apiId })).toBe("ok");
        const { keyId } = parent;
        const end = {
          revoked: () => code("/v2/keys.revokeKey", world.admin.secret, { keyId }),
          disabled: () => code("/v2/keys.updateKey", world.admin.secret, { keyId, state: "disabled" }),
          deleted: () => code("/v2/keys.deleteKey", world.admin.secret, { keyId }),
          expired: async () => {
            const text = "update keys set expires_at = now() where id = $1";
            await store.run({ name: "expire", text, isOwn: true }, [keyId]);
            return "ok";
          },
        }[how];
        expect(await end?.()).toBe("ok");
        for (const { key, keyId } of [below, child]) {
          expect(await code("/v2/apis.getApi", key, { apiId })).toBe("insufficient_permissions");
          expect(await code("/v1/keys.createKey", key, { apiId, name: "x" })).toBe("insufficient_permissions");
          expect(await code("/v2/apis.listKeys", key, { apiId })).toBe("insufficient_permissions");
          // What the platform forbids stays forbidden.
          expect(await code("/v2/apis.deleteApi", key, { apiId: world.system })).toBe("forbidden");
          expect(await code("/v2/keys.revokeKey", key, { keyId })).toBe("ok");
        }
      },
    );

    test("is listed, and lists, within what its parent may", async () => {
      const parent = await root({ permissions: ["api.*.create_key", "api.*.read_key"] });
      const child = await make(parent.secret, permits("api.*.read_key"));
      const all = await service.call("/v2/apis.listKeys", child.key, { apiId });
      expect(all.body.data.keys.length).toBeGreaterThan(0);
      const reduced = { keyId: parent.keyId, permissions: [`api.${apiId}.read_key`, `key.${child.keyId}.read_key`] };
      expect(await code("/v2/keys.updateKey", world.admin.secret, reduced)).toBe("ok");
      const permitted = await service.call("/v2/apis.listKeys", child.key, { apiId });
      expect(permitted.body.data).toEqual(all.body.data);
      const none = { keyId: parent.keyId, permissions: ["api.other.read_key"] };
      expect(await code("/v2/keys.updateKey", world.admin.secret, none)).toBe("ok");
      expect(await code("/v2/apis.listKeys", child.key, { apiId })).toBe("insufficient_permissions");
    });

    test("is verified by its chain", async () => {
      const parent = await root({ permissions: ["api.*.create_key", "api.*.read_api"] });
      const child = await make(parent.secret, permits("api.*.read_api"));
      const ask = async () => {
        const may = { operation: "apis.getApi", apiId };
        const { body } = await service.call("/v2/keys.verifyKey", world.admin.secret, { key: child.key, may });
        return body.data.outcome;
      };
      expect(await ask()).toBe("allow");
      const reduced = { keyId: parent.keyId, permissions: ["api.*.create_key"] };
      expect(await code("/v2/keys.updateKey", world.admin.secret, reduced)).toBe("ok");
      expect(await ask()).toBe("insufficient_permissions");
    });
  });

  describe("parentId", () => {
    test("may be a key below the maker", async () => {
      const editor = await make(world.admin.secret, { roles: ["editor"] });
      const made = await make(world.admin.secret, { roles: ["viewer"], parentId: editor.keyId });
      expect(made.parentId).toBe(editor.keyId);
      expect(await code("/v2/apis.getApi", made.key, { apiId })).toBe("ok");
      expect(await code("/v2/keys.revokeKey", world.admin.secret, { keyId: editor.keyId })).toBe("ok");
      expect(await code("/v2/apis.getApi", made.key, { apiId })).toBe("insufficient_permissions");
    });

    test("is no other key", async () => {
      const other = await newAccount(store);
      const editor = await make(world.admin.secret, { roles: ["editor"] });
      const below = await make(editor.key, {});
      const asked = (parentId: unknown) => ({ apiId, name: "x", parentId });
      for (const parentId of ["key_missing", other.admin.keyId, world.admin.keyId]) {
        expect(await code("/v1/keys.createKey", editor.key, asked(parentId))).toBe("invalid_body");
      }
      expect(await code("/v1/keys.createKey", below.key, asked(editor.keyId))).toBe("insufficient_permissions");
      for (const parentId of [null, 7, "", "*"]) {
        expect(await code("/v1/keys.createKey", editor.key, asked(parentId))).toBe("invalid_body");
      }
    });

    test("is not changed: there are no cycles", async () => {
      const child = await make(world.admin.secret, { roles: ["editor"] });
      const cycle = { keyId: world.admin.keyId, parentId: child.keyId };
      expect(await code("/v2/keys.updateKey", world.admin.secret, cycle)).toBe("invalid_body");
    });

    test("a chain has five keys at most", async () => {
      let { secret } = world.admin;
      for (let keys = 2; keys <= 5; keys++) secret = (await make(secret, { roles: ["editor"] })).key;
      expect(await code("/v2/apis.getApi", secret, { apiId })).toBe("ok");
      expect(await code("/v1/keys.createKey", secret, { apiId, name: "x" })).toBe("invalid_body");
    });

    test.each<[what: string, parentOf: (child: Made) => Promise<string>]>([
      ["is missing", async () => "key_missing"],
      ["is of another account", async () => (await newAccount(store)).admin.keyId],
      ["is below the key: a cycle", async (child) => child.keyId],
      [
        "has a chain that is as long as can be",
        async () => {
          let last = await make(world.admin.secret, { roles: ["editor"] });
          for (let keys = 3; keys <= 5; keys++) last = await make(last.key, { roles: ["editor"] });
          return last.keyId;
        },
      ],
    ])("a key whose parent in the store %s may do nothing", async (_, parentOf) => {
      const first = await make(world.admin.secret, { roles: ["editor"] });
      const second = await make(first.key, { roles: ["editor"] });
      const text = "update keys set parent_id = $2 where id = $1";
      await store.run({ name: "reparent", text, isOwn: true }, [first.keyId, await parentOf(second)]);
      for (const { key, keyId } of [second, first]) {
        expect(await code("/v2/apis.getApi", key, { apiId })).toBe("insufficient_permissions");
        expect(await code("/v1/keys.createKey", key, { apiId, name: "x" })).toBe("insufficient_permissions");
        expect(await code("/v2/keys.revokeKey", key, { keyId })).toBe("ok");
      }
    });
  });

  describe("a parent that cannot be read denies", () => {
    /** A service with a store that fails, or answers otherwise, where it reads the keys above a key. */
    const reading = (answer: (rows: readonly object[]) => readonly object[]) =>
      testService(store, {
        store: {
          ...store,
          run: async <Row extends object>(statement: Statement, values: readonly ParameterValue[]) => {
            const rows = await store.run<Row>(statement, values);
            return statement.text.includes("with recursive up") ? JSON.parse(JSON.stringify(answer(rows))) : rows;
          },
        },
      });
    const unreadable = () => {
      throw new StoreUnavailable("the keys above a key", { cause: new Error("no answer") });
    };
    const count = async () => (await store.run({ name: "count", text: "select id from keys", isOwn: true }, [])).length;

    test("a store that does not answer", async () => {
      const parent = await make(world.admin.secret, { roles: ["editor"] });
      const child = await make(parent.key, permits("api.*.read_api"));
      const failing = await reading(unreadable);
      const before = await count();
      expect(await code("/v2/apis.getApi", child.key, { apiId }, failing)).toBe("unavailable");
      const below = { apiId, name: "x", parentId: parent.keyId };
      expect(await code("/v1/keys.createKey", world.admin.secret, below, failing)).toBe("unavailable");
      expect(await count()).toBe(before);
      expect(await code("/v2/apis.getApi", child.key, { apiId })).toBe("ok");
    });

    test("only the parent of a new key cannot be read", async () => {
      const parent = await make(world.admin.secret, { roles: ["editor"] });
      const failing = await testService(store, {
        store: {
          ...store,
          run: async (statement, values) =>
            statement.name === KEY_WITH_ANCESTORS.name ? unreadable() : await store.run(statement, values),
        },
      });
      const before = await count();
      const below = { apiId, name: "x", parentId: parent.keyId };
      expect(await code("/v1/keys.createKey", world.admin.secret, below, failing)).toBe("unavailable");
      expect(await count()).toBe(before);
    });

    test("a key is missing in the middle of the chain", async () => {
      const grandparent = await make(world.admin.secret, { roles: ["editor"] });
      const parent = await make(grandparent.key, permits("api.*.create_key", "api.*.read_api"));
      const child = await make(parent.key, permits("api.*.read_api"));
      const gaps = await reading((rows) =>
        rows.map((row) => {
          const { caller, ...rest }: { caller?: { ancestors: readonly { id: string }[] } } = row;
          const ancestors = caller?.ancestors.filter(({ id }) => id !== parent.keyId);
          return { ...rest, ...(caller && { caller: { ...caller, ancestors } }) };
        }),
      );
      expect(await code("/v2/apis.getApi", child.key, { apiId })).toBe("ok");
      expect(await code("/v2/apis.getApi", child.key, { apiId }, gaps)).toBe("insufficient_permissions");
      for (const { key } of [parent, grandparent])
        expect(await code("/v2/apis.getApi", key, { apiId }, gaps)).toBe("ok");
    });
  });

  describe("nobody passes on, or changes, more than it may", () => {
    test("whatever the rules read: a tightened rule", async () => {
      const directory = edited(
        "permissions/api.yaml",
        'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
        'V.in_reach && R.attr.state == "draft" && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
      );
      const policies = await openPolicies(directory, createLogger("silent", { write: () => {} }));
      const tightened = await testService(store, { policies, decider: embeddedDecider(policies) });
      const maker = await root({ permissions: ["api.*.create_key"] });
      const asked = (permission: string) => ({ apiId, name: "x", ...permits(permission), ...EVERYWHERE });
      const outcome = (permission: string) => code("/v1/keys.createKey", maker.secret, asked(permission), tightened);
      expect(await outcome("api.*.delete_api")).toBe("insufficient_permissions");
      expect(tightened.records.at(-1)).toMatchObject({ exceeding: { operation: "apis.deleteApi", kind: "api" } });
      expect(await outcome("api.*.create_key")).toBe("ok");
      expect(await outcome(`api.${apiId}.create_key`)).toBe("ok");
    });

    test("where it is not proved that a key has all powers, it is refused", async () => {
      const directory = edited(
        "permissions/api.yaml",
        'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
        'V.in_reach && now() > timestamp("2020-01-01T00:00:00Z") && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
      );
      const policies = await openPolicies(directory, createLogger("silent", { write: () => {} }));
      const timed = await testService(store, { policies, decider: embeddedDecider(policies) });
      const asked = { apiId, name: "x", ...permits("api.*.delete_api") };
      expect(await code("/v1/keys.createKey", world.admin.secret, asked, timed)).toBe("insufficient_permissions");
      expect(timed.records.at(-1)).toMatchObject({ permissionReasons: ["delegation_undecided"] });
    });

    test("a lesser key revokes, reduces or changes no key that may more, except itself", async () => {
      const target = await make(world.admin.secret, { roles: ["editor"], ...EVERYWHERE });
      const { keyId } = target;
      const lesser = await root({ permissions: ["api.*.update_key", "api.*.delete_key"] });
      for (const [path, body] of [
        ["/v2/keys.revokeKey", { keyId }],
        ["/v2/keys.updateKey", { keyId, state: "disabled" }],
        ["/v2/keys.updateKey", { keyId, roles: ["custom"] }],
        ["/v2/keys.deleteKey", { keyId }],
      ] as const) {
        expect(await code(path, lesser.secret, body)).toBe("insufficient_permissions");
      }
      expect(await code("/v2/keys.revokeKey", lesser.secret, { keyId: lesser.keyId })).toBe("ok");
      expect(await code("/v2/keys.revokeKey", target.key, { keyId })).toBe("ok");
    });

    test("a key revokes the keys below it, also after it was reduced", async () => {
      const permissions = ["api.*.create_key", "api.*.update_key", "api.*.read_api"];
      const parent = await root({ permissions });
      const child = await make(parent.secret, permits(...permissions));
      const reduced = { keyId: parent.keyId, permissions: ["api.*.update_key"] };
      expect(await code("/v2/keys.updateKey", world.admin.secret, reduced)).toBe("ok");
      expect(await code("/v2/keys.revokeKey", parent.secret, { keyId: child.keyId })).toBe("ok");
    });

    test("a key with a permission for it alone does not revoke the last admin", async () => {
      const own = await newAccount(store);
      const { keyId } = own.admin;
      const body = { apiId: own.active, name: "x", permissions: [`key.${keyId}.update_key`], ...EVERYWHERE };
      const { body: made } = await service.call("/v1/keys.createKey", own.admin.secret, body);
      expect(await code("/v2/keys.revokeKey", made.data.key, { keyId })).toBe("insufficient_permissions");
      expect(await code("/v2/keys.whoami", own.admin.secret, {})).toBe("ok");
    });

    test("an admin that others need above them is the last: they do not count", async () => {
      const own = await newAccount(store);
      const { secret, keyId } = own.admin;
      const body = { apiId: own.active, name: "x", roles: ["admin"], ...EVERYWHERE };
      const { body: made } = await service.call("/v1/keys.createKey", secret, body);
      expect(await code("/v2/keys.deleteKey", made.data.key, { keyId })).toBe("forbidden");
      expect(await code("/v2/keys.updateKey", secret, { keyId, roles: ["custom"] })).toBe("forbidden");
      // An admin that an operator made does count.
      await add(store, own, (things) => things.key(own.system, { name: "x", roles: ["admin"] }));
      expect(await code("/v2/keys.updateKey", secret, { keyId, roles: ["viewer"] })).toBe("ok");
      expect(await code("/v2/apis.updateApi", made.data.key, { apiId: own.active, state: "active" })).toBe(
        "insufficient_permissions",
      );
    });
  });
});
