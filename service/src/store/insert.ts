/** Inserts and counters for provisioning. */

import { eq, sql } from "drizzle-orm";
import { apis, keys, workspaces } from "./schema.js";
import type { Queries } from "./store.js";

export async function insertWorkspace(queries: Queries, workspace: typeof workspaces.$inferInsert): Promise<void> {
  await queries.insert(workspaces).values(workspace);
}

export async function insertApi(queries: Queries, api: typeof apis.$inferInsert): Promise<void> {
  await queries.insert(apis).values(api);
}

export async function insertKey(queries: Queries, key: typeof keys.$inferInsert): Promise<void> {
  await queries.insert(keys).values(key);
}

/** Adds this amount to the number of keys of an API. */
export async function countInApi(queries: Queries, id: string, keys: number): Promise<void> {
  await queries
    .update(apis)
    .set({ keyCount: sql`${apis.keyCount} + ${keys}` })
    .where(eq(apis.id, id));
}
