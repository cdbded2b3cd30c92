/** Creates resources that no operation creates: accounts, system APIs, first keys. */

import { newPrefix, newSecret } from "../auth/secret.js";
import { countInAccount, insertAccount, lockAccount } from "../store/accounts.js";
import { newId } from "../store/ids.js";
import { countInApi, insertApi, insertKey, insertWorkspace } from "../store/insert.js";
import type { accounts, apis, keys, workspaces } from "../store/schema.js";
import type { Queries } from "../store/store.js";

type ProvisionedFields<Table extends { $inferInsert: object }, Field extends keyof Table["$inferInsert"]> = Omit<
  Table["$inferInsert"],
  "id" | "accountId" | "workspaceId" | Field
>;

/** Creates resources in one account. Call each method within a transaction. */
export class Provisioning {
  readonly accountId: string;
  private readonly queries: Queries;

  private constructor(queries: Queries, accountId: string) {
    this.queries = queries;
    this.accountId = accountId;
  }

  static async account(queries: Queries, account: ProvisionedFields<typeof accounts, never>): Promise<Provisioning> {
    const id = newId("acc");
    await insertAccount(queries, { ...account, id });
    return await Provisioning.of(queries, id);
  }

  /** For an existing account. */
  static async of(queries: Queries, accountId: string): Promise<Provisioning> {
    await lockAccount(queries, accountId);
    return new Provisioning(queries, accountId);
  }

  async workspace(workspace: ProvisionedFields<typeof workspaces, never>): Promise<string> {
    const id = newId("ws");
    await insertWorkspace(this.queries, { ...workspace, id, accountId: this.accountId });
    await countInAccount(this.queries, this.accountId, { workspaces: 1 });
    return id;
  }

  async api(workspaceId: string, api: ProvisionedFields<typeof apis, "keyCount">): Promise<string> {
    const id = newId("api");
    await insertApi(this.queries, { ...api, id, workspaceId, accountId: this.accountId });
    await countInAccount(this.queries, this.accountId, { apis: 1 });
    return id;
  }

  /** The result contains the key's secret, which is stored nowhere. */
  async key(
    apiId: string,
    key: ProvisionedFields<typeof keys, "apiId" | "prefix" | "hash" | "permissions" | "workspaceIds"> &
      Partial<Pick<typeof keys.$inferInsert, "permissions" | "workspaceIds">>,
  ): Promise<{ readonly keyId: string; readonly secret: string }> {
    const { secret, prefix, hash } = newSecret(newPrefix(this.accountId));
    const id = newId("key");
    const defaults = { permissions: [], workspaceIds: ["*"] };
    await insertKey(this.queries, { ...defaults, ...key, id, apiId, prefix, hash, accountId: this.accountId });
    if (key.state !== "revoked") {
      await countInApi(this.queries, apiId, 1);
      await countInAccount(this.queries, this.accountId, { keys: 1 });
    }
    return { keyId: id, secret };
  }
}
