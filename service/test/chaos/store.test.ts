/**
 * A store whose connection breaks at random, before or after it runs a statement.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/support/size.js";
import { StoreUnavailable } from "../../src/store/faults.js";
import type { Store } from "../../src/store/store.js";
import { describeStores } from "../support/databases.js";
import { testService } from "../support/service.js";
import { expectAudited, newCast } from "./stage.js";
import { type Post, Storm } from "./storm.js";

const STATEMENTS = sized(5_000);

describeStores("a store that fails at random", (open) => {
  test("nothing that was answered is lost, nothing opens, and what was made is counted", async () => {
    const store = await open();
    try {
      const faults = fc.sample(fc.constantFrom("none", "none", "none", "before", "after"), {
        numRuns: STATEMENTS,
        seed: 20_261_122,
      });
      const broken = () => new StoreUnavailable("broken");
      const run: Store["run"] = async (statement, values) => {
        const fault = faults.pop();
        if (fault === "before") throw broken();
        const rows = await store.run(statement, values);
        if (fault === "after") throw broken();
        return rows as never;
      };
      const cast = await newCast(store);
      const service = await testService(store, { store: { ...store, run } });
      // Yields to the event loop: without a socket in between, no request would ever wait, and timers would starve.
      const post: Post = async (path, key, body) => {
        await new Promise((resolve) => setImmediate(resolve));
        return await service.call(path, key, body);
      };
      const storm = new Storm(post, cast);
      storm.begin(8);
      while (faults.length > 0 && storm.violations.length === 0) await storm.last(50);
      await storm.end();
      expect(await storm.isCalm()).toBe(true);
      await storm.settle();
      expect(storm.violations).toEqual([]);
      for (const status of [200, 401, 403, 404, 503]) {
        expect(storm.statuses.get(status) ?? 0).toBeGreaterThan(STATEMENTS / 100);
      }
      await expectAudited(store, storm);
    } finally {
      await store.close();
    }
  });
});
