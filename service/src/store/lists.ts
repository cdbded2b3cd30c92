/** The SQL of lists: what is in a workspace or an API, as far as a filter holds of it, by the page. */

import type { Filter } from "keyward";
import { type Mapping, toSqlOrThrow } from "keyward/sql";
import { API, OWN_OF_KEY, object, type Statement } from "./statements.js";
import type { Value } from "./store.js";

/** Rows of one kind that have a place in common, in an order in which each has its own. */
export interface List {
  readonly name: string;
  /** The row as JSON (`ItemRow`). */
  readonly item: string;
  readonly from: string;
  /** What the rows are in. */
  readonly within: string;
  readonly order: string;
  /** What filters can ask about, but for what is the same for all rows of the list. */
  readonly mapping: Mapping;
}

/** A table whose rows have no other attributes than those of their columns: a filter that asks for more finds an empty object. */
const rowsOf = (table: string, alias: string) => `(select *, '{}'::jsonb as others from ${table}) ${alias}`;

const column = (name: string, type: "text" | "number" | "boolean") => ({ column: name, type, null: "never" }) as const;

export const APIS_OF_WORKSPACE: List = {
  name: "apis_of_workspace",
  item: API,
  from: `${rowsOf("apis", "a")} join workspaces w on w.id = a.workspace_id`,
  within: "a.workspace_id",
  order: "a.id",
  mapping: {
    dialect: "postgres",
    table: "a",
    id: "id",
    attributes: {
      system: column("system", "boolean"),
      deleteProtection: column("delete_protection", "boolean"),
      state: column("state", "text"),
      keyCount: column("key_count", "number"),
    },
    others: "others",
  },
};

/** In the order of their creation. */
export const KEYS_OF_API: List = {
  name: "keys_of_api",
  item: object(OWN_OF_KEY),
  from: rowsOf("keys", "k"),
  within: "k.api_id",
  order: "k.position",
  mapping: {
    dialect: "postgres",
    table: "k",
    id: "id",
    attributes: { state: column("state", "text"), system: column("system", "boolean") },
    others: "others",
  },
};

/** A query for rows of a list. */
export interface ListQuery {
  readonly statement: Statement;
  /** For the rows from after a place in the order on, at most so many. */
  readonly values: (after: string | number, most: number) => readonly Value[];
  /** Whether it finds the rows that the filter holds of, and no others: else it finds these, and others. */
  readonly isExact: boolean;
}

/** The rows of a list that are in `within`, and that `filter` holds of, in the order of the list. */
export function queryOf(list: List, within: string, filter: Filter): ListQuery {
  const { text, values, isExact } = toSqlOrThrow(filter, list.mapping, 4);
  return {
    statement: {
      name: list.name,
      text: `select ${list.item} as item from ${list.from}
        where ${list.within} = $1 and ${list.order} > $2 and ${text} order by ${list.order} limit $3`,
      isOwn: true,
    },
    values: (after, most) => [within, after, most, ...values],
    isExact,
  };
}
