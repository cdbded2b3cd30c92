/** Verifies and reads audit chains. */

import { createHash } from "node:crypto";
import { AUDIT_HEADS, AUDIT_PAGE } from "./store/audit-statements.js";
import type { RequestStore } from "./store/store.js";

export interface AuditRow {
  readonly seq: number;
  /** JSON: the caller, the request, the time, the decision, and the change. */
  readonly entry: string;
  readonly hash: string;
}

export interface ChainHead {
  readonly accountId: string;
  /** Null if the end of the chain is missing; then nothing more can be added to it. */
  readonly seq: number | null;
  readonly hash: string | null;
  /** The last entry that was archived: the chain in the store goes on after it. 0 and `""` before the first archive. */
  readonly archivedSeq: number;
  readonly archivedHash: string;
}

export interface ChainVerification {
  readonly accounts: number;
  /** The entries in the store. */
  readonly entries: number;
  /** The entries that were archived. */
  readonly archived: number;
  /** The first fault of each account that has one. */
  readonly faults: readonly ChainFault[];
}

export interface ChainFault {
  readonly accountId: string;
  readonly seq: number;
  readonly fault: string;
}

/** The last entry of a chain, or of a part of it; `NO_ENTRY` if there is none. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

export const NO_ENTRY: ChainEnd = { seq: 0, hash: "" };

/** The verified ends of the chains in archives. */
export interface ArchivedChains {
  readonly ends: ReadonlyMap<string, ChainEnd>;
  /** Entries that came again, as after a crash between writing and moving. */
  readonly repeated: number;
  readonly faults: readonly ChainFault[];
}

const PAGE = 1_000;

/** The entries of an account's chain, in order, read page by page without verification. */
export async function* chainOf(store: RequestStore, accountId: string): AsyncGenerator<AuditRow> {
  let after = 0;
  for (;;) {
    const rows = await store.run<AuditRow>(AUDIT_PAGE, [accountId, after, PAGE]);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    after = last.seq;
  }
}

/** The stored end of every account's chain. */
export async function headsOf(store: RequestStore): Promise<readonly ChainHead[]> {
  return await store.run<ChainHead>(AUDIT_HEADS, []);
}

/**
 * Verifies every chain: its numbers run without a gap from 1, or from the last archived entry, each hash is the hash of
 * the entry and the hash before it, and the end matches the head. Chains may grow, together with their heads, while they
 * are read.
 */
export async function verifyAudit(store: RequestStore, archives?: ArchivedChains): Promise<ChainVerification> {
  const heads = await headsOf(store);
  const faults: ChainFault[] = archives === undefined ? [] : [...archives.faults, ...unarchived(heads, archives)];
  const longer: ChainFault[] = [];
  let entries = 0;
  const archived = heads.reduce((sum, { archivedSeq }) => sum + archivedSeq, 0);
  for (const head of heads) {
    const { seq, fault, ...whole } = await checked(store, head);
    const { accountId } = head;
    entries += whole.entries;
    if (fault !== undefined) faults.push({ accountId, seq, fault });
    else if (seq > (head.seq ?? 0)) longer.push({ accountId, seq, fault: "the chain goes on after its end" });
  }
  const now = new Map(longer.length > 0 ? (await headsOf(store)).map((head) => [head.accountId, head.seq ?? 0]) : []);
  faults.push(...longer.filter(({ accountId, seq }) => seq > (now.get(accountId) ?? 0)));
  return { accounts: heads.length, entries, archived, faults };
}

/** The accounts with an archive that does not end where the chain in the store begins. */
function unarchived(heads: readonly ChainHead[], { ends, faults }: ArchivedChains): readonly ChainFault[] {
  const known = new Set(faults.map(({ accountId }) => accountId));
  return heads.flatMap(({ accountId, archivedSeq, archivedHash }) => {
    const { seq, hash } = ends.get(accountId) ?? NO_ENTRY;
    const fits = seq === archivedSeq && hash === archivedHash;
    const fault = "the archives do not end where the chain in the store begins";
    return fits || known.has(accountId) ? [] : [{ accountId, seq: archivedSeq, fault }];
  });
}

interface CheckedChain {
  readonly entries: number;
  readonly seq: number;
  readonly fault?: string;
}

/** The number of valid entries of a chain, and the first invalid entry, or else the last entry. */
async function checked(store: RequestStore, head: ChainHead): Promise<CheckedChain> {
  const { archivedSeq, archivedHash } = head;
  let end: ChainEnd = { seq: archivedSeq, hash: archivedHash };
  let isWhole = head.seq === archivedSeq && head.hash === archivedHash;
  for await (const row of chainOf(store, head.accountId)) {
    const fault = faultAfter(end, head.accountId, row);
    if (fault !== undefined) return { entries: end.seq - archivedSeq, seq: row.seq, fault };
    end = row;
    isWhole ||= row.seq === head.seq && row.hash === head.hash;
  }
  const { seq } = end;
  const entries = seq - archivedSeq;
  if (isWhole) return { entries, seq };
  return { entries, seq, fault: head.seq === null ? "the end of the chain is gone" : "the chain ends too early" };
}

/** The fault of the entry of an account that should be the next one after `end`; undefined if it is. */
export function faultAfter(end: ChainEnd, accountId: string, { seq, entry, hash }: AuditRow): string | undefined {
  if (seq !== end.seq + 1) return "an entry is missing before this one";
  return hash === linkOf(end.hash, accountId, seq, entry) ? undefined : "this entry, or its hash, was changed";
}

/** The hash of an entry, in hexadecimal digits. `before`: the hash of the entry before it, or `""`. */
function linkOf(before: string, accountId: string, seq: number, entry: string): string {
  return createHash("sha256").update([before, accountId, seq, entry].join("\n")).digest("hex");
}
