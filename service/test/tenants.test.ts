/** No answer reveals anything about another tenant. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { type Answer, type TestService, testService } from "./support/service.js";
import { add, newAccount, type World } from "./support/world.js";

describeStores("tenants", (open) => {
  let store: Store;
  let service: TestService;
  let mine: World;
  let theirs: World;
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
    mine = await newAccount(store);
    theirs = await newAccount(store, { holds: ["abuse"] });
  });
  afterAll(() => store.close());

  const withoutId = ({ text, status, headers, body }: Answer) => ({
    status,
    text: text.replace(body.meta.requestId, "req_"),
    headers: [...headers].filter(([name]) => name !== "x-request-id"),
  });

  test.each([
    ["/v1/keys.createKey", "apiId", { name: "x" }],
    ["/v2/apis.getApi", "apiId", {}],
    ["/v2/apis.updateApi", "apiId", { state: "active" }],
    ["/v2/apis.deleteApi", "apiId", {}],
    ["/v2/apis.listKeys", "apiId", {}],
    ["/v2/apis.createApi", "workspaceId", { name: "x" }],
    ["/v2/apis.listApis", "workspaceId", {}],
    ["/v2/keys.revokeKey", "keyId", {}],
    ["/v2/keys.getKey", "keyId", {}],
    ["/v2/keys.updateKey", "keyId", { state: "disabled" }],
    ["/v2/keys.deleteKey", "keyId", {}],
  ] as const)("%s: an id of another account is as unknown as one of nobody's", async (path, field, more) => {
    const suspended = await add(store, theirs, (things) =>
      things.api(theirs.workspaceId, { name: "x", state: "suspended" }),
    );
    const foreign = {
      apiId: [theirs.active, theirs.system, suspended],
      workspaceId: [theirs.workspaceId],
      keyId: [theirs.admin.keyId],
    }[field];
    service.records.length = 0;
    // A key with every permission, and a key that can only read.
    for (const { secret } of [mine.admin, mine.viewer]) {
      const unknown = withoutId(await service.call(path, secret, { [field]: "api_ffffffffffffffffffffffff", ...more }));
      expect(unknown.status).toBe(404);
      for (const id of [...foreign, "__proto__", "constructor"]) {
        expect(withoutId(await service.call(path, secret, { [field]: id, ...more }))).toEqual(unknown);
      }
    }
    expect(service.records).toEqual([]);
  });

  test("and nothing of it was changed", async () => {
    const { body } = await service.call("/v2/apis.getApi", theirs.admin.secret, { apiId: theirs.active });
    expect(body.data).toMatchObject({ state: "active", keyCount: 0 });
  });
});
