/** Accounts and their counters. */

import { eq, sql } from "drizzle-orm";
import { accounts } from "./schema.js";
import type { Queries } from "./store.js";

export type AccountRow = typeof accounts.$inferSelect;

/**
 * Locks an account until the transaction ends. **Every transaction that writes anything of an account does this first**:
 * so what it reads after it (states, counters, the caller's permissions) stays as it is until it commits, and there is
 * one lock to take, so no deadlock.
 */
export async function lockAccount(queries: Queries, accountId: string): Promise<void> {
  await queries.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for("update");
}

/** The account of a row that names it. */
export async function findAccount(queries: Queries, accountId: string): Promise<AccountRow> {
  const [row] = await queries.select().from(accounts).where(eq(accounts.id, accountId));
  if (row === undefined) throw new Error("a row names an account that does not exist");
  return row;
}

export async function insertAccount(queries: Queries, account: typeof accounts.$inferInsert): Promise<void> {
  await queries.insert(accounts).values(account);
}

/** Keeps others from adding accounts until the transaction ends. */
export async function lockAccounts(queries: Queries): Promise<void> {
  await queries.execute(sql`lock table ${accounts} in share row exclusive mode`);
}

/** Whether the store has any account. */
export async function hasAccounts(queries: Queries): Promise<boolean> {
  return (await queries.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}

/** Changes the counters of an account by these amounts. */
export async function countInAccount(
  queries: Queries,
  accountId: string,
  { apis = 0, keys = 0 }: { readonly apis?: number; readonly keys?: number },
): Promise<void> {
  await queries
    .update(accounts)
    .set({ usedApis: sql`${accounts.usedApis} + ${apis}`, usedKeys: sql`${accounts.usedKeys} + ${keys}` })
    .where(eq(accounts.id, accountId));
}
