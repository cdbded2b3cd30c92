/** The SQL of audit chains. */

import type { Statement } from "./statement.js";

/** The end of each account's audit chain; null if it is missing. */
export const AUDIT_HEADS: Statement = {
  name: "audit_heads",
  text: `select t.id as "accountId", h.seq::float8 as seq, h.hash,
      coalesce(h.archived_seq, 0)::float8 as "archivedSeq", coalesce(h.archived_hash, '') as "archivedHash"
    from accounts t left join audit_heads h on h.account_id = t.id order by t.id`,
};

/**
 * Removes the entries of the account $1 up to the number $2, which has the hash $3, once they are archived. $4 is the
 * last number that was archived before; no row if it is another one by now.
 */
export const AUDIT_MOVED: Statement = {
  name: "audit_moved",
  text: `with moved as (update audit_heads set archived_seq = $2::bigint, archived_hash = $3
      where account_id = $1 and archived_seq = $4::bigint returning account_id)
    delete from audit using moved where audit.account_id = moved.account_id and audit.seq <= $2::bigint
    returning audit.seq`,
};

/** The audit entries of the account $1 after the number $2, at most $3. */
export const AUDIT_PAGE: Statement = {
  name: "audit_page",
  text: "select seq::float8 as seq, entry, hash from audit where account_id = $1 and seq > $2 order by seq limit $3",
};

/** The hash of an audit entry; `audit-log.ts` verifies it. */
export const link = (before: string, accountId: string, seq: string, entry: string) =>
  `encode(sha256(convert_to(${before} || E'\\n' || ${accountId} || E'\\n' || ${seq} || E'\\n' || ${entry}, 'UTF8')), 'hex')`;

/**
 * Records the refusals $2, in their order, in the account $1. The head of the chain is locked and then read: a plain
 * read would return the head as of the statement's beginning.
 */
export const REFUSED: Statement = {
  name: "refused",
  text: `with recursive head as materialized
      (select account_id, seq, hash from audit_heads where account_id = $1 for update),
    refused as (select entry, place from unnest($2::text[]) with ordinality as e (entry, place)),
    chain as (
      select account_id, seq, hash, '' as entry, 0::bigint as place from head
      union all
      select c.account_id, c.seq + 1, ${link("c.hash", "c.account_id", "(c.seq + 1)", "r.entry")}, r.entry, r.place
      from chain c join refused r on r.place = c.place + 1),
    audited as (insert into audit (account_id, seq, entry, hash)
      select account_id, seq, entry, hash from chain where place > 0)
    update audit_heads h set seq = c.seq, hash = c.hash from chain c
      where h.account_id = c.account_id and c.place = cardinality($2::text[])`,
};
