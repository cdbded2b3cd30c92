/** Accounts and their counters. */

import { eq, sql } from "drizzle-orm";
import { accounts, auditHeads } from "./schema.js";
import type { Queries } from "./store.js";

/** Locks an account until the transaction ends. Every change within the account takes this lock first. */
export async function lockAccount(queries: Queries, accountId: string): Promise<void> {
  await queries.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for("update");
}

/** Inserts an account and the head of its audit chain. */
export async function insertAccount(queries: Queries, account: typeof accounts.$inferInsert): Promise<void> {
  await queries.insert(accounts).values(account);
  await queries.insert(auditHeads).values({ accountId: account.id });
}

/** Prevents other transactions from adding accounts until this transaction ends. */
export async function lockAccounts(queries: Queries): Promise<void> {
  await queries.execute(sql`lock table ${accounts} in share row exclusive mode`);
}

/** Whether the store has any account. */
export async function hasAccounts(queries: Queries): Promise<boolean> {
  return (await queries.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}

/** Adds these amounts to the counters of an account. */
export async function countInAccount(
  queries: Queries,
  accountId: string,
  { apis = 0, keys = 0, workspaces = 0 }: { readonly [kind in "apis" | "keys" | "workspaces"]?: number },
): Promise<void> {
  await queries
    .update(accounts)
    .set({
      usedApis: sql`${accounts.usedApis} + ${apis}`,
      usedKeys: sql`${accounts.usedKeys} + ${keys}`,
      usedWorkspaces: sql`${accounts.usedWorkspaces} + ${workspaces}`,
    })
    .where(eq(accounts.id, accountId));
}
