/** Workspaces. */

import { and, eq, inArray } from "drizzle-orm";
import type { AccountRow } from "./accounts.js";
import { accounts, workspaces } from "./schema.js";
import type { Queries } from "./store.js";

export interface WorkspaceRow {
  readonly workspace: typeof workspaces.$inferSelect;
  readonly account: AccountRow;
}

/** A workspace of this account, in one statement with the account that it belongs to. */
export async function findWorkspace(
  queries: Queries,
  accountId: string,
  id: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await queries
    .select({ workspace: workspaces, account: accounts })
    .from(workspaces)
    .innerJoin(accounts, eq(accounts.id, workspaces.accountId))
    .where(and(eq(workspaces.id, id), eq(workspaces.accountId, accountId)));
  return row;
}

/** Whether each of these ids (`*` aside) is a workspace of the account. */
export async function haveWorkspaces(queries: Queries, accountId: string, ids: readonly string[]): Promise<boolean> {
  const named = ids.filter((id) => id !== "*");
  if (named.length === 0) return true;
  const rows = await queries
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.accountId, accountId), inArray(workspaces.id, named)));
  return rows.length === named.length;
}

export async function insertWorkspace(queries: Queries, workspace: typeof workspaces.$inferInsert): Promise<void> {
  await queries.insert(workspaces).values(workspace);
}

/** The unique constraint on the names of one account's workspaces. */
export const WORKSPACE_NAME = "workspaces_name";
