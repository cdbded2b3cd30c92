/**
 * Random trees of keys over HTTP: keys that make keys, and are reduced and revoked later. No key may do what the key that
 * made it may not.
 *
 * @module-tag long
 */

import { expect, test } from "vitest";
import { Random } from "../../test/differential/random.js";
import { SEED, say } from "../../test/support/seed.js";
import { sized } from "../../test/support/size.js";
import { openNewPglite } from "./support/databases.js";
import { testService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

interface Held {
  readonly keyId: string;
  readonly secret: string;
  readonly parent: Held | undefined;
}

const ACTIONS = ["read_api", "read_key", "create_key", "update_api", "update_key", "delete_api", "delete_key"];
const OPERATIONS = ["apis.getApi", "apis.updateApi", "apis.deleteApi", "apis.listKeys", "keys.createKey"];
const ON_KEYS = ["keys.getKey", "keys.updateKey", "keys.revokeKey", "keys.deleteKey"];

// The whole sample takes minutes.
test("no key does what its maker may not, at any time", { timeout: 3_600_000 }, async () => {
  const random = new Random(SEED);
  const store = await openNewPglite();
  const service = await testService(store);
  const world = await newAccount(store, { limitKeys: 100_000 });
  const other = await add(store, world, (things) => things.api(world.workspaceId, { name: "Other", state: "active" }));
  const apis = [world.active, other];
  const root: Held = { ...world.admin, parent: undefined };
  const pool: Held[] = [root, { ...world.editor, parent: undefined }];
  const counts = { made: 0, refused: 0, reduced: 0, compared: 0, allowed: 0 };

  const permission = () =>
    random.chance(0.7)
      ? `api.${random.pick(["*", ...apis])}.${random.pick(ACTIONS)}`
      : `key.${random.pick(["*", random.pick(pool).keyId])}.${random.pick(["read_key", "update_key", "delete_key"])}`;
  const powers = () => ({
    roles: [random.pick(["custom", "custom", "viewer", "editor", "admin"])],
    permissions: [...new Set(random.times(0, 4, permission))],
  });
  const create = async (maker: Held) => {
    const reach = random.chance(0.5) ? { workspaceIds: ["*"] } : {};
    const body = { apiId: random.pick(apis), name: "x", ...powers(), ...reach };
    const { status, body: made } = await service.call("/v1/keys.createKey", maker.secret, body);
    if (status !== 200) counts.refused += 1;
    else {
      counts.made += 1;
      expect(made.data.parentId).toBe(maker.keyId);
      pool.push({ keyId: made.data.keyId, secret: made.data.key, parent: maker });
    }
  };
  const change = async ({ keyId }: Held) => {
    if (keyId === root.keyId) return;
    const changes = random.chance(0.15) ? { state: random.pick(["revoked", "disabled", "enabled"]) } : powers();
    const { status } = await service.call("/v2/keys.updateKey", root.secret, { keyId, ...changes });
    if (status === 200) counts.reduced += 1;
  };
  /** The outcome of a request by a key, as `keys.verifyKey` tells it; null for a key that is not valid. */
  const outcome = async (key: Held, may: object): Promise<string | null> =>
    (await service.call("/v2/keys.verifyKey", root.secret, { key: key.secret, may })).body.data.outcome;
  const compare = async (child: Held) => {
    const { parent } = child;
    if (parent === undefined) return;
    const onKey = random.pick(pool).keyId;
    const may = random.chance(0.6)
      ? { operation: random.pick(OPERATIONS), apiId: random.pick(apis) }
      : { operation: random.pick(ON_KEYS), keyId: onKey };
    const isRevokingItself = may.operation === "keys.revokeKey" && onKey === child.keyId;
    const got = await outcome(child, may);
    counts.compared += 1;
    if (got !== "allow" || isRevokingItself) return;
    counts.allowed += 1;
    expect({ may, child, outcome: await outcome(parent, may) }).toEqual({ may, child, outcome: "allow" });
  };

  const steps = sized(2_000, 60);
  while (counts.made < steps) {
    // Keys near the root are likelier: their chains leave room.
    const maker = pool[Math.floor(random.int(0, pool.length - 1) * random.next())] ?? root;
    await create(random.chance(0.2) ? root : maker);
    if (random.chance(0.2)) await change(random.pick(pool));
    for (let i = 0; i < 2; i++) await compare(random.pick(pool));
  }
  for (const key of pool) await compare(key);
  say(`key trees over HTTP: ${JSON.stringify(counts)}`);
  expect(counts.refused).toBeGreaterThan(steps / 10);
  expect(counts.allowed).toBeGreaterThan(steps / 10);
  await store.close();
});
