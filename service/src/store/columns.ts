/** The columns that requests read, as JSON objects. Aliases: t account, w workspace, a API, k key, c the caller's key. */

import { creditsOf } from "./credits.js";

/** In milliseconds. */
const time = (column: string) => `extract(epoch from ${column}) * 1000`;

/** A column that is a JSON object, which both clients parse alike, and fast. */
export const object = (fields: { readonly [name: string]: string }) =>
  `json_build_object(${Object.entries(fields)
    .flatMap(([name, value]) => [`'${name}'`, value])
    .join(", ")})`;

/** The hash of the secret before the present one, while it works. */
export const oldHash = (key: string) => `case when ${key}.old_until > now() then ${key}.old_hash end`;

/** True if a key may make requests. */
export const usable = (key: string) =>
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
export const ancestors = (key: string) => `(${ancestorsOf(key)}
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

/** True if a key by itself administers everything of its account in its environment. Keys reach no other environment. */
const administersAlone = (key: string) =>
  `(${usable(key)} and 'admin' = any (${key}.roles) and '*' = any (${key}.workspace_ids))`;

/** True if a key and all keys above it do so. `and`: a further condition on each of them. */
const administers = (key: string, and: (key: string) => string = () => "true") =>
  `(${administersAlone(key)} and ${and(key)} and (${key}.parent_id is null or coalesce((${ancestorsOf(key)}
    select bool_and(${administersAlone("up")} and ${and("up")}) and bool_or(up.parent_id is null) and count(*) < ${MAX_CHAIN}
    from up), false)))`;

export const CALLER = object({
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
  limitWorkspaces: "t.limit_workspaces",
  usedApis: "t.used_apis",
  usedKeys: "t.used_keys",
  usedWorkspaces: "t.used_workspaces",
  holds: "t.holds",
});
export const WORKSPACE = object({
  id: "w.id",
  accountId: "w.account_id",
  name: "w.name",
  environment: "w.environment",
  state: "w.state",
  apiCount: "(select count(*) from apis wa where wa.workspace_id = w.id)",
  createdAt: time("w.created_at"),
});
/** True if the container of a row is suspended: that suspends the row (`stateInForce`). */
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
  productPermissions: "k.product_permissions",
  credits: creditsOf("k"),
};
export const KEY = object({
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
