/**
 * Lists of the resources that the caller may read: a list contains a row if and only if the operation that reads this
 * row alone would be allowed.
 *
 * Policies give this condition as a filter, which becomes part of the query. The rest is decided row by row.
 */

import { type DecisionRequest, decideAll, type Filter, planDecisions } from "keyward";
import type { Policies } from "../policies/policies.js";
import { type List, queryOf } from "../store/lists.js";
import type { AccountRow, ChainedKey, ItemRow } from "../store/rows.js";
import type { RequestStore } from "../store/store.js";
import { cursorOf, cursorPlaceOf } from "./cursor.js";
import { isChainSound, linksOf } from "./delegation.js";
import { accountOf, principalOf } from "./resources.js";

export interface Listing<Item> {
  readonly list: List;
  /** The id of the resource that contains the rows. */
  readonly within: string;
  /** The caller and its account. */
  readonly sight: { readonly caller: ChainedKey; readonly account: AccountRow };
  /** The operation that reads a single row. */
  readonly operation: string;
  readonly kind: string;
  /** The attributes that all rows share. */
  readonly common: { readonly [name: string]: unknown };
  readonly resourceOf: (item: Item) => DecisionRequest["resource"];
  /** The place of a row in the order of the list. */
  readonly place: { readonly of: (item: Item) => string; readonly first: string; readonly form: RegExp };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/**
 * If rows are decided one by one: the number of rows that one query reads, and the maximum number of queries for a
 * page. Such a page may be short, or even empty, and still have a next page.
 */
const AT_ONCE = 250;
const TIMES = 4;

/** Reads a page. Throws 400 for an invalid cursor. */
export async function pageOf<Item>(
  { policies, store }: { readonly policies: Policies; readonly store: Pick<RequestStore, "run"> },
  listing: Listing<Item>,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Item>> {
  const { list, within, place } = listing;
  const { set } = policies.current;
  // The keys above the caller must each be allowed to read the row, too.
  const asked = questionsOf(listing);
  const { kind, common } = listing;
  const plans = asked.map((each) => planDecisions(set, { ...each, kind, resource: { attr: common } }));
  // The fault's message is left out: it can contain values of the request.
  const fault = plans.find((plan) => plan.fault !== undefined)?.fault;
  if (fault !== undefined) throw new Error(`a list by a question that is at fault: ${fault.kind}`);
  const [one, ...more] = plans.map(({ filter }) => filter);
  const filter: Filter =
    one !== undefined && more.length === 0 ? one : { op: "all", of: plans.map((plan) => plan.filter) };
  const { statement, values, isExact } = queryOf(list, within, filter);
  const name = `${list.name} ${within}`;
  let after = cursor === undefined ? place.first : cursorPlaceOf(cursor, name, place.form);
  const isNone = !isChainSound(listing.sight.caller) || plans.some(({ outcome }) => outcome === "none");
  if (isNone) return { items: [], nextCursor: null };

  const permitted = (items: readonly Item[]): readonly Item[] => {
    if (isExact) return items;
    const resources = items.map(listing.resourceOf);
    const decisions = asked.map((each) => decideAll(set, each, resources));
    return items.filter((_, i) => decisions.every((each) => each[i]?.outcome === "allow"));
  };
  const found: Item[] = [];
  // One more row than the page has tells whether there is a next page.
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

/** The request about each row, for the caller and each key above it. All rows of a page share one time. */
function questionsOf({ sight, operation }: Pick<Listing<never>, "sight" | "operation">) {
  const asked = { account: accountOf(sight.account), operation, now: new Date() };
  return linksOf(sight.caller).map((link) => ({ key: principalOf(link), ...asked }));
}
