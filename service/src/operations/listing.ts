/**
 * Lists of what the caller may read: a row is in a list if and only if the operation that reads it alone would be allowed.
 *
 * Policies say that as a filter, which is part of the query. What a query cannot say is decided on row by row.
 */

import { type DecisionRequest, decideAll, planDecisions } from "keyward";
import type { Policies } from "../policies/policies.js";
import { type List, queryOf } from "../store/lists.js";
import type { AccountRow, Holder, ItemRow } from "../store/rows.js";
import type { Requests } from "../store/store.js";
import { cursorOf, placeOf } from "./cursor.js";
import { accountOf, principalOf } from "./resources.js";

export interface Listing<Item> {
  readonly list: List;
  /** The id of what the rows are in. */
  readonly within: string;
  /** Who asks, and the account. */
  readonly sight: { readonly caller: Holder; readonly account: AccountRow };
  /** The operation that reads a row alone. */
  readonly operation: string;
  readonly kind: string;
  /** The attributes that are the same for all rows. */
  readonly common: { readonly [name: string]: unknown };
  readonly resourceOf: (item: Item) => DecisionRequest["resource"];
  /** Where a row stands in the order of the list. */
  readonly place: { readonly of: (item: Item) => string; readonly first: string; readonly form: RegExp };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/**
 * How many rows are read at once where they are decided on one by one, and how often for a page. A page is then shorter
 * than it might be, or empty, and goes on.
 */
const AT_ONCE = 250;
const TIMES = 4;

/** Throws 400 for a cursor that is not of this list. */
export async function pageOf<Item>(
  { policies, store }: { readonly policies: Policies; readonly store: Pick<Requests, "run"> },
  listing: Listing<Item>,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Item>> {
  const { list, within, place } = listing;
  const { set } = policies.current;
  const asked = questionOf(listing);
  const { kind, common } = listing;
  const plan = planDecisions(set, { ...asked, kind, resource: { attr: common } });
  // Not its message, which can have values of the request in it.
  if (plan.fault !== undefined) throw new Error(`a list by a question that is at fault: ${plan.fault.kind}`);
  const { statement, values, isExact } = queryOf(list, within, plan.filter);
  const name = `${list.name} ${within}`;
  let after = cursor === undefined ? place.first : placeOf(cursor, name, place.form);
  if (plan.outcome === "none") return { items: [], nextCursor: null };

  const permitted = (items: readonly Item[]): readonly Item[] => {
    if (isExact) return items;
    const decisions = decideAll(set, asked, items.map(listing.resourceOf));
    return items.filter((_, i) => decisions[i]?.outcome === "allow");
  };
  const found: Item[] = [];
  // One more than the page has tells whether there is another.
  const most = isExact ? limit + 1 : AT_ONCE;
  for (let time = 0; time < TIMES; time++) {
    const rows = await store.run<ItemRow<Item>>(statement, values(after, most));
    const items = rows.map(({ item }) => item);
    found.push(...permitted(items));
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined) {
      return { items: found.slice(0, limit), nextCursor: cursorOf(name, place.of(last)) };
    }
    const end = items.at(-1);
    if (items.length < most || end === undefined) return { items: found, nextCursor: null };
    after = place.of(end);
  }
  return { items: found, nextCursor: cursorOf(name, after) };
}

/** What is asked about each row. The time is one for all of a page. */
function questionOf({ sight, operation }: Pick<Listing<never>, "sight" | "operation">) {
  return { key: principalOf(sight.caller), account: accountOf(sight.account), operation, now: new Date() };
}
