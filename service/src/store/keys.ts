/** API keys: those that requests are about, and those that make them. */

import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { AccountRow } from "./accounts.js";
import { accounts, apis, keys, workspaces } from "./schema.js";
import type { Queries } from "./store.js";

type KeyColumns = typeof keys.$inferSelect;
type Environment = (typeof workspaces.$inferSelect)["environment"];

export interface KeyRow {
  readonly key: KeyColumns;
  /** The workspace of the key's API, and its environment. */
  readonly workspaceId: string;
  readonly environment: Environment;
  readonly account: AccountRow;
}

/** A key of this account, in one statement with the account that it belongs to. */
export async function findKey(queries: Queries, accountId: string, id: string): Promise<KeyRow | undefined> {
  const [row] = await queries
    .select({
      key: keys,
      workspaceId: apis.workspaceId,
      environment: workspaces.environment,
      account: accounts,
    })
    .from(keys)
    .innerJoin(apis, eq(apis.id, keys.apiId))
    .innerJoin(workspaces, eq(workspaces.id, apis.workspaceId))
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(and(eq(keys.id, id), eq(keys.accountId, accountId)));
  return row;
}

/** A key as it makes requests. */
export interface CallerRow {
  readonly key: KeyColumns;
  readonly environment: Environment;
  /** Whether it may make requests at all: enabled, and not expired by the store's clock. */
  readonly usable: boolean;
}

export type CallerLookup = { readonly prefix: string } | { readonly id: string };

/** The key with this prefix or id, as it is now. */
export async function findCaller(queries: Queries, lookup: CallerLookup): Promise<CallerRow | undefined> {
  const [row] = await queries
    .select({
      key: keys,
      environment: workspaces.environment,
      usable: sql<boolean>`${keys.state} = 'enabled' and (${keys.expiresAt} is null or ${keys.expiresAt} > now())`,
    })
    .from(keys)
    .innerJoin(apis, eq(apis.id, keys.apiId))
    .innerJoin(workspaces, eq(workspaces.id, apis.workspaceId))
    .where("prefix" in lookup ? eq(keys.prefix, lookup.prefix) : eq(keys.id, lookup.id));
  return row;
}

/** Keys of an API in the order of their creation, from after `position`. */
export async function listKeys(
  queries: Queries,
  apiId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly KeyColumns[]> {
  return await queries
    .select()
    .from(keys)
    .where(and(eq(keys.apiId, apiId), gt(keys.position, after)))
    .orderBy(asc(keys.position))
    .limit(limit);
}

export async function insertKey(queries: Queries, key: typeof keys.$inferInsert): Promise<KeyColumns> {
  const [row] = await queries.insert(keys).values(key).returning();
  if (row === undefined) throw new Error("the store returned no row for a new key");
  return row;
}

export async function updateKey(
  queries: Queries,
  id: string,
  changes: Partial<Pick<KeyColumns, "roles" | "permissions" | "state">>,
): Promise<void> {
  await queries.update(keys).set(changes).where(eq(keys.id, id));
}

export async function deleteKey(queries: Queries, id: string): Promise<void> {
  await queries.delete(keys).where(eq(keys.id, id));
}
