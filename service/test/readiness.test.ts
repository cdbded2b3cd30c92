/** Readiness answers within its time, whichever part hangs, and asks a part that hangs only once. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { testService } from "./support/service.js";

let store: Store;
beforeAll(async () => {
  store = await openNewPglite();
});
afterAll(() => store.close());

test("a store that hangs: 503 in time, one question to the store, and ready again once it answers", async () => {
  let asked = 0;
  let answer = () => {};
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const ping = () => {
    asked++;
    return hanging;
  };
  const service = await testService({ ...store, ping }, { readinessTimeoutMs: 20 });
  const ready = async () => (await service.app.request("/readyz")).status;
  expect(await Promise.all([ready(), ready()])).toEqual([503, 503]);
  expect(await ready()).toBe(503);
  expect(asked).toBe(1);
  answer();
  expect(await ready()).toBe(200);
  // A check that has ended is not used again.
  expect(await ready()).toBe(200);
  expect(asked).toBe(2);
});

test("a part that fails after the time limit leaves no unhandled rejection, and the next probe asks again", async () => {
  let fail = (_: Error) => {};
  const service = await testService(
    {
      ...store,
      ping: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    },
    { readinessTimeoutMs: 20 },
  );
  const ready = async () => (await service.app.request("/readyz")).status;
  expect(await ready()).toBe(503);
  fail(new Error("late"));
  await new Promise((resolve) => setTimeout(resolve, 0));
  const next = ready();
  await new Promise((resolve) => setTimeout(resolve, 0));
  fail(new Error("at once"));
  expect(await next).toBe(503);
});
