/**
 * Archives old entries of the audit chains: moves them into a file of JSON lines, each with its account, number and hash.
 * The store keeps the number and the hash of the last archived entry, after which its chain goes on. So the chain stays
 * verifiable, and with the archives it is whole.
 */

import { type FileHandle, open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import {
  type ArchivedChains,
  type AuditRow,
  type ChainEnd,
  type ChainFault,
  type ChainHead,
  chainOf,
  faultAfter,
  headsOf,
  NO_ENTRY,
} from "./audit-log.js";
import { instantOf } from "./operations/views.js";
import { operatorName } from "./operator/action.js";
import { AUDIT_MOVED, REFUSED } from "./store/audit-statements.js";
import type { RequestStore } from "./store/store.js";

export const ARCHIVE_USAGE = "usage: audit archive --before TIME --to FILE --operator NAME [--reason TEXT]";

const Options = z.strictObject({
  before: z.iso.datetime({ offset: true }),
  to: z.string().min(1),
  operator: operatorName,
  reason: z.string().min(1).max(500).optional(),
});

export type ArchiveOptions = z.output<typeof Options>;

/** Throws for unknown arguments. */
export function readArchiveOptions(args: readonly string[]): ArchiveOptions {
  const text = { type: "string" } as const;
  const options = { before: text, to: text, operator: text, reason: text };
  const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  return Options.parse({ ...values });
}

/** The number of entries that are moved at a time: the account's changes wait meanwhile. */
const STEP = 1_000;

/** An archive that cannot be created or opened. */
export class NoArchive extends Error {
  override readonly name = "NoArchive";
}

/** Opens an archive. The flag `wx` creates it, and refuses a file that exists. */
async function openArchive(path: string, flag: "r" | "wx"): Promise<FileHandle> {
  try {
    return await open(path, flag, 0o600);
  } catch (error) {
    const what = flag === "r" ? "read" : "created";
    throw new NoArchive(`the archive cannot be ${what}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

export interface Archived {
  /** The accounts with archived entries. */
  readonly accounts: number;
  readonly entries: number;
  readonly faults: readonly ChainFault[];
}

/**
 * Moves the entries from before a time into a new file: of each account those up to its first entry that is not older.
 * Each entry is verified before it is moved; at a fault the account's chain is left alone from there on. An account with
 * moved entries gets an entry that says so. Rejects with {@link NoArchive} if the file exists.
 */
export async function archiveAudit(store: RequestStore, options: ArchiveOptions): Promise<Archived> {
  const file = await openArchive(options.to, "wx");
  try {
    const faults: ChainFault[] = [];
    let [accounts, entries] = [0, 0];
    for (const head of await headsOf(store)) {
      const moved = await archiveChain(store, head, file, options);
      entries += moved.entries;
      if (moved.entries > 0) accounts++;
      if (moved.fault !== undefined) faults.push(moved.fault);
    }
    return { accounts, entries, faults };
  } finally {
    await file.close();
  }
}

async function archiveChain(
  store: RequestStore,
  { accountId, archivedSeq, archivedHash }: ChainHead,
  file: FileHandle,
  { before, operator, reason }: ArchiveOptions,
): Promise<{ readonly entries: number; readonly fault?: ChainFault }> {
  let moved: ChainEnd = { seq: archivedSeq, hash: archivedHash };
  let end = moved;
  let step: AuditRow[] = [];
  const move = async () => {
    if (step.length === 0) return;
    if (moved.seq === archivedSeq) {
      const told = {
        time: instantOf(Date.now()),
        operator,
        reason,
        command: "audit.archive",
        accountId,
        change: { before },
      };
      await store.run(REFUSED, [accountId, [JSON.stringify(told)]]);
    }
    // The entries are on the disk before they leave the store.
    await file.appendFile(step.map((row) => `${JSON.stringify({ accountId, ...row })}\n`).join(""));
    await file.sync();
    const rows = await store.run(AUDIT_MOVED, [accountId, end.seq, end.hash, moved.seq]);
    if (rows.length !== step.length) throw new Error(`another process archives the entries of ${accountId}`);
    moved = end;
    step = [];
  };
  const found = async (fault?: string) => {
    await move();
    const entries = moved.seq - archivedSeq;
    return fault === undefined ? { entries } : { entries, fault: { accountId, seq: end.seq + 1, fault } };
  };
  for await (const row of chainOf(store, accountId)) {
    const fault = faultAfter(end, accountId, row);
    if (fault !== undefined) return found(fault);
    if (!isBefore(row.entry, before)) return found();
    step.push(row);
    end = row;
    if (step.length >= STEP) await move();
  }
  return found();
}

const Timed = z.object({ time: z.iso.datetime() });

/** An entry without a time stays where it is. */
function isBefore(entry: string, before: string): boolean {
  const timed = Timed.safeParse(valueIn(entry));
  return timed.success && Date.parse(timed.data.time) < Date.parse(before);
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ArchivedLine = z.strictObject({
  accountId: z.string(),
  seq: z.int().min(1),
  entry: z.string(),
  hash: z.string(),
});

/**
 * Verifies archives, in the order in which they were made. Any other line is a fault of the account `""`. Rejects with
 * {@link NoArchive} if a file cannot be opened.
 */
export async function readArchives(paths: readonly string[]): Promise<ArchivedChains> {
  const ends = new Map<string, ChainEnd>();
  const faults = new Map<string, ChainFault>();
  let repeated = 0;
  const note = (accountId: string, seq: number, fault: string) => {
    if (!faults.has(accountId)) faults.set(accountId, { accountId, seq, fault: `in an archive: ${fault}` });
  };
  for (const path of paths) {
    for await (const line of (await openArchive(path, "r")).readLines()) {
      const { data } = ArchivedLine.safeParse(valueIn(line));
      if (data === undefined) {
        note("", 0, "a line is no entry");
        continue;
      }
      const { accountId, ...row } = data;
      const end = ends.get(accountId) ?? NO_ENTRY;
      const fault = faultAfter(end, accountId, row);
      if (row.seq <= end.seq) repeated++;
      else if (fault === undefined) ends.set(accountId, row);
      else note(accountId, row.seq, fault);
    }
  }
  return { ends, repeated, faults: [...faults.values()] };
}
