/** The SQL of operators: snapshots and lists over all accounts, and changes without a key. */

import { change, counted } from "../store/changes.js";
import { ACCOUNT, API, LISTED_OF_KEY, object, WORKSPACE } from "../store/columns.js";
import { ROWS, versionOf } from "../store/snapshots.js";
import type { Statement } from "../store/statement.js";

const KEY = object({
  ...LISTED_OF_KEY,
  prefix: "k.prefix",
  workspaceId: "a.workspace_id",
  environment: "w.environment",
});

const joined = (joins: readonly string[]) => joins.map((join) => `join ${join}`).join(" ");

/** The resource $1 of any account: one row with its version, its account, and its columns; no row if it is missing. */
function snapshot(kind: "workspace" | "api" | "key" | "secret", columns: string): Statement {
  const rows = ROWS[kind];
  // The join with the account follows the resource, so that the resource is found by its own index.
  return {
    name: `operator_${kind}`,
    text: `select ${versionOf(rows, "operator")} as version, t.id as "accountId", ${columns} as target
      from accounts t ${joined(rows.joins("$1"))}`,
  };
}

export const SNAPSHOTS = {
  account: {
    name: "operator_account",
    text: `select ${versionOf(ROWS.nothing, "operator")} as version, t.id as "accountId", ${ACCOUNT} as target
      from accounts t where t.id = $1`,
  },
  workspace: snapshot("workspace", WORKSPACE),
  api: snapshot("api", API),
  key: snapshot("key", KEY),
  /** A key, by the prefix of its secret. */
  secret: snapshot("secret", KEY),
} as const;

/** The rows after the id $1, at most $2, in the order of their ids; those of the account $3. */
const listOf = (name: string, columns: string, [alias, from]: readonly [alias: string, from: string]): Statement => ({
  name: `operator_list_${name}`,
  text: `select ${columns} as item from ${from} and ${alias}.id > $1 order by ${alias}.id limit $2`,
});

const OF_ACCOUNT = "where w.account_id = $3";
const APIS = "workspaces w join apis a on a.workspace_id = w.id";

export const LISTS = {
  accounts: listOf("accounts", ACCOUNT, ["t", "accounts t where ($3::text is null or t.status = $3)"]),
  workspaces: listOf("workspaces", WORKSPACE, ["w", `workspaces w ${OF_ACCOUNT}`]),
  apis: listOf("apis", API, ["a", `${APIS} ${OF_ACCOUNT}`]),
  keys: listOf("keys", KEY, ["k", `${APIS} join keys k on k.api_id = a.id ${OF_ACCOUNT}`]),
} as const;

/** At most $3 keys of the account $1 that were revoked before the time $2 (`id`), in the order of their ids. */
export const REVOKED_BEFORE: Statement = {
  name: "operator_revoked_before",
  text: `select k.id from workspaces w join apis a on a.workspace_id = w.id join keys k on k.api_id = a.id
    where w.account_id = $1 and k.state = 'revoked' and k.revoked_at < $2::timestamptz order by k.id limit $3`,
};

/** The accounts (`id`) with keys that were revoked before the time $1. */
export const ACCOUNTS_WITH_REVOKED: Statement = {
  name: "operator_accounts_with_revoked",
  text: `select distinct account_id as id from keys
    where state = 'revoked' and revoked_at < $1::timestamptz order by account_id`,
};

/** The changes by an operator in the account $1. $2 is the version, $3 the audit entry; see `change`. */
export const CHANGES = {
  account: change(
    "operator_set_account",
    ["nothing", ""],
    {
      set: `plan = $4, status = $5, limit_apis = $6::integer, limit_keys = $7::integer, holds = $8::text[],
        limit_workspaces = $9::integer`,
    },
    undefined,
    "operator",
  ),
  workspaceState: change(
    "operator_set_workspace",
    ["workspace", "$4"],
    {},
    `updated as (update workspaces set state = $5
      from locked where workspaces.id = $4 and workspaces.account_id = locked.id)`,
    "operator",
  ),
  apiState: change(
    "operator_set_api",
    ["api", "$4"],
    {},
    "updated as (update apis set state = $5 from locked where apis.id = $4 and apis.account_id = locked.id)",
    "operator",
  ),
  /** Deletes the records of the revoked keys $4. */
  keysPurged: change(
    "operator_purge_keys",
    ["nothing", ""],
    {},
    `deleted as (delete from keys using locked
      where keys.id = any ($4::text[]) and keys.account_id = locked.id and keys.state = 'revoked')`,
    "operator",
  ),
  /** Revokes a key that is not revoked. $5 is its API. */
  keyRevoked: change(
    "operator_revoke_key",
    ["key", "$4"],
    { keys: -1 },
    `updated as (update keys set state = 'revoked'
      from locked where keys.id = $4 and keys.account_id = locked.id), ${counted("$5", "- 1")}`,
    "operator",
  ),
} as const;
