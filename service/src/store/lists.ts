/** The SQL of lists: rows of a workspace or an API that match a filter, page by page. */

import type { Filter } from "keyward";
import { type SqlMapping, toSqlOrThrow } from "keyward/sql";
import { API, CONTAINER_SUSPENDED, LISTED_OF_KEY, object, WORKSPACE } from "./columns.js";
import type { Statement } from "./statement.js";
import type { ParameterValue } from "./store.js";

/** A list: rows of one kind in one container, in a strict order. */
export interface List {
  readonly name: string;
  /** The row as JSON (`ItemRow`). */
  readonly item: string;
  readonly from: string;
  /** The column with the id of the container. */
  readonly within: string;
  readonly order: string;
  /** The attributes that filters can read, except those that all rows of the list share. */
  readonly mapping: SqlMapping;
}

type FilterColumns = { readonly [attribute: string]: readonly [sql: string, type: "text" | "number" | "boolean"] };

/**
 * The join and the mapping for the attributes that filters can read. The columns are joined to the row as `x`. `others`
 * is an empty object, as rows have no further attributes.
 */
function asked(id: string, attributes: FilterColumns): Pick<List, "mapping"> & { readonly join: string } {
  const columns = Object.entries(attributes);
  const column = (name: string, type: FilterColumns[string][1]) => ({ column: name, type, null: "never" }) as const;
  return {
    join: `cross join lateral (select ${id} as id, '{}'::jsonb as others,
      ${columns.map(([name, [sql]]) => `${sql} as "${name}"`).join(", ")}) x`,
    mapping: {
      dialect: "postgres",
      table: "x",
      id: "id",
      attributes: Object.fromEntries(columns.map(([name, [, type]]) => [name, column(name, type)])),
      others: "others",
    },
  };
}

/** `stateInForce` in SQL. */
const inForce = (state: string, containerSuspended: string) =>
  `case when ${containerSuspended} and ${state} <> 'revoked' then 'suspended' else ${state} end`;

const ON_APIS = asked("a.id", {
  system: ["a.system", "boolean"],
  deleteProtection: ["a.delete_protection", "boolean"],
  state: [inForce("a.state", CONTAINER_SUSPENDED.api), "text"],
  keyCount: ["a.key_count", "number"],
});

export const APIS_OF_WORKSPACE: List = {
  name: "apis_of_workspace",
  item: API,
  from: `apis a join workspaces w on w.id = a.workspace_id ${ON_APIS.join}`,
  within: "a.workspace_id",
  order: "a.id",
  mapping: ON_APIS.mapping,
};

const ON_WORKSPACES = asked("w.id", { environment: ["w.environment", "text"], state: ["w.state", "text"] });

export const WORKSPACES_OF_ACCOUNT: List = {
  name: "workspaces_of_account",
  item: WORKSPACE,
  from: `workspaces w ${ON_WORKSPACES.join}`,
  within: "w.account_id",
  order: "w.id",
  mapping: ON_WORKSPACES.mapping,
};

const ON_KEYS = asked("k.id", {
  state: [inForce("k.state", CONTAINER_SUSPENDED.key), "text"],
  system: ["k.system", "boolean"],
});

/** In order of creation. */
export const KEYS_OF_API: List = {
  name: "keys_of_api",
  item: object(LISTED_OF_KEY),
  from: `keys k join apis a on a.id = k.api_id join workspaces w on w.id = a.workspace_id ${ON_KEYS.join}`,
  within: "k.api_id",
  order: "k.position",
  mapping: ON_KEYS.mapping,
};

/** A query for rows of a list. */
export interface ListQuery {
  readonly statement: Statement;
  /** The parameters for at most `most` rows, beginning after a place in the order. */
  readonly values: (after: string | number, most: number) => readonly ParameterValue[];
  /** Whether the query finds exactly the rows that match the filter. Otherwise it finds these rows and others. */
  readonly isExact: boolean;
}

/** The query for the rows in `within` that match `filter`, in the order of the list. */
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
