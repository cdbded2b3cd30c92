/**
 * The SQL of requests. A request reads all rows for its decision in one statement, and makes all its changes in
 * another. Each change locks the account's row first; see the invariant "one lock".
 */

/** A statement, prepared once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether the text belongs to one request. Then it is not prepared, as connections would keep every such text. */
  readonly isOwn?: boolean;
}

/** In milliseconds. */
const time = (column: string) => `extract(epoch from ${column}) * 1000`;

/** A column that is a JSON object, which both clients parse alike, and fast. */
export const object = (fields: { readonly [name: string]: string }) =>
  `json_build_object(${Object.entries(fields)
    .flatMap(([name, value]) => [`'${name}'`, value])
    .join(", ")})`;

/** The hash of the secret before the present one, while it works. */
const oldHash = (key: string) => `case when ${key}.old_until > now() then ${key}.old_hash end`;

/** Whether a key may make requests. */
const usable = (key: string) =>
  `(${key}.state = 'enabled' and (${key}.expires_at is null or ${key}.expires_at > now()))`;

/**
 * The most keys of a chain: a key, its parent, and so on. One more is read, so that a chain that is too long is noticed.
 */
export const MAX_CHAIN = 5;

/** The ancestors of a key, as the recursive table `up` with their rows `p` and their distance. */
const ancestorsOf = (key: string) => `with recursive up as (
    select p.*, 1 as distance from keys p where p.id = ${key}.parent_id and p.account_id = ${key}.account_id
    union all
    select p.*, up.distance + 1 from up join keys p on p.id = up.parent_id and p.account_id = up.account_id
      where up.distance < ${MAX_CHAIN})`;

/** The ancestors of a key, from its parent on (`AncestorRow`). */
const ancestors = (key: string) => `(${ancestorsOf(key)}
  select coalesce(json_agg(${object({
    id: "up.id",
    accountId: "up.account_id",
    parentId: "up.parent_id",
    roles: "up.roles",
    permissions: "up.permissions",
    workspaceIds: "up.workspace_ids",
    environment: "uw.environment",
    usable: usable("up"),
  })} order by up.distance), '[]'::json)
  from up join apis ua on ua.id = up.api_id join workspaces uw on uw.id = ua.workspace_id)`;

/** Whether a key by itself administers everything of its account in its environment. Keys reach no other environment. */
const administersAlone = (key: string) =>
  `(${usable(key)} and 'admin' = any (${key}.roles) and '*' = any (${key}.workspace_ids))`;

/** Whether a key and all keys above it do so. `and`: a further condition on each of them. */
const administers = (key: string, and: (key: string) => string = () => "true") =>
  `(${administersAlone(key)} and ${and(key)} and (${key}.parent_id is null or coalesce((${ancestorsOf(key)}
    select bool_and(${administersAlone("up")} and ${and("up")}) and bool_or(up.parent_id is null) and count(*) < ${MAX_CHAIN}
    from up), false)))`;

const CALLER = object({
  id: "c.id",
  accountId: "c.account_id",
  apiId: "c.api_id",
  parentId: "c.parent_id",
  ancestors: ancestors("c"),
  name: "c.name",
  hash: "c.hash",
  oldHash: oldHash("c"),
  roles: "c.roles",
  permissions: "c.permissions",
  workspaceIds: "c.workspace_ids",
  state: "c.state",
  expiresAt: time("c.expires_at"),
  environment: "cw.environment",
  usable: usable("c"),
});
export const ACCOUNT = object({
  id: "t.id",
  plan: "t.plan",
  status: "t.status",
  limitApis: "t.limit_apis",
  limitKeys: "t.limit_keys",
  usedApis: "t.used_apis",
  usedKeys: "t.used_keys",
  holds: "t.holds",
});
export const WORKSPACE = object({
  id: "w.id",
  accountId: "w.account_id",
  name: "w.name",
  environment: "w.environment",
  state: "w.state",
  createdAt: time("w.created_at"),
});
/** Whether the container of a row is suspended, which suspends the row (`stateInForce`). */
export const CONTAINER_SUSPENDED = {
  api: "(w.state = 'suspended')",
  key: "(w.state = 'suspended' or a.state = 'suspended')",
} as const;

export const API = object({
  id: "a.id",
  accountId: "a.account_id",
  workspaceId: "a.workspace_id",
  name: "a.name",
  system: "a.system",
  deleteProtection: "a.delete_protection",
  state: "a.state",
  containerSuspended: CONTAINER_SUSPENDED.api,
  keyCount: "a.key_count",
  createdAt: time("a.created_at"),
  environment: "w.environment",
});
export const LISTED_OF_KEY = {
  id: "k.id",
  position: "k.position",
  accountId: "k.account_id",
  apiId: "k.api_id",
  parentId: "k.parent_id",
  name: "k.name",
  roles: "k.roles",
  permissions: "k.permissions",
  workspaceIds: "k.workspace_ids",
  state: "k.state",
  containerSuspended: CONTAINER_SUSPENDED.key,
  system: "k.system",
  expiresAt: time("k.expires_at"),
  createdAt: time("k.created_at"),
  externalId: "k.external_id",
  meta: "k.meta",
};
const KEY = object({
  ...LISTED_OF_KEY,
  workspaceId: "a.workspace_id",
  environment: "w.environment",
  ancestors: ancestors("k"),
  prefix: "k.prefix",
  hash: "k.hash",
  oldHash: oldHash("k"),
  usable: usable("k"),
  // An administrator that expires, or that needs this key above it, does not count as another administrator.
  lastAdmin: `${administers("k")} and not exists
    (select from keys o join apis oa on oa.id = o.api_id join workspaces ow on ow.id = oa.workspace_id
      where o.account_id = k.account_id and o.id <> k.id and ow.environment = w.environment and ${administers("o", (one) => `(${one}.expires_at is null and ${one}.id <> k.id)`)})`,
});

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
type ChangeMaker = "key" | "operator";

/**
 * The aliases of every row that a decision depends on: the account, the resource and its containers, and the caller's
 * key.
 */
const decidedOn = ({ aliases }: ResourceRows, by: ChangeMaker): readonly string[] => [
  "t",
  ...aliases,
  ...(by === "key" ? ["c"] : []),
];

/** The version of those rows: `xmin` is the transaction that last wrote a row. */
export const versionOf = (rows: ResourceRows, by: ChangeMaker) =>
  `concat_ws(' ', ${decidedOn(rows, by).map((alias) => `${alias}.xmin`)})`;

/**
 * The snapshot for a request: the key with the secret's prefix $1, its account, and the resource $2 if the account owns
 * it. One row (`SightRow`), or no row if there is no such key.
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
 * the first API. One row, with a null API if there is none; no row if the account does not exist.
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

/** The end of each account's audit chain; null if it is missing. */
export const AUDIT_HEADS: Statement = {
  name: "audit_heads",
  text: `select t.id as "accountId", h.seq::float8 as seq, h.hash,
      coalesce(h.archived_seq, 0)::float8 as "archivedSeq", coalesce(h.archived_hash, '') as "archivedHash"
    from accounts t left join audit_heads h on h.account_id = t.id order by t.id`,
};

/**
 * Removes the entries of the account $1 up to the number $2, which has the hash $3, once they are archived. $4 is the
 * last number that was archived before; no row if it is another one by now.
 */
export const AUDIT_MOVED: Statement = {
  name: "audit_moved",
  text: `with moved as (update audit_heads set archived_seq = $2::bigint, archived_hash = $3
      where account_id = $1 and archived_seq = $4::bigint returning account_id)
    delete from audit using moved where audit.account_id = moved.account_id and audit.seq <= $2::bigint
    returning audit.seq`,
};

/** The audit entries of the account $1 after the number $2, at most $3. */
export const AUDIT_PAGE: Statement = {
  name: "audit_page",
  text: "select seq::float8 as seq, entry, hash from audit where account_id = $1 and seq > $2 order by seq limit $3",
};

/**
 * Fails where the database takes no writes: a standby gives no transaction id, and a database that is read-only says so.
 * One row with the setting.
 */
export const PING: Statement = {
  name: "ping",
  text: `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_current_xact_id()::text as id`,
};

/** True if the migrator has its table; `isOwn`: asked once, when a store is opened. */
export const MIGRATED: Statement = {
  ...{ name: "migrated", isOwn: true },
  text: `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
};

/** The time of the last migration that has run, in milliseconds; 0 before the first one. */
export const APPLIED: Statement = {
  ...{ name: "applied", isOwn: true },
  text: "select coalesce(max(created_at), 0)::float8 as last from drizzle.__drizzle_migrations",
};

/** The hash of an audit entry; `audit-log.ts` verifies it. */
const link = (before: string, accountId: string, seq: string, entry: string) =>
  `encode(sha256(convert_to(${before} || E'\\n' || ${accountId} || E'\\n' || ${seq} || E'\\n' || ${entry}, 'UTF8')), 'hex')`;

/**
 * Records the refusals $2, in their order, in the account $1. The head of the chain is locked and then read: a plain
 * read would return the head as of the statement's beginning.
 */
export const REFUSED: Statement = {
  name: "refused",
  text: `with recursive head as materialized
      (select account_id, seq, hash from audit_heads where account_id = $1 for update),
    refused as (select entry, place from unnest($2::text[]) with ordinality as e (entry, place)),
    chain as (
      select account_id, seq, hash, '' as entry, 0::bigint as place from head
      union all
      select c.account_id, c.seq + 1, ${link("c.hash", "c.account_id", "(c.seq + 1)", "r.entry")}, r.entry, r.place
      from chain c join refused r on r.place = c.place + 1),
    audited as (insert into audit (account_id, seq, entry, hash)
      select account_id, seq, entry, hash from chain where place > 0)
    update audit_heads h set seq = c.seq, hash = c.hash from chain c
      where h.account_id = c.account_id and c.place = cardinality($2::text[])`,
};

/** The effects of a change on the row of its account. */
interface AccountEffects {
  /** The number of APIs to add to its usage. */
  readonly apis?: number;
  /** The number of keys to add to its usage. */
  readonly keys?: number;
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
  { apis = 0, keys = 0, set }: AccountEffects,
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
        update accounts set used_apis = used_apis + ${apis}, used_keys = used_keys + ${keys}${set === undefined ? "" : `, ${set}`}
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
    name = $8, workspace_ids = $9::text[], expires_at = $10::timestamptz, external_id = $11, meta = $12::json
  from locked where keys.id = $7 and keys.account_id = locked.id)`;
const KEY_DELETED = "deleted as (delete from keys using locked where keys.id = $4 and keys.account_id = locked.id)";

/**
 * Stores the answer of a create for repeated requests, in the transaction of the change. `parameter` is the JSON of a
 * `StoredAnswer`, or null for a request that cannot be repeated.
 */
const answered = (parameter: string) => `answered as (insert into answers (key_id, token, request, sealed)
    select $1, r.token, r.request, r.sealed
    from locked, json_to_record(coalesce(${parameter}, '{}')::json) as r (token text, request text, sealed text)
    where r.token is not null)`;

export const CREATE_WORKSPACE = change(
  "create_workspace",
  ["nothing", ""],
  {},
  `made as (insert into workspaces (id, account_id, name, environment, created_at)
    select $4, locked.id, $5, $6, $7::timestamptz from locked), ${answered("$8")}`,
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
  `${keyMade({ external_id: "$15", meta: "$16::json" })}, ${answered("$17")}`,
);
/** As {@link CREATE_KEY}, by an operator, and without an answer. */
export const ISSUE_KEY = change("issue_key", ["api", "$5"], { keys: 1 }, keyMade(), "operator");
export const UPDATE_KEY = change("update_key", ["key", "$7"], {}, KEY_UPDATED);
/** As {@link UPDATE_KEY}; the key does not count towards the quota any more. $13 is its API. */
export const REVOKE_KEY = change("revoke_key", ["key", "$7"], { keys: -1 }, `${KEY_UPDATED}, ${counted("$13", "- 1")}`);
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

/** The answer with the token $2 that a create by the key $1 had (`AnswerRow`). Removes the expired answers of the key. */
export const STORED_ANSWER: Statement = {
  name: "stored_answer",
  text: `with expired as (delete from answers where key_id = $1 and expires_at <= now())
    select request, sealed from answers where key_id = $1 and token = $2 and expires_at > now()`,
};

/** Removes the expired answers of all keys. */
export const REMOVE_EXPIRED_ANSWERS: Statement = {
  name: "remove_expired_answers",
  text: "delete from answers where expires_at <= now()",
};
