/** The demonstration's data: enough to provoke every refusal of the contract. */

import { Provisioning } from "../provision/provision.js";
import { hasAccounts, lockAccounts } from "../store/accounts.js";
import type { Store } from "../store/store.js";

type Seeded = NonNullable<Awaited<ReturnType<typeof seedDemo>>>;
export type DemoKeys = Seeded["keys"];
export type DemoApis = Seeded["apis"];
export type Demo = Seeded;

/** Fills an empty store. If the store has an account, changes nothing and returns undefined. */
export function seedDemo(store: Store) {
  return store.transaction(async (queries) => {
    // Serializes demonstrations that start together on one store: the first one fills it.
    await lockAccounts(queries);
    if (await hasAccounts(queries)) return undefined;
    const pro = { plan: "pro", status: "active", limitApis: 100, limitKeys: 10_000 } as const;
    const production = { name: "Production", environment: "production" } as const;
    const active = { state: "active" } as const;
    const management = { name: "Management", system: true, ...active };

    const main = await Provisioning.account(queries, pro);
    const workspace = await main.workspace(production);
    const apis = {
      active: await main.api(workspace, { name: "Active", ...active }),
      system: await main.api(workspace, management),
      suspended: await main.api(workspace, { name: "Suspended", state: "suspended" }),
      delete_protected: await main.api(workspace, { name: "Delete-protected", deleteProtection: true, ...active }),
      draft: await main.api(workspace, { name: "Draft", state: "draft" }),
    };
    const admin = await main.key(apis.system, { name: "admin", roles: ["admin"] });
    const editor = await main.key(apis.system, { name: "editor", roles: ["editor"] });
    const readOnly = await main.key(apis.system, { name: "read_only", roles: ["viewer"] });
    const limited = await main.key(apis.system, {
      name: "limited",
      roles: ["custom"],
      permissions: [`api.${apis.active}.create_key`],
    });

    const otherWorkspace = await main.workspace({ name: "Other", environment: "production" });
    const otherApi = await main.api(otherWorkspace, { name: "Other", ...active });
    const other = await main.key(otherApi, {
      name: "other_workspace",
      roles: ["admin"],
      workspaceIds: [otherWorkspace],
    });
    const sandbox = await main.workspace({ name: "Development", environment: "development" });
    const sandboxApi = await main.api(sandbox, { name: "Development", ...active });
    const development = await main.key(sandboxApi, { name: "development", roles: ["admin"] });

    /** Another account, its admin and one active API. */
    const tenant = async (account: Parameters<typeof Provisioning.account>[1]) => {
      const made = await Provisioning.account(queries, account);
      const place = await made.workspace(production);
      const own = await made.key(await made.api(place, management), { name: "admin", roles: ["admin"] });
      return { admin: own.secret, api: await made.api(place, { name: "Active", ...active }) };
    };
    const full = await tenant({ ...pro, limitKeys: 1 });

    return {
      keys: {
        admin: admin.secret,
        editor: editor.secret,
        read_only: readOnly.secret,
        limited: limited.secret,
        other_workspace: other.secret,
        development: development.secret,
        full_admin: full.admin,
      },
      apis: { ...apis, full: full.api },
      /** Further ids and secrets for the commands. */
      more: {
        limitedKeyId: limited.keyId,
        emptyApi: await main.api(workspace, { name: "Empty", ...active }),
        onHold: await tenant({ ...pro, holds: ["abuse"] }),
        free: await tenant({ ...pro, plan: "free" }),
      },
    };
  });
}
