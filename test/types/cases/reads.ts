// The attributes that operations read, as types: handlers select them. See test/platforms/compilers.test.ts.

import type { Reads as LibraryReads } from "library";
import type { Policies, Reads } from "shipped";

/** The columns of a query, each named once. */
type Columns<K extends keyof Reads, O extends keyof Reads[K]> = Reads[K][O] extends { readonly resource: infer R }
  ? { readonly [Name in R & string]: true }
  : never;

type Row = Pick<Policies["kinds"]["api"]["attr"], Reads["api"]["apis.deleteApi"]["resource"]>;

const row = {
  accountId: "acc_1",
  deleteProtection: false,
  environment: "production",
  keyCount: 0,
  state: "active",
  system: false,
  workspaceId: "ws_1",
} as const;

//! right: each column that an operation reads
export const all: Columns<"api", "apis.getApi"> = { accountId: true, environment: true, workspaceId: true };
//! wrong(workspaceId): a column is missing
export const missing: Columns<"api", "apis.getApi"> = { accountId: true, environment: true };
//! wrong(keyCount): a column that the operation does not read
export const more: Columns<"api", "apis.getApi"> = {
  accountId: true,
  environment: true,
  workspaceId: true,
  keyCount: true,
};
//! right: a row with the attributes that an operation reads
export const read: Row = row;
//! wrong(deleteProtection): a row without an attribute that the operation reads
export const unprotected: Row = (({ deleteProtection: _, ...rest }) => rest)(row);
//! right: the account's attributes
export const account: Reads["api"]["apis.updateApi"]["account"] = "holds";
//! wrong(limits): an attribute of the account that the operation does not read
export const limits: Reads["api"]["apis.updateApi"]["account"] = "limits";
//! wrong(apis.getAip): an operation that the policies do not name
export type Unknown = Reads["api"]["apis.getAip"];
//! right: nothing is read
export const nothing: [LibraryReads["book"]["read"]["resource"]] extends [never] ? true : false = true;
//! right: an operation that a pattern names
export type Pattern = LibraryReads["room"]["admin:*"]["key"];
