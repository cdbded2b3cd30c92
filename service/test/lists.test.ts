/**
 * A list contains exactly the rows that single decisions would allow. Sets of policies: the shipped ones, and some with
 * conditions that a query can express, that it cannot express, and that read attributes no row has. Checked for 42
 * keys, with every workspace and API of an account, in pages of one to four rows.
 *
 * @module-tag long
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asc, eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { decide } from "keyward";
import { shippedPolicies } from "keyward/node";
import { LivePolicies } from "keyward/watch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedDecider } from "../src/policies/decider.js";
import type { Policies } from "../src/policies/policies.js";
import type { Provisioning } from "../src/provision/provision.js";
import { accounts, apis, keys, workspaces } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

/** Additional denials of each set, as conditions on an API and on a key. */
const SETS = {
  "the shipped policies": undefined,
  "attributes of rows": {
    api: 'R.attr.state == "suspended" || R.attr.keyCount > 1.0 || R.attr.deleteProtection',
    key: 'R.attr.state in ["disabled", "suspended"] && !R.attr.system',
  },
  // No database has these regular expressions, so each row is decided separately.
  "what a query cannot ask": { api: 'R.id.matches("[0-7]$")', key: 'R.id.matches("[0-7]$")' },
  "what may be there and never is": { api: "has(R.attr.colour)", key: 'has(R.attr.colour) && R.attr.colour == "red"' },
  "what is never there": { api: 'R.attr.colour == "red"', key: 'R.attr.colour == "red"' },
} as const;

const home = mkdtempSync(join(tmpdir(), "keyward-lists-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The shipped policies with one more rule, which denies reading. */
async function policiesWith(more: { readonly api: string; readonly key: string } | undefined): Promise<Policies> {
  const directory = mkdtempSync(join(home, "policies-"));
  cpSync(shippedPolicies, directory, { recursive: true });
  for (const [kind, operation] of [
    ["api", "apis.getApi"],
    ["key", "keys.getKey"],
  ] as const) {
    if (more === undefined) break;
    const file = join(directory, "permissions", `${kind}.yaml`);
    const rule = {
      name: "denied_besides",
      actions: [operation],
      roles: ["*"],
      effect: "EFFECT_DENY",
      condition: { match: { expr: more[kind] } },
    };
    writeFileSync(file, `${readFileSync(file, "utf8").trimEnd()}\n    - ${JSON.stringify(rule)}\n`);
  }
  // Bypasses the service's own loader, which refuses permission rules about rows; lists do not need that restriction.
  const loaded = await LivePolicies.load(directory)();
  if (loaded._tag === "Left") throw new Error(loaded.left.map(({ message }) => message).join("\n"));
  return loaded.right;
}

interface Caller {
  readonly secret: string;
  readonly keyId: string;
}

/** Workspaces of both environments and a suspended one, APIs of every state in each, and keys of every state in three. */
async function populated(store: Store) {
  const world = await newAccount(store);
  return await add(store, world, async (things) => {
    const sandbox = await things.workspace({ name: "Sandbox", environment: "development" });
    const stopped = await things.workspace({ name: "Stopped", environment: "production", state: "suspended" });
    const made = { workspaceIds: [world.workspaceId, sandbox, stopped], apiIds: [world.system, world.active] };
    const suspended = await things.api(world.workspaceId, { name: "x", state: "suspended" });
    const inStopped = await things.api(stopped, { name: "x", state: "active" });
    made.apiIds.push(suspended, inStopped);
    for (const place of made.workspaceIds) {
      for (const more of [{}, { state: "suspended" }, { state: "draft" }, { deleteProtection: true }] as const) {
        made.apiIds.push(await things.api(place, { name: "x", state: "active", ...more }));
      }
    }
    const keyIds: string[] = [];
    for (const state of ["enabled", "disabled", "revoked", "enabled"] as const) {
      for (const system of [false, true]) {
        for (const apiId of [world.active, suspended, inStopped]) {
          keyIds.push((await things.key(apiId, { name: "x", roles: ["viewer"], state, system })).keyId);
        }
      }
    }
    return { ...world, ...made, keyIds };
  });
}

type Place = Awaited<ReturnType<typeof populated>>;

/** Keys with roles, or with permissions for some resources; each reaches all or some workspaces. */
function callersIn(things: Provisioning, { workspaceIds, apiIds, keyIds, system }: Place): Promise<Caller>[] {
  const ids = fc.constantFrom("*", ...workspaceIds, ...apiIds, ...keyIds);
  const permission = fc
    .tuple(fc.constantFrom("workspace", "api", "key"), ids, fc.constantFrom("read_api", "read_key"))
    .map((parts) => parts.join("."));
  const permissions = fc.uniqueArray(permission, { maxLength: 6 });
  const reach: fc.Arbitrary<string[]> = fc.oneof(fc.constant<string[]>(["*"]), fc.subarray(workspaceIds));
  const key = fc.record({
    roles: fc.constantFrom<("viewer" | "custom")[]>(["viewer"], ["custom"], ["custom"], ["custom"]),
    // Half of the keys may list the APIs of every workspace, even if they can read few of them.
    permissions: fc.oneof(
      permissions,
      permissions.map((some) => [...new Set(["workspace.*.read_api", ...some])]),
    ),
    workspaceIds: reach,
    home: fc.constantFrom(system, ...apiIds),
  });
  return fc
    .sample(key, { numRuns: 40, seed: 17 })
    .map(({ home, ...given }) => things.key(home, { name: "caller", ...given }));
}

describeStores("lists", (open) => {
  let store: Store;
  let world: Place;
  const callers: Caller[] = [];
  beforeAll(async () => {
    store = await open();
    world = await populated(store);
    await add(store, world, async (things) => {
      for (const made of callersIn(things, world)) callers.push(await made);
    });
    callers.push(world.admin, world.viewer);
  });
  afterAll(() => store.close());

  /** The decided attributes, computed from the tables alone. */
  async function tables() {
    const inAccount = await store.queries.select().from(workspaces).where(eq(workspaces.accountId, world.accountId));
    const environments = new Map(inAccount.map(({ id, environment }) => [id, environment]));
    const [account] = await store.queries.select().from(accounts).where(eq(accounts.id, world.accountId));
    const allApis = await store.queries
      .select()
      .from(apis)
      .where(eq(apis.accountId, world.accountId))
      .orderBy(asc(apis.id));
    const suspended = new Set(inAccount.filter(({ state }) => state === "suspended").map(({ id }) => id));
    for (const { id, workspaceId, state } of allApis) {
      if (state === "suspended" || suspended.has(workspaceId)) suspended.add(id);
    }
    const workspaceOf = new Map(allApis.map(({ id, workspaceId }) => [id, workspaceId]));
    const allKeys = await store.queries
      .select()
      .from(keys)
      .where(eq(keys.accountId, world.accountId))
      .orderBy(asc(keys.position));
    if (account === undefined) throw new Error("there is no account");
    const { id: accountId, plan, status, limitApis, limitKeys, usedApis, usedKeys, holds } = account;
    const environmentOf = (apiId: string) => environments.get(workspaceOf.get(apiId) ?? "");
    return {
      account: {
        id: accountId,
        attr: {
          plan,
          status,
          limits: { apis: limitApis, keys: limitKeys },
          usage: { apis: usedApis, keys: usedKeys },
          holds,
        },
      },
      workspaces: inAccount.map(({ id, environment, state }) => ({
        kind: "workspace",
        id,
        attr: { accountId, environment, state },
      })),
      apis: allApis.map(({ id, name: _, createdAt: __, ...attr }) => ({
        kind: "api",
        id,
        attr: {
          ...attr,
          environment: environments.get(attr.workspaceId),
          state: suspended.has(id) ? "suspended" : attr.state,
        },
      })),
      keys: allKeys.map(({ id, apiId, state: own, system }) => {
        const state = suspended.has(apiId) && own !== "revoked" ? "suspended" : own;
        const workspaceId = workspaceOf.get(apiId);
        return {
          kind: "key",
          id,
          attr: { accountId, workspaceId, environment: environmentOf(apiId), apiId, state, system },
        };
      }),
      callers: new Map(
        allKeys.map(({ id, apiId, roles, permissions, workspaceIds }) => [
          id,
          { id, roles, attr: { accountId, workspaceIds, environment: environmentOf(apiId), permissions } },
        ]),
      ),
    };
  }

  describe.each(Object.entries(SETS))("under policies about %s", (name, more) => {
    let policies: Policies;
    let service: TestService;
    beforeAll(async () => {
      policies = await policiesWith(more);
      service = await testService(store, { policies, decider: embeddedDecider(policies) });
    });

    /** The ids on all pages of at most `limit` rows, or the error type if the list is refused. */
    async function listed(path: string, secret: string, body: object, limit: number): Promise<string | string[]> {
      const ids: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 100; page++) {
        const answer = await service.call(path, secret, { ...body, limit, ...(cursor && { cursor }) });
        if (answer.status !== 200) return String(answer.body.error.type.split("/").at(-1));
        const { nextCursor, ...lists } = answer.body.data;
        const rows: readonly { apiId: string; keyId?: string }[] = Object.values(lists).flat() as never;
        expect(rows.length).toBeLessThanOrEqual(limit);
        ids.push(...rows.map(({ apiId, keyId }) => keyId ?? apiId));
        if (nextCursor === null) return ids;
        cursor = nextCursor;
      }
      throw new Error("the list does not end");
    }

    test("a row is listed if and only if reading it alone would be allowed", async () => {
      const there = await tables();
      const { set } = policies.current;
      const seen = { lists: 0, rows: 0, left: 0 };
      const lists = [
        { path: "/v2/apis.listApis", within: there.workspaces, field: "workspaceId", rows: there.apis },
        { path: "/v2/apis.listKeys", within: there.apis, field: "apiId", rows: there.keys },
      ] as const;
      for (const [n, { secret, keyId }] of callers.entries()) {
        const key = there.callers.get(keyId);
        if (key === undefined) throw new Error("a caller that is not there");
        for (const { path, within, field, rows } of lists) {
          for (const place of within) {
            const ask = (operation: string, resource: object) =>
              decide(set, { key, operation, resource, account: there.account } as never).outcome;
            const outcome = ask(path.slice("/v2/".length), place);
            const inside = rows.filter(({ attr }) =>
              Object.entries(attr).some(([at, id]) => at === field && id === place.id),
            );
            const read = path.endsWith("Apis") ? "apis.getApi" : "keys.getKey";
            const allowed = inside.filter((row) => ask(read, row) === "allow").map(({ id }) => id);
            const expected = outcome === "allow" ? allowed : outcome;
            const actual = await listed(path, secret, { [field]: place.id }, 1 + ((n + place.id.length) % 4));
            expect([path, key, place.id, actual]).toEqual([path, key, place.id, expected]);
            if (outcome !== "allow") continue;
            seen.lists++;
            seen.rows += allowed.length;
            seen.left += inside.length - allowed.length;
          }
        }
      }
      // Guards against a vacuous pass: some rows were listed, others were left out.
      expect(seen.lists).toBeGreaterThan(30);
      expect(seen.left).toBeGreaterThan(20);
      if (name === "what is never there") expect(seen.rows).toBe(0);
      else expect(seen.rows).toBeGreaterThan(50);
    });
  });

  test("a cursor that is damaged, or is of another list, is refused", async () => {
    const service = await testService(store);
    const page = async (path: string, body: object) => await service.call(path, world.viewer.secret, body);
    const [workspaceId, sandbox] = world.workspaceIds;
    const first = await page("/v2/apis.listApis", { workspaceId, limit: 1 });
    const cursor: string = first.body.data.nextCursor;
    expect((await page("/v2/apis.listApis", { workspaceId, cursor })).status).toBe(200);
    const other = (char: string) => (char === "A" ? "B" : "A");
    const damaged = [
      ...[...cursor].map((char, i) => cursor.slice(0, i) + other(char) + cursor.slice(i + 1)),
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      Buffer.from(world.active).toString("base64url"),
      "' or 1=1",
    ];
    for (const wrong of damaged) {
      const { status, body } = await page("/v2/apis.listApis", { workspaceId, cursor: wrong });
      expect([wrong, status, body.error?.detail]).toEqual([wrong, 400, "cursor: must be the nextCursor of a page"]);
    }
    // A workspace of the same environment, so that only the cursor can be wrong.
    const sister = await add(store, world, (things) => things.workspace({ name: "Sister", environment: "production" }));
    expect(sandbox).not.toBe(sister);
    expect((await page("/v2/apis.listApis", { workspaceId: sister, cursor })).status).toBe(400);
    expect((await page("/v2/apis.listKeys", { apiId: world.active, cursor })).status).toBe(400);
  });

  test("what is decided on row by row for one page has an end, and the list goes on from there", async () => {
    const policies = await policiesWith({ api: "false", key: 'R.id.matches("^many_")' });
    const service = await testService(store, { policies, decider: embeddedDecider(policies) });
    const apiId = await add(store, world, (things) => things.api(world.workspaceId, { name: "x", state: "active" }));
    await store.queries.execute(sql`
      insert into keys (id, account_id, api_id, name, prefix, hash, roles, permissions, workspace_ids)
      select (case when n = 1500 then 'last' else 'many_' || n end) || '_' || ${apiId}, ${world.accountId}, ${apiId}, 'x',
        substr(md5(${apiId} || n), 1, 16), repeat('0', 64), '{viewer}', '{}', '{*}' from generate_series(1, 1500) n`);
    const first = await service.call("/v2/apis.listKeys", world.viewer.secret, { apiId });
    expect(first.body.data).toEqual({ keys: [], nextCursor: expect.any(String) });
    const { nextCursor: cursor } = first.body.data;
    const rest = await service.call("/v2/apis.listKeys", world.viewer.secret, { apiId, cursor });
    expect(rest.body.data).toMatchObject({ keys: [{ keyId: `last_${apiId}` }], nextCursor: null });
  });
});
