/** Creates an account with one key that may do everything in it. Without this key nobody could make the first request. */

import { parseArgs } from "node:util";
import { z } from "zod";
import { ENVIRONMENTS, PLANS } from "../store/schema.js";
import type { Store } from "../store/store.js";
import { Provisioning } from "./provision.js";

export const USAGE = `usage: create-account [--plan ${PLANS.join("|")}] [--environment ${ENVIRONMENTS.join("|")}] [--apis N] [--keys N] [--workspaces N]`;

const count = z.coerce.number().int().min(1).max(2_147_483_647);
const Options = z.strictObject({
  plan: z.enum(PLANS).default("pro"),
  environment: z.enum(ENVIRONMENTS).default("production"),
  apis: count.default(100),
  keys: count.default(10_000),
  workspaces: count.default(100),
});

export type AccountOptions = z.output<typeof Options>;

/** Throws for unknown arguments. */
export function readAccountOptions(args: readonly string[]): AccountOptions {
  const options = { plan: text, environment: text, apis: text, keys: text, workspaces: text } as const;
  const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  return Options.parse({ ...values });
}

const text = { type: "string" } as const;

/** The ids in the new account, and the secret of its first key, which is shown here only. */
export function createAccount(store: Store, { plan, environment, apis, keys, workspaces }: AccountOptions) {
  return store.transaction(async (queries) => {
    const limits = { limitApis: apis, limitKeys: keys, limitWorkspaces: workspaces };
    const account = await Provisioning.account(queries, { plan, status: "active", ...limits });
    const workspaceId = await account.workspace({ name: "Main", environment });
    // This API holds the keys that manage the account, so nobody must be able to delete it.
    const apiId = await account.api(workspaceId, { name: "Management", system: true, state: "active" });
    const { keyId, secret } = await account.key(apiId, { name: "First admin", roles: ["admin"] });
    return { accountId: account.accountId, workspaceId, apiId, keyId, key: secret };
  });
}
