/** `issue-key`: the operator's way back into an account after all its keys are lost. */

import { expect, test } from "vitest";
import { exportedChains } from "../src/audit-export.js";
import { chainOf, verifyAudit } from "../src/audit-log.js";
import { issueKey, NoApiForKey, readIssueOptions } from "../src/provision/issue-key.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import type { TestService } from "./support/service.js";
import { add, newAccount } from "./support/world.js";

describeStores("issue-key", (open) => {
  let store: Store;
  let service: TestService;
  useService(open, (made) => ({ store, service } = made));

  const status = async (path: string, key: string, body: object) => (await service.call(path, key, body)).status;
  const entries = async (accountId: string) => {
    const list: unknown[] = [];
    for await (const { entry } of chainOf(store, accountId)) list.push(JSON.parse(entry));
    return list;
  };

  test("makes an admin of an account that has lost its last, whatever the account may, and is audited", async () => {
    const own = await newAccount(store, { limitKeys: 3, holds: ["abuse"] });
    const { accountId, system, admin } = own;
    expect(await status("/v2/keys.revokeKey", admin.secret, { keyId: admin.keyId })).toBe(200);
    expect(await status("/v2/keys.whoami", admin.secret, {})).toBe(401);
    await add(store, own, (things) => things.key(system, { name: "x", roles: ["viewer"] }));
    const { key, ...issued } = await issueKey(store, { account: accountId });
    expect(issued).toEqual({ accountId, apiId: system, keyId: expect.stringMatching(/^key_/) });
    const { body } = await service.call("/v2/keys.whoami", key, {});
    expect(body.data).toMatchObject({
      roles: ["admin"],
      workspaceIds: ["*"],
      environment: "production",
      expiresAt: null,
    });
    expect((await service.call("/v2/apis.getApi", key, { apiId: system })).body.data.keyCount).toBe(4);
    const list = await entries(accountId);
    expect(list.at(-1)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      operator: "issue-key",
      accountId,
      apiId: system,
      change: { keyId: issued.keyId, roles: ["admin"], permissions: [], workspaceIds: ["*"], expiresAt: null },
    });
    expect(JSON.stringify(list)).not.toContain(key);
    expect((await verifyAudit(store)).faults).toEqual([]);
    // The export contains decisions only, and issuing a key involves no decision.
    const exported: object[] = [];
    for await (const entry of exportedChains(store)) exported.push(entry);
    expect(JSON.stringify(exported)).not.toContain("issue-key");
    // The new key is now the last admin key.
    expect(await status("/v2/keys.deleteKey", key, { keyId: issued.keyId })).toBe(403);
  });

  test("in the environment that is named, in an API of the system's if there is one", async () => {
    const own = await newAccount(store);
    const account = own.accountId;
    const sandbox = await add(store, own, async (things) =>
      things.api(await things.workspace({ name: "Sandbox", environment: "development" }), { name: "x" }),
    );
    const issued = await Promise.all([
      issueKey(store, { account }),
      issueKey(store, { account, environment: "production" }),
      issueKey(store, { account, environment: "development" }),
    ]);
    expect(issued.map(({ apiId }) => apiId)).toEqual([own.system, own.system, sandbox]);
  });

  test("of an account that is not there, or has no API there, issues nothing", async () => {
    const { accountId } = await newAccount(store);
    await expect(issueKey(store, { account: "acc_none" })).rejects.toThrow(
      new NoApiForKey("there is no account acc_none"),
    );
    await expect(issueKey(store, { account: accountId, environment: "development" })).rejects.toThrow(
      new NoApiForKey(`there is no API in ${accountId} in development that the key could belong to`),
    );
    expect(await entries(accountId)).toEqual([]);
  });
});

test.each([[], ["--account"], ["--account", ""], ["acc_1"], ["--account", "a", "--environment", "x"], ["--key", "a"]])(
  "arguments that the command does not know: %j %j %j %j",
  (...args) => {
    expect(() => readIssueOptions(args.filter((arg) => arg !== undefined))).toThrow();
  },
);
