/**
 * The demonstration's data.
 *
 * @module-tag long
 */

import { expect, test } from "vitest";
import { seedDemo } from "../src/demo/seed.js";
import { openPostgres } from "../src/store/postgres.js";
import { accounts } from "../src/store/schema.js";
import { describeStores, NO_POSTGRES, newDatabase, skipped } from "./support/databases.js";

describeStores("the demonstration", (open) => {
  test("fills an empty store once, and no other", async () => {
    const store = await open();
    try {
      const seeded = await Promise.all([seedDemo(store), seedDemo(store)]);
      expect(seeded.filter((demo) => demo !== undefined).length).toBe(1);
      expect(await seedDemo(store)).toBe(undefined);
    } finally {
      await store.close();
    }
  });
});

test.skipIf(NO_POSTGRES !== undefined)(
  `of several that start together on one server, one fills it${skipped(NO_POSTGRES)}`,
  async () => {
    const options = { url: await newDatabase(), connections: 2, timeoutMs: 30_000, onError: () => {} };
    const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgres(options)));
    try {
      const seeded = await Promise.all(stores.map(seedDemo));
      const demos = seeded.filter((demo) => demo !== undefined);
      expect(demos.length).toBe(1);
      const one = await stores[0]?.queries.select().from(accounts);
      expect(one?.length).toBe(4);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  },
);
