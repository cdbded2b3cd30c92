/** APIs. */

import { and, eq, sql } from "drizzle-orm";
import type { AccountRow } from "./accounts.js";
import { accounts, apis, workspaces } from "./schema.js";
import type { Queries } from "./store.js";

export interface ApiRow {
  readonly api: typeof apis.$inferSelect;
  readonly environment: (typeof workspaces.$inferSelect)["environment"];
  readonly account: AccountRow;
}

/** An API of this account, in one statement with the account that it belongs to. */
export async function findApi(queries: Queries, accountId: string, id: string): Promise<ApiRow | undefined> {
  const [row] = await queries
    .select({ api: apis, environment: workspaces.environment, account: accounts })
    .from(apis)
    .innerJoin(workspaces, eq(workspaces.id, apis.workspaceId))
    .innerJoin(accounts, eq(accounts.id, apis.accountId))
    .where(and(eq(apis.id, id), eq(apis.accountId, accountId)));
  return row;
}

export async function insertApi(queries: Queries, api: typeof apis.$inferInsert): Promise<void> {
  await queries.insert(apis).values(api);
}

export async function updateApi(
  queries: Queries,
  id: string,
  changes: Partial<Pick<ApiRow["api"], "state" | "deleteProtection">>,
): Promise<void> {
  await queries.update(apis).set(changes).where(eq(apis.id, id));
}

/** Deletes an API and the records of revoked keys in it. */
export async function deleteApi(queries: Queries, id: string): Promise<void> {
  await queries.delete(apis).where(eq(apis.id, id));
}

/** Changes the number of keys of an API by this amount. */
export async function countInApi(queries: Queries, id: string, keys: number): Promise<void> {
  await queries
    .update(apis)
    .set({ keyCount: sql`${apis.keyCount} + ${keys}` })
    .where(eq(apis.id, id));
}
