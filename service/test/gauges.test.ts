/** Metrics of the parts: lanes of accounts, connections, the breaker and reloads. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics } from "../src/observability/metrics.js";
import { withBreaker } from "../src/policies/breaker.js";
import { embeddedDecider, NoDecision } from "../src/policies/decider.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { until } from "./support/process.js";
import { testService } from "./support/service.js";
import { newAccount } from "./support/world.js";

let store: Store;
beforeAll(async () => {
  store = await openNewPglite();
});
afterAll(() => store.close());

const valuesOf = (text: string) =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.startsWith("keyward_"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );

test.each([1, 4])("requests of an account that are at work, %i at a time, and those in line", async (most) => {
  const { admin } = await newAccount(store);
  let go = () => {};
  let isHeld = false;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const run: Store["run"] = async (...args) => {
    if (isHeld) await held;
    return await store.run(...args);
  };
  const connections = () => ({ total: 5, idle: 2, waiting: 7 });
  const service = await testService({ ...store, run, connections }, { accountConcurrency: most });
  const values = async () => valuesOf(await (await service.app.request("/metrics")).text());
  const idle = { 'keyward_account_requests{state="running"}': 0, 'keyward_account_requests{state="waiting"}': 0 };
  expect(await values()).toMatchObject({
    ...idle,
    'keyward_store_connections{state="idle"}': 2,
    'keyward_store_connections{state="busy"}': 3,
    keyward_store_waiting: 7,
    keyward_policies_refused: 0,
  });
  // A key that is known waits in the lane of its account.
  expect((await service.call("/v2/keys.whoami", admin.secret, {})).status).toBe(200);
  isHeld = true;
  const calls = Array.from({ length: 6 }, () => service.call("/v2/keys.whoami", admin.secret, {}));
  const waiting = 'keyward_account_requests{state="waiting"}';
  await until("the others wait", async () => (await values())[waiting] === 6 - most);
  expect(await values()).toMatchObject({ 'keyward_account_requests{state="running"}': most });
  go();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(await values()).toMatchObject(idle);
});

test("a breaker that has opened, and reloads", async () => {
  const { admin, active } = await newAccount(store);
  const metrics = createMetrics();
  const { policies } = await testService(store);
  let fails = true;
  const own = embeddedDecider(policies);
  const decide: typeof own.decide = (...args) => (fails ? Promise.reject(new NoDecision("none")) : own.decide(...args));
  let now = 0;
  const decider = withBreaker({ ...own, decide }, { failures: 2, pauseMs: 10, now: () => now });
  const service = await testService(store, { decider, metrics });
  const isOpen = async () => valuesOf(await metrics.text()).keyward_pdp_breaker_open;
  const get = async () => (await service.call("/v2/apis.getApi", admin.secret, { apiId: active })).status;
  expect([await get(), await isOpen()]).toEqual([503, 0]);
  expect([await get(), await isOpen()]).toEqual([503, 1]);
  [fails, now] = [false, 20];
  expect([await get(), await isOpen()]).toEqual([200, 0]);
  metrics.reload("refused");
  expect(valuesOf(await metrics.text())).toMatchObject({ 'keyward_policies_reloads_total{result="refused"}': 1 });
});
