/** The audit chain: checked, and shown. */

import { createHash } from "node:crypto";
import { AUDIT_HEADS, AUDIT_PAGE } from "./store/statements.js";
import type { Requests } from "./store/store.js";

export interface AuditRow {
  readonly seq: number;
  /** JSON: who asked for what, when, what was decided, and what it changed. */
  readonly entry: string;
  readonly hash: string;
}

interface Head {
  readonly accountId: string;
  readonly seq: number;
  readonly hash: string;
}

export interface Verified {
  readonly accounts: number;
  readonly entries: number;
  /** What is wrong: at most one for each account, the first. */
  readonly faults: readonly { readonly accountId: string; readonly seq: number; readonly fault: string }[];
}

const PAGE = 1_000;

/** The chain of an account in order, page by page, as it stands. */
export async function* chainOf(store: Requests, accountId: string): AsyncGenerator<AuditRow> {
  let after = 0;
  for (;;) {
    const rows = await store.run<AuditRow>(AUDIT_PAGE, [accountId, after, PAGE]);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    after = last.seq;
  }
}

export async function headsOf(store: Requests): Promise<readonly Head[]> {
  return await store.run<Head>(AUDIT_HEADS, []);
}

/**
 * Checks every chain: numbers without a gap from 1, each hash that of its entry and the hash before it, and the end where
 * the head says. A chain that goes on while it is read is checked up to its head.
 */
export async function verifyAudit(store: Requests): Promise<Verified> {
  const heads = await headsOf(store);
  const faults: Verified["faults"][number][] = [];
  let entries = 0;
  for (const { accountId, ...head } of heads) {
    let end = { seq: 0, hash: "" };
    let fault: string | undefined;
    for await (const { seq, entry, hash } of chainOf(store, accountId)) {
      if (seq > head.seq) break;
      if (seq !== end.seq + 1) fault = "an entry is missing before this one";
      else if (hash !== linkOf(end.hash, accountId, seq, entry)) fault = "this entry, or its hash, was changed";
      end = { seq, hash };
      if (fault !== undefined) break;
      entries++;
    }
    if (fault === undefined && (end.seq !== head.seq || end.hash !== head.hash)) fault = "the chain ends too early";
    if (fault !== undefined) faults.push({ accountId, seq: end.seq, fault });
  }
  return { accounts: heads.length, entries, faults };
}

function linkOf(before: string, accountId: string, seq: number, entry: string): string {
  return createHash("sha256").update([before, accountId, seq, entry].join("\n")).digest("hex");
}
