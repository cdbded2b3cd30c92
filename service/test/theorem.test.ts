/**
 * The theorem over HTTP: if a request is `forbidden` for one key that may see the resource, it is `forbidden` for every
 * such key. Checked in the demonstration and in accounts of other kinds. The resource of a request never depends on the
 * key that makes it. A power taken from a key is gone with the key's next request.
 *
 * A key that may not see a resource (another account's) gets 404. The keys make the request in turn. A successful
 * request changes the store, so after a random first key the weakest keys come first, and the first success ends the
 * round. Once each operation was asked in each account, all begins anew on another store.
 *
 * @module-tag long
 */

import { eq } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seedDemo } from "../src/demo/seed.js";
import type { Provisioning } from "../src/provision/provision.js";
import * as tables from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { type Post, postTo } from "./chaos/storm.js";
import { describeStores, skipped } from "./support/databases.js";
import { NO_REPLICAS, type Replicas, startReplicas } from "./support/replicas.js";
import { serverFor } from "./support/server.js";
import { type Answer, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

/** The least number of requests in each arrangement; raise it to search further. */
const REQUESTS = Number(process.env.KEYWARD_THEOREM_REQUESTS ?? 600);

const SEED = 20_261_122;

const ACCOUNTS = [
  {},
  { plan: "free" },
  { status: "suspended" },
  { status: "past_due" },
  { holds: ["abuse"] },
  { limitKeys: 8, limitApis: 6, limitWorkspaces: 4 },
] satisfies Parameters<typeof newAccount>[1][];
const ACTIONS = ["read_api", "read_key", "create_key", "update_key", "delete_key", "delete_api", "verify_key"];

/** Random numbers that pick the resource of a request and the key that makes it first. */
const ROUND = fc.noBias(fc.record({ resource: fc.nat(), more: fc.nat(), first: fc.nat() }));
type Round = typeof ROUND extends fc.Arbitrary<infer Value> ? Value : never;

/** The service, and a store that it serves. */
type Serving = Pick<Replicas, "store" | "call" | "close">;

describeStores("the theorem over HTTP", (open) => theorem(() => oneServer(open)));

describe.skipIf(NO_REPLICAS !== undefined)(
  `the theorem over HTTP: two replicas behind a proxy${skipped(NO_REPLICAS)}`,
  () => theorem(startReplicas),
);

async function oneServer(open: () => Promise<Store>): Promise<Serving> {
  const store = await open();
  const server = await serverFor(await testService(store));
  return {
    store,
    call: postTo([server]),
    close: async () => {
      await server.close(1_000);
      await store.close();
    },
  };
}

function theorem(start: () => Promise<Serving>): void {
  test("what is forbidden for one key is forbidden for each, and what is taken is gone", async () => {
    const seen = new Seen();
    for (let from = 0; from < REQUESTS; from = seen.requests) {
      const { store, call: post, close } = await start();
      try {
        const accounts = [await demonstration(store, post)];
        for (const account of ACCOUNTS) accounts.push(await populated(store, account));
        // One round for each operation in each account.
        const operations = requestsIn(pick(accounts, 0), 0, 0).length;
        const rounds = fc.sample(ROUND, { numRuns: accounts.length * operations, seed: SEED + from });
        for (const [i, round] of rounds.entries()) {
          const operation = i % operations;
          await seen.ask(pick(accounts, operation + Math.floor(i / operations)), operation, round, post);
        }
      } finally {
        await close();
      }
    }
    expect(seen.broken).toEqual([]);
    // Guards against a vacuous pass.
    expect(seen.count("forbidden")).toBeGreaterThan(REQUESTS / 10);
    expect(seen.count("insufficient_permissions")).toBeGreaterThan(REQUESTS / 10);
    expect(seen.count("allow")).toBeGreaterThan(REQUESTS / 50);
    expect(seen.count("taken")).toBeGreaterThan(REQUESTS / 200);
  });
}

/** Collects the outcomes of all requests. */
class Seen {
  requests = 0;
  /** Violations of the theorem. */
  readonly broken: unknown[] = [];
  private readonly counts = new Map<string, number>();

  count(outcome: string): number {
    return this.counts.get(outcome) ?? 0;
  }

  /** Makes the request with one key after the other, until one succeeds. */
  async ask(world: Populated, operation: number, { resource, more, first }: Round, post: Post): Promise<void> {
    const { path, body } = pick(requestsIn(world, resource, more), operation);
    // The list has the strong keys last.
    const asking = [...new Set([pick(world.keys, first), ...world.keys])];
    const outcomes: { readonly accountId: string; readonly outcome: string }[] = [];
    for (const { secret, accountId } of asking) {
      const outcome = outcomeOf(await post(path, secret, body));
      this.requests++;
      this.note(outcome);
      outcomes.push({ accountId, outcome });
      if (outcome === "allow") {
        await this.expectTaken(world, path, body, post);
        break;
      }
    }
    // A new workspace belongs to each caller's own account. A key that may verify no key is refused whatever the secret.
    // Any other resource belongs to one account; others get 404.
    const byAccount = new Map<string, Set<string>>();
    for (const { accountId, outcome } of outcomes) {
      if (outcome === "not_found" || outcome === "invalid_key") continue;
      byAccount.set(accountId, (byAccount.get(accountId) ?? new Set()).add(outcome));
    }
    const isOfOne = byAccount.size <= 1 || /createWorkspace$|verifyKey$/.test(path);
    const isOfKey = [...byAccount.values()].some((kinds) => kinds.has("forbidden") && kinds.size > 1);
    if (!isOfOne || isOfKey) this.broken.push({ path, body, outcomes });
  }

  /** After a key was reduced, revoked or deleted, it can do no more than its remaining powers allow. */
  private async expectTaken({ keys, apis }: Populated, path: string, { keyId }: Body, post: Post): Promise<void> {
    const key = keys.find((each) => each.keyId === keyId);
    const operation = path.split(".").at(-1) ?? "";
    if (key === undefined || !["updateKey", "revokeKey", "deleteKey"].includes(operation)) return;
    const self = await post("/v2/keys.whoami", key.secret, {});
    const left = self.body.data ?? { permissions: [], roles: ["custom"] };
    const read = outcomeOf(await post("/v2/apis.getApi", key.secret, { apiId: pick(apis, 0) }));
    const isGone = operation === "updateKey" ? left.permissions.length === 0 : self.status === 401;
    const isPowerless = left.roles.join() !== "custom" || ["invalid_key", "insufficient_permissions"].includes(read);
    if (!isGone || !isPowerless) this.broken.push({ path, keyId, self: self.body, read });
    this.note("taken");
  }

  private note(outcome: string): void {
    this.counts.set(outcome, this.count(outcome) + 1);
  }
}

function outcomeOf({ status, body }: Answer): string {
  if (status !== 200) return String(body.error.type.split("/").at(-1));
  // With `keyId: null`, `keys.verifyKey` says that the account has no such key.
  return body.data.keyId === null ? "not_found" : "allow";
}

/** The resources for requests, and the keys that make them, weakest first. */
interface Populated {
  readonly places: readonly string[];
  readonly apis: readonly string[];
  readonly keys: readonly { readonly secret: string; readonly keyId: string; readonly accountId: string }[];
}

/** The main account of the demonstration, with all keys; those of other accounts come first. */
async function demonstration(store: Store, post: Post): Promise<Populated> {
  const demo = await seedDemo(store);
  if (demo === undefined) throw new Error("the store is not empty");
  const { limited, read_only, other_workspace, development, editor, admin, full_admin, ...rest } = demo.keys;
  expect(rest).toEqual({});
  const { onHold, free, emptyApi } = demo.more;
  const secrets = [full_admin, onHold.admin, free.admin];
  secrets.push(limited, read_only, other_workspace, development, editor, admin);
  const keys = [];
  for (const secret of secrets) {
    const { keyId, accountId } = (await post("/v2/keys.whoami", secret, {})).body.data;
    keys.push({ secret, keyId, accountId });
  }
  const { accountId } = pick(keys, keys.length - 1);
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
    const production = (name: string, state: "active" | "suspended") =>
      things.workspace({ name, environment: "production", state });
    const places = [world.workspaceId, sandbox, await production("x", "active"), await production("y", "suspended")];
    const apis: string[] = [world.system, world.active];
    for (const place of places) {
      for (const more of [{ state: "draft" }, { state: "suspended" }, { deleteProtection: true }] as const) {
        apis.push(await things.api(place, { name: "x", state: "active", ...more }));
      }
    }
    const { accountId, viewer, editor, admin } = world;
    const keys = [...(await keysIn(things, world, sandbox)), viewer, editor, admin];
    return { places, apis, keys: keys.map((key) => ({ ...key, accountId })) };
  });
}

/** Keys with single permissions, of one workspace, and of the other environment. */
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

interface Body {
  readonly keyId?: string;
  readonly [field: string]: unknown;
}

function requestsIn(
  world: Populated,
  n: number,
  more: number,
): readonly { readonly path: string; readonly body: Body }[] {
  const [apiId, workspaceId] = [pick(world.apis, n), pick(world.places, n)];
  const { keyId, secret } = pick(world.keys, n);
  const environment = more % 2 === 0 ? "production" : "development";
  return [
    { path: "/v2/workspaces.createWorkspace", body: { name: `w${n}-${more}`, environment } },
    { path: "/v2/workspaces.deleteWorkspace", body: { workspaceId } },
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
