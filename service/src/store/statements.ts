/**
 * The SQL of requests. A request reads all that is decided on in one statement, and changes all that it changes in
 * another, which takes the lock that there is: the row of the account.
 */

/** A statement, which is prepared once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Whether its text is one request's own: then it is not prepared, as connections would keep all that there ever were. */
  readonly isOwn?: boolean;
}

/** Milliseconds. */
const time = (column: string) => `extract(epoch from ${column}) * 1000`;

/** A column that is an object: one of JSON, which both clients read alike, and fast. */
export const object = (fields: { readonly [name: string]: string }) =>
  `json_build_object(${Object.entries(fields)
    .flatMap(([name, value]) => [`'${name}'`, value])
    .join(", ")})`;

/** Whether a key administers all of its account that is in its own environment: it reaches no other. */
const administers = (key: string) => `(${key}.state = 'enabled' and 'admin' = any (${key}.roles) and
  '*' = any (${key}.workspace_ids) and (${key}.expires_at is null or ${key}.expires_at > now()))`;

const CALLER = object({
  id: "c.id",
  accountId: "c.account_id",
  apiId: "c.api_id",
  name: "c.name",
  hash: "c.hash",
  roles: "c.roles",
  permissions: "c.permissions",
  workspaceIds: "c.workspace_ids",
  state: "c.state",
  expiresAt: time("c.expires_at"),
  environment: "cw.environment",
  usable: "c.state = 'enabled' and (c.expires_at is null or c.expires_at > now())",
});
const ACCOUNT = object({
  version: "t.xmin::text",
  id: "t.id",
  plan: "t.plan",
  status: "t.status",
  limitApis: "t.limit_apis",
  limitKeys: "t.limit_keys",
  usedApis: "t.used_apis",
  usedKeys: "t.used_keys",
  holds: "t.holds",
});
const WORKSPACE = object({
  id: "w.id",
  accountId: "w.account_id",
  name: "w.name",
  environment: "w.environment",
  state: "w.state",
  createdAt: time("w.created_at"),
});
export const API = object({
  id: "a.id",
  accountId: "a.account_id",
  workspaceId: "a.workspace_id",
  name: "a.name",
  system: "a.system",
  deleteProtection: "a.delete_protection",
  state: "a.state",
  keyCount: "a.key_count",
  createdAt: time("a.created_at"),
  environment: "w.environment",
});
export const OWN_OF_KEY = {
  id: "k.id",
  position: "k.position",
  accountId: "k.account_id",
  apiId: "k.api_id",
  name: "k.name",
  roles: "k.roles",
  permissions: "k.permissions",
  workspaceIds: "k.workspace_ids",
  state: "k.state",
  system: "k.system",
  expiresAt: time("k.expires_at"),
  createdAt: time("k.created_at"),
};
const KEY = object({
  ...OWN_OF_KEY,
  workspaceId: "a.workspace_id",
  environment: "w.environment",
  hash: "k.hash",
  usable: "k.state = 'enabled' and (k.expires_at is null or k.expires_at > now())",
  // An administrator that expires leaves nobody behind, so it does not count as another one.
  lastAdmin: `${administers("k")} and not exists
    (select from keys o join apis oa on oa.id = o.api_id join workspaces ow on ow.id = oa.workspace_id
      where o.account_id = k.account_id and o.id <> k.id and ow.environment = w.environment and ${administers("o")} and o.expires_at is null)`,
});

/**
 * What a request is about: the key that makes it, by the prefix of its secret ($1), its account as it is, and the resource
 * ($2), if it is of that account. One row (`SightRow`), or none if there is no such key.
 */
function sight(name: string, target?: { readonly id: string; readonly columns: string; readonly joins: string }) {
  const resource = target === undefined ? "null" : `case when ${target.id} is not null then ${target.columns} end`;
  return {
    name: `sight_${name}`,
    text: `select ${CALLER} as caller, ${ACCOUNT} as account, ${resource} as target from keys c
      join apis ca on ca.id = c.api_id
      join workspaces cw on cw.id = ca.workspace_id
      join accounts t on t.id = c.account_id
      ${target?.joins ?? ""}
      where c.prefix = $1`,
  };
}

const OF_KEY = "left join apis a on a.id = k.api_id left join workspaces w on w.id = a.workspace_id";

export const SIGHTS = {
  nothing: sight("nothing"),
  workspace: sight("workspace", {
    id: "w.id",
    columns: WORKSPACE,
    joins: "left join workspaces w on w.id = $2 and w.account_id = c.account_id",
  }),
  api: sight("api", {
    id: "a.id",
    columns: API,
    joins: `left join apis a on a.id = $2 and a.account_id = c.account_id
      left join workspaces w on w.id = a.workspace_id`,
  }),
  key: sight("key", {
    id: "k.id",
    columns: KEY,
    joins: `left join keys k on k.id = $2 and k.account_id = c.account_id ${OF_KEY}`,
  }),
  /** A key by the prefix of its secret. */
  secret: sight("secret", {
    id: "k.id",
    columns: KEY,
    joins: `left join keys k on k.prefix = $2 and k.account_id = c.account_id ${OF_KEY}`,
  }),
} as const satisfies { readonly [target: string]: Statement };

/**
 * Where a key that administers the account $1 belongs, in the environment $2 if it is not null: the first API of the
 * system's, or else the first API. One row, whose API is null if there is none; no row if there is no such account.
 */
export const ADMIN_PLACE: Statement = {
  name: "admin_place",
  text: `select t.xmin::text as version, p.id as "apiId" from accounts t
    left join lateral (select a.id from apis a join workspaces w on w.id = a.workspace_id
      where a.account_id = t.id and ($2::text is null or w.environment = $2)
      order by a.system desc, a.created_at, a.id limit 1) p on true
    where t.id = $1`,
};

/** Which of the ids in $2 are workspaces of the account $1. */
export const WORKSPACES: Statement = {
  name: "workspaces",
  text: "select id from workspaces where account_id = $1 and id = any ($2::text[])",
};

/** The end of each account's audit chain; null where there is none. */
export const AUDIT_HEADS: Statement = {
  name: "audit_heads",
  text: `select t.id as "accountId", h.seq::float8 as seq, h.hash
    from accounts t left join audit_heads h on h.account_id = t.id order by t.id`,
};

/** The audit entries of the account $1 from after the number $2, at most $3. */
export const AUDIT_PAGE: Statement = {
  name: "audit_page",
  text: "select seq::float8 as seq, entry, hash from audit where account_id = $1 and seq > $2 order by seq limit $3",
};

export const PING: Statement = { name: "ping", text: "select 1" };

/** The hash of an entry: `audit-log.ts` checks it. */
const link = (before: string, accountId: string, seq: string, entry: string) =>
  `encode(sha256(convert_to(${before} || E'\\n' || ${accountId} || E'\\n' || ${seq} || E'\\n' || ${entry}, 'UTF8')), 'hex')`;

/**
 * Records the refusals $2, in their order, in the account $1. The end of the chain is read as it is once it is locked; a
 * plain read would give it as it was when the statement began.
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

/**
 * A change to the account $1, if it is still as it was seen ($2, its row's version), with the entry $3 about it. One row
 * if it was made, else none, and nothing has happened.
 *
 * INVARIANT (one lock): every change updates the row of the account, so it waits for others, makes what they saw old, and
 * is the first and only thing that is waited for.
 */
function change(name: string, { apis = 0, keys = 0 }: { apis?: number; keys?: number }, effect: string): Statement {
  return {
    name,
    text: `with locked as (
        update accounts set used_apis = used_apis + ${apis}, used_keys = used_keys + ${keys}
        where id = $1 and xmin::text = $2 returning id),
      ${effect},
      head as (
        update audit_heads h
        set seq = h.seq + 1, hash = ${link("h.hash", "h.account_id", "(h.seq + 1)", "$3::text")}
        from locked where h.account_id = locked.id returning h.account_id, h.seq, h.hash),
      audited as (insert into audit (account_id, seq, entry, hash) select account_id, seq, $3::text, hash from head)
      select id from locked`,
  };
}

const counted = (api: string, by: string) =>
  `counted as (update apis set key_count = key_count ${by} from locked where apis.id = ${api})`;
const KEY_UPDATED = `updated as (update keys set roles = $4::text[], permissions = $5::text[], state = $6
  from locked where keys.id = $7 and keys.account_id = locked.id)`;
const KEY_DELETED = "deleted as (delete from keys using locked where keys.id = $4 and keys.account_id = locked.id)";

export const CREATE_WORKSPACE = change(
  "create_workspace",
  {},
  `made as (insert into workspaces (id, account_id, name, environment, created_at)
    select $4, locked.id, $5, $6, $7::timestamptz from locked)`,
);
export const CREATE_API = change(
  "create_api",
  { apis: 1 },
  `made as (insert into apis (id, account_id, workspace_id, name, state, delete_protection, created_at)
    select $4, locked.id, $5, $6, $7, $8::boolean, $9::timestamptz from locked)`,
);
export const UPDATE_API = change(
  "update_api",
  {},
  `updated as (update apis set state = $4, delete_protection = $5::boolean
    from locked where apis.id = $6 and apis.account_id = locked.id)`,
);
/** With the records of revoked keys in it. */
export const DELETE_API = change(
  "delete_api",
  { apis: -1 },
  "deleted as (delete from apis using locked where apis.id = $4 and apis.account_id = locked.id)",
);
export const CREATE_KEY = change(
  "create_key",
  { keys: 1 },
  `made as (insert into keys
      (id, account_id, api_id, name, prefix, hash, roles, permissions, workspace_ids, expires_at, created_at)
    select $4, locked.id, $5, $6, $7, $8, $9::text[], $10::text[], $11::text[], $12::timestamptz, $13::timestamptz
    from locked), ${counted("$5", "+ 1")}`,
);
export const UPDATE_KEY = change("update_key", {}, KEY_UPDATED);
/** {@link UPDATE_KEY} of a key that counts no more: $8 is its API. */
export const REVOKE_KEY = change("revoke_key", { keys: -1 }, `${KEY_UPDATED}, ${counted("$8", "- 1")}`);
/** $5 is the API of the key, which counts. */
export const DELETE_KEY = change("delete_key", { keys: -1 }, `${KEY_DELETED}, ${counted("$5", "- 1")}`);
/** The record of a key that was revoked. */
export const DELETE_REVOKED_KEY = change("delete_revoked_key", {}, KEY_DELETED);
