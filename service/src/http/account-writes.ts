/** Serializes the writes of each account, so that at most one connection waits for the lock of an account. */

import { Turns } from "./turns.js";

/** The maximum number of accounts with a counter. */
const MOST = 10_000;

export class AccountWrites {
  private readonly turns: Turns;
  /** The number of writes of each account that has any. */
  private readonly writes = new Map<string, number>();
  /** The refusals of each account that wait for its turn. */
  private readonly refusals = new Map<string, RefusalBatch>();

  /** `patienceMs`: how long a change waits for earlier ones, in milliseconds. */
  constructor(patienceMs: number) {
    this.turns = new Turns(1, patienceMs);
  }

  /** Runs `work` when this process writes nothing else in the account. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.turns.run(accountId, work);
  }

  /**
   * Writes a refusal into the audit chain when it is the account's turn. Refusals that wait for the same turn are
   * written by one `write` of all their entries, and wait no longer than the first of them may. Resolves once the
   * refusal is written.
   */
  refused(accountId: string, entry: string, write: (entries: readonly string[]) => Promise<unknown>): Promise<unknown> {
    const waiting = this.refusals.get(accountId);
    if (waiting !== undefined) {
      waiting.entries.push(entry);
      return waiting.written;
    }
    const entries = [entry];
    // Later refusals start a new batch once this one is being written, or has stopped waiting.
    const close = () => {
      if (this.refusals.get(accountId)?.entries === entries) this.refusals.delete(accountId);
    };
    const inTurn = () =>
      this.run(accountId, () => {
        close();
        return write(entries);
      });
    // Deferred until the batch is registered, as the turn may come at once.
    const written = Promise.resolve().then(inTurn).finally(close);
    this.refusals.set(accountId, { entries, written });
    return written;
  }

  /** The number of writes: a later count that differs shows that something was written in between. */
  count(accountId: string): number {
    return this.writes.get(accountId) ?? 0;
  }

  wrote(accountId: string): void {
    // Forgetting is safe: the store itself detects writes.
    if (this.writes.size >= MOST) this.writes.clear();
    this.writes.set(accountId, this.count(accountId) + 1);
  }
}

interface RefusalBatch {
  readonly entries: string[];
  readonly written: Promise<unknown>;
}
