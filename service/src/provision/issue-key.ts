/** Issues a key that administers an account: the operator's way back into an account that has lost all its keys. */

import { parseArgs } from "node:util";
import { z } from "zod";
import { newPrefix, newSecret } from "../auth/secret.js";
import { instantOf } from "../operations/views.js";
import { ISSUE_KEY } from "../store/changes.js";
import { newId } from "../store/ids.js";
import type { AdminApiRow } from "../store/rows.js";
import { ENVIRONMENTS } from "../store/schema.js";
import { ADMIN_PLACE } from "../store/snapshots.js";
import type { RequestStore } from "../store/store.js";

export const ISSUE_USAGE = `usage: issue-key --account ID [--environment ${ENVIRONMENTS.join("|")}]`;

const Options = z.strictObject({ account: z.string().min(1), environment: z.enum(ENVIRONMENTS).optional() });

export type IssueOptions = z.output<typeof Options>;

/** Throws for unknown arguments. */
export function readIssueOptions(args: readonly string[]): IssueOptions {
  const options = { account: { type: "string" }, environment: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  return Options.parse({ ...values });
}

/** The account does not exist, or has no API for the key. */
export class NoApiForKey extends Error {
  override readonly name = "NoApiForKey";
}

/** The author of the key, for the audit chain: fields of the audit entry. */
export interface IssuedBy {
  readonly operator: string;
  readonly command?: string;
  readonly reason?: string | undefined;
}

/** How often the key is issued again after the account was changed concurrently. */
const ATTEMPTS = 100;

/**
 * The ids of the key, and its secret, which is shown here only. Ignores the limits of the account. Rejects with {@link
 * NoApiForKey}.
 */
export async function issueKey(
  store: RequestStore,
  { account, environment }: IssueOptions,
  by: IssuedBy = { operator: "issue-key" },
) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [place] = await store.run<AdminApiRow>(ADMIN_PLACE, [account, environment ?? null]);
    if (place === undefined) throw new NoApiForKey(`there is no account ${account}`);
    const { version, apiId } = place;
    const where = environment === undefined ? account : `${account} in ${environment}`;
    if (apiId === null) throw new NoApiForKey(`there is no API in ${where} that the key could belong to`);
    const { secret, prefix, hash } = newSecret(newPrefix(account));
    const keyId = newId("key");
    const time = instantOf(Date.now());
    const change = { keyId, roles: ["admin"], permissions: [], workspaceIds: ["*"], expiresAt: null };
    const entry = JSON.stringify({ time, ...by, accountId: account, apiId, change });
    const { roles, permissions, workspaceIds } = change;
    const key = [
      keyId,
      apiId,
      "Issued by the operator",
      prefix,
      hash,
      roles,
      permissions,
      workspaceIds,
      null,
      time,
      null,
    ];
    const made = await store.run(ISSUE_KEY, [account, version, entry, ...key]);
    if (made.length > 0) return { accountId: account, apiId, keyId, key: secret };
  }
  throw new Error("the account was changed meanwhile, again and again");
}
