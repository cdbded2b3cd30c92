/** Pages of an operator's lists. */

import type { AccountRow, ItemRow } from "../store/rows.js";
import type { RequestStore } from "../store/store.js";
import { id, type OperatorAction, page, reading, snapshotOf } from "./action.js";
import { LISTS } from "./statements.js";

/** One more row than `limit` is read, so that the last page is known. */
export async function pageOf<Row extends { readonly id: string }>(
  store: RequestStore,
  list: keyof typeof LISTS,
  { limit, after, of }: { readonly limit: number; readonly after: string; readonly of: string | null },
): Promise<{ readonly rows: readonly Row[] /** For `after`; null on the last page. */; readonly next: string | null }> {
  const found = await store.run<ItemRow<Row>>(LISTS[list], [after, limit + 1, of]);
  const rows = found.slice(0, limit).map(({ item }) => item);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** The action that lists what an account has. `words` names it for people. */
export function listOf<Row extends { readonly id: string }>(
  list: "workspaces" | "apis" | "keys",
  words: string,
  view: (row: Row) => object,
): OperatorAction {
  return reading(
    { name: `${list}.list`, summary: `lists the ${words} of an account`, input: { account: id, ...page } },
    async (store, { account, ...rest }) => {
      await snapshotOf<AccountRow>(store, "account", account);
      const { rows, next } = await pageOf<Row>(store, list, { ...rest, of: account });
      return { [list]: rows.map(view), next };
    },
  );
}
