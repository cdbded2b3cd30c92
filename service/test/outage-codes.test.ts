/**
 * Outages of the store are told from faults of a statement: they are 503 with a time to come back, and the service is
 * not ready. One of them is a database that takes no writes, as after a failover to a standby.
 */

import { beforeAll, expect, test } from "vitest";
import { orUnavailable } from "../src/store/faults.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { envelope, type TestService, testService } from "./support/service.js";
import type { World } from "./support/world.js";

let store: Store;
let service: TestService;
let world: World;

useService(openNewPglite, (made) => ({ store, service, world } = made));
beforeAll(async () => {
  await store.transaction(async (queries) => {
    await queries.execute("create role reader");
    await queries.execute("grant select on all tables in schema public to reader");
  });
});

const setReadOnly = (value: "on" | "off") =>
  store.run({ name: "read_only", text: `set default_transaction_read_only = ${value}`, isOwn: true }, []);
const ready = async () => (await service.app.request("/readyz")).status;
const create = async () =>
  (await service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" })).status;
/** A refusal is recorded, so it needs a write, too. */
const refused = async () =>
  (await service.call("/v2/apis.deleteApi", world.viewer.secret, { apiId: world.active })).status;
const read = async () => (await service.call("/v2/apis.getApi", world.viewer.secret, { apiId: world.active })).status;

test("an outage says when to come back", async () => {
  await setReadOnly("on");
  const answer = await service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: "x" });
  await setReadOnly("off");
  expect([answer.status, answer.headers.get("retry-after"), answer.body]).toEqual([
    ...[503, "1"],
    envelope(answer, 503, "Service Unavailable", "The service is temporarily unavailable", "server/unavailable"),
  ]);
});

/** Codes of PostgreSQL for a store that is at fault, and for a statement that is (errcodes-appendix.html). */
test.each([
  ["25006", 503],
  ["28000", 503],
  ["28P01", 503],
  ["3D000", 503],
  ["42501", 503],
  ["42703", 503],
  ["42P01", 503],
  ["53100", 503],
  ["53300", 503],
  ["55000", 503],
  ["57P01", 503],
  ["57P03", 503],
  ["42601", 500],
  ["22P02", 500],
  ["23514", 500],
])("SQLSTATE %s", async (code, status) => {
  const failing = {
    run: () => orUnavailable(Promise.reject(Object.assign(new Error("?"), { code }))),
    ping: store.ping,
  };
  const broken = await testService({ ...store, ...failing });
  const answer = await broken.call("/v2/keys.whoami", world.admin.secret, {});
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, status === 503 ? "1" : null]);
});

/** Faults of the tables while the service runs: each with what brings it about, and what ends it. */
test.each([
  ["a table is gone", "alter table credits rename to other", "alter table other rename to credits"],
  ["a column is gone", "alter table keys rename old_hash to other", "alter table keys rename other to old_hash"],
  ["its role has lost a privilege", "set role reader", "reset role"],
])("it is not ready while %s", async (_, begin, end) => {
  const run = (text: string) => store.run({ name: "fault", text, isOwn: true }, []);
  await run(begin);
  expect([await ready(), await create()]).toEqual([503, 503]);
  await run(end);
  expect([await ready(), await create()]).toEqual([200, 200]);
});

test("changes, refused changes and readiness", async () => {
  expect([await ready(), await create(), await refused()]).toEqual([200, 200, 403]);
  await setReadOnly("on");
  expect([await ready(), await create(), await refused(), await read()]).toEqual([503, 503, 503, 200]);
  await setReadOnly("off");
  expect([await ready(), await create(), await refused()]).toEqual([200, 200, 403]);
});
