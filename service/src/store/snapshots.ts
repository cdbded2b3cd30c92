/** The SQL of snapshots: a request reads all rows for its decision in one statement. */

import { ACCOUNT, API, ancestors, CALLER, KEY, object, oldHash, usable, WORKSPACE } from "./columns.js";
import type { Statement } from "./statement.js";

/** The rows of a resource of an account (`t`), found by a parameter: the resource and its containers. */
interface ResourceRows {
  /** From the outermost to the innermost: the order in which changes lock the rows. */
  readonly aliases: readonly string[];
  readonly joins: (parameter: string) => readonly string[];
}

const WORKSPACE_OF_API = "workspaces w on w.id = a.workspace_id";
const API_OF_KEY = ["apis a on a.id = k.api_id", WORKSPACE_OF_API];
export const ROWS = {
  nothing: { aliases: [], joins: () => [] },
  workspace: { aliases: ["w"], joins: (id) => [`workspaces w on w.id = ${id} and w.account_id = t.id`] },
  api: {
    aliases: ["w", "a"],
    joins: (id) => [`apis a on a.id = ${id} and a.account_id = t.id`, WORKSPACE_OF_API],
  },
  key: {
    aliases: ["w", "a", "k"],
    joins: (id) => [`keys k on k.id = ${id} and k.account_id = t.id`, ...API_OF_KEY],
  },
  secret: {
    aliases: ["w", "a", "k"],
    joins: (prefix) => [`keys k on k.prefix = ${prefix} and k.account_id = t.id`, ...API_OF_KEY],
  },
} as const satisfies { readonly [target: string]: ResourceRows };

/** The maker of a change: a key of the account, or an operator, who has no key. */
export type ChangeMaker = "key" | "operator";

/**
 * The aliases of every row that a decision depends on: the account, the resource and its containers, and the caller's
 * key.
 */
export const decidedOn = ({ aliases }: ResourceRows, by: ChangeMaker): readonly string[] => [
  "t",
  ...aliases,
  ...(by === "key" ? ["c"] : []),
];

/** The version of those rows: `xmin` is the transaction that last wrote a row. */
export const versionOf = (rows: ResourceRows, by: ChangeMaker) =>
  `concat_ws(' ', ${decidedOn(rows, by).map((alias) => `${alias}.xmin`)})`;

/**
 * The snapshot for a request: the key with the secret's prefix $1, its account, and the resource $2 if the account owns
 * it. One row (`SightRow`); no row for an unknown key.
 */
function sight(kind: keyof typeof ROWS, target?: { readonly id: string; readonly columns: string }): Statement {
  const rows = ROWS[kind];
  const resource = target === undefined ? "null" : `case when ${target.id} is not null then ${target.columns} end`;
  return {
    name: `sight_${kind}`,
    text: `select ${versionOf(rows, "key")} as version, ${CALLER} as caller, ${ACCOUNT} as account, ${resource} as target
      from keys c
      join apis ca on ca.id = c.api_id
      join workspaces cw on cw.id = ca.workspace_id
      join accounts t on t.id = c.account_id
      ${rows
        .joins("$2")
        .map((join) => `left join ${join}`)
        .join("\n      ")}
      where c.prefix = $1`,
  };
}

/** The keys with the prefixes $1 (`KeyProof`). */
export const KEY_PROOFS: Statement = {
  name: "key_proofs",
  text: `select c.prefix, c.account_id as "accountId", c.hash, ${oldHash("c")} as "oldHash", c.state, ${usable("c")} as usable
    from keys c where c.prefix = any($1::text[])`,
};

export const SNAPSHOTS = {
  nothing: sight("nothing"),
  workspace: sight("workspace", { id: "w.id", columns: WORKSPACE }),
  api: sight("api", { id: "a.id", columns: API }),
  key: sight("key", { id: "k.id", columns: KEY }),
  /** A key, by the prefix of its secret. */
  secret: sight("secret", { id: "k.id", columns: KEY }),
} as const satisfies { readonly [target in keyof typeof ROWS]: Statement };

/**
 * The API for a key that administers the account $1, in the environment $2 if not null: the first system API, or else
 * the first API. One row, with a null API if none is found; no row if the account does not exist.
 */
export const ADMIN_PLACE: Statement = {
  name: "admin_place",
  text: `select ${versionOf(ROWS.api, "operator")} as version, a.id as "apiId" from accounts t
    left join lateral (select p.id from apis p join workspaces pw on pw.id = p.workspace_id
      where p.account_id = t.id and ($2::text is null or pw.environment = $2)
      order by p.system desc, p.created_at, p.id limit 1) place on true
    ${ROWS.api
      .joins("place.id")
      .map((join) => `left join ${join}`)
      .join("\n    ")}
    where t.id = $1`,
};

/** A key of the account $1 with the id $2, and the keys above it (`AncestorRow`, and `ancestors`). */
export const KEY_WITH_ANCESTORS: Statement = {
  name: "key_with_ancestors",
  text: `select ${object({
    id: "k.id",
    accountId: "k.account_id",
    parentId: "k.parent_id",
    roles: "k.roles",
    permissions: "k.permissions",
    workspaceIds: "k.workspace_ids",
    environment: "w.environment",
    usable: usable("k"),
    ancestors: ancestors("k"),
  })} as key from keys k join apis a on a.id = k.api_id join workspaces w on w.id = a.workspace_id
    where k.account_id = $1 and k.id = $2`,
};

/** The ids in $2 that are workspaces of the account $1. */
export const WORKSPACES: Statement = {
  name: "workspaces",
  text: "select id from workspaces where account_id = $1 and id = any ($2::text[])",
};
