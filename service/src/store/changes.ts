/**
 * The SQL of changes. A request makes all its changes in one statement, which locks the account's row first; see the
 * invariant "one lock".
 */

import { answered } from "./answers.js";
import { link } from "./audit-statements.js";
import { credited } from "./credits.js";
import { type ChangeMaker, decidedOn, ROWS, versionOf } from "./snapshots.js";
import type { Statement } from "./statement.js";

/** The effects of a change on the row of its account. */
interface AccountEffects {
  /** The number of APIs to add to its usage. */
  readonly apis?: number;
  /** The number of keys to add to its usage. */
  readonly keys?: number;
  /** The number of workspaces to add to its usage. */
  readonly workspaces?: number;
  /** Further assignments, by SQL. */
  readonly set?: string;
}

/**
 * A change by the key $1, or by an operator in the account $1, with the audit entry $3. It is made only if the rows of
 * the decision still have the version $2. Returns one row if it was made; otherwise no row, and nothing has changed.
 * `kind` is the kind of the resource, `parameter` the parameter with its id.
 *
 * INVARIANT (one lock): every change locks the row of the account first. So changes of one account run one after
 * another, and each invalidates the versions that the others have read. The other rows are locked as well, from the
 * outermost on, since the platform changes them by SQL that need not lock the account. A locked row is read as of the
 * lock, not as of the statement's beginning.
 */
export function change(
  name: string,
  [kind, parameter]: readonly [kind: keyof typeof ROWS, parameter: string],
  { apis = 0, keys = 0, workspaces = 0, set }: AccountEffects,
  effect: string | undefined,
  by: ChangeMaker = "key",
): Statement {
  const rows = ROWS[kind];
  const from = by === "key" ? "keys c join accounts t on t.id = c.account_id" : "accounts t";
  return {
    name,
    text: `with unchanged as materialized (
        select t.id from ${from}
        ${rows
          .joins(parameter)
          .map((join) => `join ${join}`)
          .join("\n        ")}
        where ${by === "key" ? "c" : "t"}.id = $1 and ${versionOf(rows, by)} = $2
        for no key update of ${decidedOn(rows, by).join(", ")}),
      locked as (
        update accounts set used_apis = used_apis + ${apis}, used_keys = used_keys + ${keys},
          used_workspaces = used_workspaces + ${workspaces}${set === undefined ? "" : `, ${set}`}
        from unchanged where accounts.id = unchanged.id returning accounts.id),
      ${effect === undefined ? "" : `${effect},`}
      head as (
        update audit_heads h
        set seq = h.seq + 1, hash = ${link("h.hash", "h.account_id", "(h.seq + 1)", "$3::text")}
        from locked where h.account_id = locked.id returning h.account_id, h.seq, h.hash),
      audited as (insert into audit (account_id, seq, entry, hash) select account_id, seq, $3::text, hash from head)
      select id from locked`,
  };
}

export const counted = (api: string, by: string) =>
  `counted as (update apis set key_count = key_count ${by} from locked where apis.id = ${api})`;
const KEY_UPDATED = `updated as (update keys set roles = $4::text[], permissions = $5::text[], state = $6,
    name = $8, workspace_ids = $9::text[], expires_at = $10::timestamptz, external_id = $11, meta = $12::json,
    product_permissions = $14::text[]
  from locked where keys.id = $7 and keys.account_id = locked.id), ${credited("$7", "$13")}`;
const KEY_DELETED = "deleted as (delete from keys using locked where keys.id = $4 and keys.account_id = locked.id)";

export const CREATE_WORKSPACE = change(
  "create_workspace",
  ["nothing", ""],
  { workspaces: 1 },
  `made as (insert into workspaces (id, account_id, name, environment, created_at)
    select $4, locked.id, $5, $6, $7::timestamptz from locked), ${answered("$8")}`,
);
/** The workspace must have no APIs. */
export const DELETE_WORKSPACE = change(
  "delete_workspace",
  ["workspace", "$4"],
  { workspaces: -1 },
  "deleted as (delete from workspaces using locked where workspaces.id = $4 and workspaces.account_id = locked.id)",
);
export const CREATE_API = change(
  "create_api",
  ["workspace", "$5"],
  { apis: 1 },
  `made as (insert into apis (id, account_id, workspace_id, name, state, delete_protection, created_at)
    select $4, locked.id, $5, $6, $7, $8::boolean, $9::timestamptz from locked), ${answered("$10")}`,
);
export const UPDATE_API = change(
  "update_api",
  ["api", "$6"],
  {},
  `updated as (update apis set state = $4, delete_protection = $5::boolean
    from locked where apis.id = $6 and apis.account_id = locked.id)`,
);
/** Also deletes the records of revoked keys in the API. */
export const DELETE_API = change(
  "delete_api",
  ["api", "$4"],
  { apis: -1 },
  "deleted as (delete from apis using locked where apis.id = $4 and apis.account_id = locked.id)",
);
/** `more`: further columns, with their values. */
const keyMade = (more: { readonly [column: string]: string } = {}) => {
  const [columns, values] = [Object.keys(more), Object.values(more)].map((list) =>
    list.map((each) => `, ${each}`).join(""),
  );
  return `made as (insert into keys
      (id, account_id, api_id, name, prefix, hash, roles, permissions, workspace_ids, expires_at, created_at, parent_id${columns})
    select $4, locked.id, $5, $6, $7, $8, $9::text[], $10::text[], $11::text[], $12::timestamptz, $13::timestamptz, $14${values}
    from locked), ${counted("$5", "+ 1")}`;
};
export const CREATE_KEY = change(
  "create_key",
  ["api", "$5"],
  { keys: 1 },
  `${keyMade({ external_id: "$15", meta: "$16::json", product_permissions: "$18::text[]" })}, ${credited("$4", "$17")}, ${answered("$19")}`,
);
/** As {@link CREATE_KEY}, by an operator, and without an answer. */
export const ISSUE_KEY = change("issue_key", ["api", "$5"], { keys: 1 }, keyMade(), "operator");
export const UPDATE_KEY = change("update_key", ["key", "$7"], {}, KEY_UPDATED);
/** As {@link UPDATE_KEY}; the key does not count towards the quota any more. $15 is its API. */
export const REVOKE_KEY = change("revoke_key", ["key", "$7"], { keys: -1 }, `${KEY_UPDATED}, ${counted("$15", "- 1")}`);
/** Gives a key another secret, with the hash $4. The present one works until $5; without $5 it ends. */
export const REROLL_KEY = change(
  "reroll_key",
  ["key", "$6"],
  {},
  `rerolled as (update keys
    set hash = $4, old_hash = case when $5::timestamptz is not null then keys.hash end, old_until = $5::timestamptz
    from locked where keys.id = $6 and keys.account_id = locked.id), ${answered("$7")}`,
);
/** Deletes a counted key. $5 is its API. */
export const DELETE_KEY = change("delete_key", ["key", "$4"], { keys: -1 }, `${KEY_DELETED}, ${counted("$5", "- 1")}`);
/** Deletes the record of a revoked key. */
export const DELETE_REVOKED_KEY = change("delete_revoked_key", ["key", "$4"], {}, KEY_DELETED);
