/**
 * A database that takes no writes, as after a failover to a standby: changes are 503 and the service is not ready; it
 * serves again by itself.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

let store: Store;
let service: TestService;
let world: World;

beforeAll(async () => {
  store = await openNewPglite();
  service = await testService(store);
  world = await newAccount(store);
});
afterAll(() => store.close());

const setReadOnly = (value: "on" | "off") =>
  store.run({ name: "read_only", text: `set default_transaction_read_only = ${value}`, isOwn: true }, []);
const ready = async () => (await service.app.request("/readyz")).status;
const create = async () =>
  (await service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" })).status;
/** A refusal is recorded, so it needs a write, too. */
const refused = async () =>
  (await service.call("/v2/apis.deleteApi", world.viewer.secret, { apiId: world.active })).status;
const read = async () => (await service.call("/v2/apis.getApi", world.viewer.secret, { apiId: world.active })).status;

test("changes, refused changes and readiness", async () => {
  expect([await ready(), await create(), await refused()]).toEqual([200, 200, 403]);
  await setReadOnly("on");
  expect([await ready(), await create(), await refused(), await read()]).toEqual([503, 503, 503, 200]);
  await setReadOnly("off");
  expect([await ready(), await create(), await refused()]).toEqual([200, 200, 403]);
});
