/**
 * The theorem over HTTP: what is `forbidden` for one key that may see the resource is `forbidden` for each that may, in the
 * demonstration and in accounts of other kinds. The resource of a request never depends on the key that makes it.
 *
 * A key that may not see a resource (another account's) gets 404 for it. Requests that succeed change what there is, so
 * those that would be allowed are asked in an order in which the keys that may do least come first, and only until one
 * succeeds.
 *
 * @module-tag long
 */

import { eq } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedDemo } from "../src/demo/seed.js";
import type { Provisioning } from "../src/provision/provision.js";
import * as tables from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { type Answer, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

/** How many requests are made on each store; more to look further. */
const REQUESTS = Number(process.env.KEYWARD_THEOREM_REQUESTS ?? 600);

const ACCOUNTS = [
  {},
  { plan: "free" },
  { status: "suspended" },
  { status: "past_due" },
  { holds: ["abuse"] },
  { limitKeys: 8, limitApis: 6 },
] satisfies Parameters<typeof newAccount>[1][];
const ACTIONS = ["read_api", "read_key", "create_key", "update_key", "delete_key", "delete_api", "verify_key"];

describeStores("the theorem over HTTP", (open) => {
  let store: Store;
  let service: TestService;
  const accounts: Populated[] = [];
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
    accounts.push(await demonstration(store, service));
    for (const account of ACCOUNTS) accounts.push(await populated(store, account));
  });
  afterAll(() => store.close());

  test("what is forbidden for one key is forbidden for each", async () => {
    const tally = { requests: 0, forbidden: 0, insufficient: 0, allowed: 0 };
    const broken: unknown[] = [];
    const rounds = fc.sample(
      fc.record({ account: fc.nat(), operation: fc.nat(), resource: fc.nat(), from: fc.nat(), more: fc.nat() }),
      { numRuns: REQUESTS, seed: 20_261_122 },
    );
    for (const { account, operation, resource, from, more } of rounds) {
      if (tally.requests >= REQUESTS) break;
      const world = pick(accounts, account);
      const { path, body } = pick(requestsIn(world, resource, more), operation);
      const outcomes: string[] = [];
      for (let i = 0; i < 6; i++) {
        // Strong keys come last in the list.
        const { secret } = pick(world.keys, Math.min(world.keys.length - 1, (from % world.keys.length) + i));
        const answer = await service.call(path, secret, body);
        tally.requests++;
        const outcome = outcomeOf(answer);
        outcomes.push(outcome);
        if (outcome === "forbidden") tally.forbidden++;
        if (outcome === "insufficient_permissions") tally.insufficient++;
        if (outcome === "allow") tally.allowed++;
        if (outcome === "allow") break;
      }
      const kinds = new Set(outcomes.filter((outcome) => outcome !== "not_found" && outcome !== "invalid_key"));
      if (kinds.has("forbidden") && kinds.size > 1) broken.push({ path, body, outcomes });
    }
    expect(broken).toEqual([]);
    // It held because something happened.
    expect(tally.forbidden).toBeGreaterThan(REQUESTS / 10);
    expect(tally.insufficient).toBeGreaterThan(REQUESTS / 10);
    expect(tally.allowed).toBeGreaterThan(REQUESTS / 50);
  });
});

function outcomeOf({ status, body }: Answer): string {
  if (status !== 200) return String(body.error.type.split("/").at(-1));
  // So `keys.verifyKey` says that the account has no such key.
  return body.data.keyId === null ? "not_found" : "allow";
}

/** What requests can be about, and the keys that make them, the weak ones first. */
interface Populated {
  readonly places: readonly string[];
  readonly apis: readonly string[];
  readonly keys: readonly { readonly secret: string; readonly keyId: string }[];
}

/** The demonstration: the main account, and every key, those of the other accounts first. */
async function demonstration(store: Store, service: TestService): Promise<Populated> {
  const demo = await seedDemo(store);
  if (demo === undefined) throw new Error("the store is not empty");
  const { limited, read_only, other_workspace, development, editor, admin, full_admin, ...rest } = demo.keys;
  expect(rest).toEqual({});
  const { onHold, free, emptyApi } = demo.more;
  const secrets = [full_admin, onHold.admin, free.admin];
  secrets.push(limited, read_only, other_workspace, development, editor, admin);
  const keys = [];
  for (const secret of secrets) {
    const { keyId } = (await service.call("/v2/keys.whoami", secret, {})).body.data;
    keys.push({ secret, keyId });
  }
  const { accountId } = (await service.call("/v2/keys.whoami", admin, {})).body.data;
  const workspaces = await store.queries
    .select()
    .from(tables.workspaces)
    .where(eq(tables.workspaces.accountId, accountId));
  const { full: _, ...apis } = demo.apis;
  return { places: workspaces.map(({ id }) => id), apis: [...Object.values(apis), emptyApi], keys };
}

function pick<T>(list: readonly T[], n: number): T {
  const item = list[n % list.length];
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

/** An account with resources of every state, and keys of every kind. */
async function populated(store: Store, account: Parameters<typeof newAccount>[1]): Promise<Populated> {
  const world = await newAccount(store, account);
  return await add(store, world, async (things) => {
    const sandbox = await things.workspace({ name: "Sandbox", environment: "development" });
    const places = [world.workspaceId, sandbox, await things.workspace({ name: "x", environment: "production" })];
    const apis: string[] = [world.system, world.active];
    for (const place of places) {
      for (const more of [{ state: "draft" }, { state: "suspended" }, { deleteProtection: true }] as const) {
        apis.push(await things.api(place, { name: "x", state: "active", ...more }));
      }
    }
    const keys = [...(await keysIn(things, world, sandbox)), world.viewer, world.editor, world.admin];
    return { places, apis, keys };
  });
}

/** Keys of permissions, of one workspace, of the other environment. */
async function keysIn(things: Provisioning, world: World, sandbox: string) {
  const keys: { readonly secret: string; readonly keyId: string }[] = [];
  const make = async (apiId: string, more: Partial<Parameters<Provisioning["key"]>[1]>) => {
    keys.push(await things.key(apiId, { name: "x", roles: ["custom"], ...more }));
  };
  await make(world.system, {});
  for (const action of ACTIONS) {
    await make(world.system, { permissions: [`api.*.${action}`] });
    await make(world.system, { permissions: [`api.${world.active}.${action}`, `key.*.${action}`] });
  }
  const there = await things.api(sandbox, { name: "x", state: "active" });
  for (const roles of [["viewer"], ["editor"], ["admin"]] as const) {
    await make(there, { roles: [...roles] });
    await make(world.system, { roles: [...roles], workspaceIds: [world.workspaceId] });
  }
  return keys;
}

function requestsIn(world: Populated, n: number, more: number) {
  const [apiId, workspaceId] = [pick(world.apis, n), pick(world.places, n)];
  const { keyId, secret } = pick(world.keys, n);
  const environment = more % 2 === 0 ? "production" : "development";
  return [
    { path: "/v2/workspaces.createWorkspace", body: { name: `w${n}-${more}`, environment } },
    { path: "/v2/apis.createApi", body: { workspaceId, name: "x" } },
    { path: "/v2/apis.listApis", body: { workspaceId } },
    { path: "/v2/apis.getApi", body: { apiId } },
    { path: "/v2/apis.updateApi", body: { apiId, deleteProtection: more % 2 === 0 } },
    { path: "/v2/apis.deleteApi", body: { apiId } },
    { path: "/v2/apis.listKeys", body: { apiId } },
    { path: "/v1/keys.createKey", body: { apiId, name: "x" } },
    { path: "/v2/keys.getKey", body: { keyId } },
    { path: "/v2/keys.verifyKey", body: { key: secret } },
    { path: "/v2/keys.updateKey", body: { keyId, permissions: [] } },
    { path: "/v2/keys.revokeKey", body: { keyId } },
    { path: "/v2/keys.deleteKey", body: { keyId } },
  ];
}
