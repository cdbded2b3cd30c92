/** Keys can be given only the roles and permissions that the policies know. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { shippedCopy } from "../../test/support/directory.js";
import { createLogger } from "../src/observability/logger.js";
import { embeddedDecider } from "../src/policies/decider.js";
import { openPolicies, type Policies } from "../src/policies/policies.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

let store: Store;
let world: World;
let policies: Policies;
let service: TestService;
let directory: string;
beforeEach(async () => {
  store ??= await openNewPglite();
  world = await newAccount(store);
  directory = shippedCopy();
  policies = await openPolicies(directory, createLogger("silent", { write: () => {} }));
  service = await testService(store, { policies, decider: embeddedDecider(policies) });
});
afterAll(() => store.close());

/** Edits a policy file and reloads the policies. */
async function release(path: string, from: string, to: string): Promise<void> {
  const file = join(directory, path);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(from, to));
  await policies.reload();
  expect(policies.refused).toBe(false);
}

const call = async (path: string, key: string, body: object) => {
  const { status, body: given } = await service.call(path, key, body);
  return status === 200 ? "ok" : `${status} ${given.error.detail}`;
};
const create = (more: object, key = world.admin.secret) =>
  call("/v1/keys.createKey", key, { apiId: world.active, name: "x", ...more });
const update = (keyId: string, more: object) => call("/v2/keys.updateKey", world.admin.secret, { keyId, ...more });
const holding = (permissions: string[], more: object = {}) =>
  add(store, world, (things) => things.key(world.system, { name: "x", roles: ["custom"], permissions, ...more }));

const DORMANT = "api.*.manage_api";
const refusal = (permission: string) =>
  expect.stringMatching(
    new RegExp(
      `^400 permissions: no policy knows ${permission.replaceAll(/[.*]/g, "\\$&")}; known are api\\.<id>\\.create_key, api\\.<id>\\.delete_api, `,
    ),
  );

describe("a permission that no policy knows", () => {
  test.each([DORMANT, "api.api_1.manage_api", "key.*.read_api", "workspace.*.read_key", "api.api_1.create_api"])(
    "is not given to a new key, or to one that is changed: %s",
    async (permission) => {
      const { keyId } = await holding([]);
      expect(await create({ permissions: ["api.*.read_api", permission] })).toEqual(refusal(permission));
      expect(await update(keyId, { permissions: [permission] })).toEqual(refusal(permission));
      expect(await create({ permissions: [permission] }, world.viewer.secret)).toMatch(/^403 /);
    },
  );

  test("stays where it is while the key is reduced, and is refused when the key is enabled", async () => {
    const { keyId } = await holding([DORMANT, "api.*.read_api"]);
    expect(await update(keyId, { permissions: [DORMANT] })).toBe("ok");
    expect(await update(keyId, { state: "disabled" })).toBe("ok");
    expect(await update(keyId, { state: "enabled" })).toEqual(refusal(DORMANT));
    expect(await update(keyId, { state: "enabled", permissions: [] })).toBe("ok");
  });

  test("is given once a release of the policies knows it, by a key that has it", async () => {
    expect(await create({ permissions: [DORMANT] }, world.editor.secret)).toEqual(refusal(DORMANT));
    await release("permissions/api.yaml", '"api.*.update_api"', `"api.*.update_api", "${DORMANT}"`);
    expect(await create({ permissions: [DORMANT] }, world.editor.secret)).toMatch(/^403 /);
    expect(await create({ permissions: [DORMANT] })).toBe("ok");
  });
});

test("a role that no policy knows is refused likewise; custom is that of keys without another", async () => {
  for (const file of ["api", "key", "workspace"]) {
    await release(`permissions/${file}.yaml`, "        - viewer\n", "");
  }
  await release("permissions/api.yaml", "    keyward.roles: custom\n", "    other: custom\n");
  const { keyId } = await holding([]);
  const unknown = "400 roles: no policy knows viewer; known are editor, admin, custom";
  expect(await create({ roles: ["viewer"] })).toBe(unknown);
  expect(await update(keyId, { roles: ["custom", "viewer"] })).toBe(unknown);
  expect(await create({ roles: ["editor"] })).toBe("ok");
  expect(await create({})).toBe("ok");
});
