/** Accounts for tests. */

import { Provisioning } from "../../src/provision/provision.js";
import type { Store } from "../../src/store/store.js";

const PRO = { plan: "pro", status: "active", limitApis: 100, limitKeys: 1_000 } as const;

/** An account with a production workspace, an active API without keys, and keys in a system API. */
export async function newAccount(store: Store, account: Partial<Parameters<typeof Provisioning.account>[1]> = {}) {
  return await store.transaction(async (queries) => {
    const made = await Provisioning.account(queries, { ...PRO, ...account });
    const workspaceId = await made.workspace({ name: "Production", environment: "production" });
    const system = await made.api(workspaceId, { name: "Management", system: true, state: "active" });
    const active = await made.api(workspaceId, { name: "Active", state: "active" });
    const key = (name: string, roles: Role[], more: object = {}) => made.key(system, { name, roles, ...more });
    return {
      accountId: made.accountId,
      workspaceId,
      system,
      active,
      admin: await key("admin", ["admin"]),
      editor: await key("editor", ["editor"]),
      viewer: await key("viewer", ["viewer"]),
    };
  });
}

type Role = "viewer" | "editor" | "admin" | "custom";
export type World = Awaited<ReturnType<typeof newAccount>>;

/** Adds resources to an account: `add(store, world, (things) => things.api(…))`. */
export async function add<T>(
  store: Store,
  { accountId }: World,
  work: (things: Provisioning) => Promise<T>,
): Promise<T> {
  return await store.transaction(async (queries) => work(await Provisioning.of(queries, accountId)));
}
