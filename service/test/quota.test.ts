/**
 * Quotas hold under concurrent requests.
 *
 * @module-tag long
 */

import { expect, test } from "vitest";
import { describeStores } from "./support/databases.js";
import { testService } from "./support/service.js";
import { newAccount } from "./support/world.js";

describeStores("quotas", (open) => {
  test("of 200 createKey at once, 10 below the quota, 10 succeed and 190 are forbidden", async () => {
    const store = await open();
    try {
      const service = await testService(store);
      const world = await newAccount(store, { limitKeys: 13 });
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          service.call("/v1/keys.createKey", world.admin.secret, { apiId: world.active, name: `${i}` }),
        ),
      );
      const made = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ body }) => body.error?.type.endsWith("/authorization/forbidden"));
      expect([made.length, refused.length]).toEqual([10, 190]);
      const { body } = await service.call("/v2/apis.listKeys", world.viewer.secret, { apiId: world.active });
      expect(body.data.keys.length).toBe(10);
      expect(new Set(made.map(({ body: { data } }) => data.keyId)).size).toBe(10);
    } finally {
      await store.close();
    }
  });

  test("a key that is reduced while it is at work does nothing more once that is answered", async () => {
    const store = await open();
    try {
      const service = await testService(store);
      const world = await newAccount(store);
      const create = () => service.call("/v1/keys.createKey", world.editor.secret, { apiId: world.active, name: "x" });
      const early = Array.from({ length: 20 }, create);
      const change = { keyId: world.editor.keyId, roles: ["viewer"] };
      const reduced = await service.call("/v2/keys.updateKey", world.admin.secret, change);
      expect(reduced.status).toBe(200);
      const { body: before } = await service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
      const late = await Promise.all(Array.from({ length: 5 }, create));
      await Promise.all(early);
      expect(late.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      const { body: after } = await service.call("/v2/apis.getApi", world.admin.secret, { apiId: world.active });
      expect(after.data.keyCount).toBe(before.data.keyCount);
    } finally {
      await store.close();
    }
  });
});
