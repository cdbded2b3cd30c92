/** What is written in one account, one after another: so one connection at most waits for the lock of an account. */

import { Turns } from "./turns.js";

/** How many accounts' writes are counted. */
const MOST = 10_000;

export class Writing {
  private readonly turns: Turns;
  /** How often something was written in an account, of those that are being written in. */
  private readonly writes = new Map<string, number>();
  /** The refusals of each account that wait for its turn. */
  private readonly refusals = new Map<string, Refusals>();

  /** `patienceMs`: how long a change waits for those before it, in milliseconds. */
  constructor(patienceMs: number) {
    this.turns = new Turns(1, patienceMs);
  }

  /** Runs `work` when nothing else is being written in the account by this process. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.turns.run(accountId, work);
  }

  /**
   * Writes down a refusal when nothing else is being written in the account, with those that wait for the same, and as long
   * as the first of them may: by one `write` of all their entries. Resolves once it is written.
   */
  refused(accountId: string, entry: string, write: (entries: readonly string[]) => Promise<unknown>): Promise<unknown> {
    const waiting = this.refusals.get(accountId);
    if (waiting !== undefined) {
      waiting.entries.push(entry);
      return waiting.written;
    }
    const entries = [entry];
    // What comes once they are being written, or no longer wait, begins anew.
    const close = () => {
      if (this.refusals.get(accountId)?.entries === entries) this.refusals.delete(accountId);
    };
    const inTurn = () =>
      this.run(accountId, () => {
        close();
        return write(entries);
      });
    // Not before they are there: the turn may come at once.
    const written = Promise.resolve().then(inTurn).finally(close);
    this.refusals.set(accountId, { entries, written });
    return written;
  }

  /** To be compared with a later count: whether something was written in between. */
  count(accountId: string): number {
    return this.writes.get(accountId) ?? 0;
  }

  wrote(accountId: string): void {
    // Nothing goes wrong by forgetting: the store knows whether something was written.
    if (this.writes.size >= MOST) this.writes.clear();
    this.writes.set(accountId, this.count(accountId) + 1);
  }
}

interface Refusals {
  readonly entries: string[];
  readonly written: Promise<unknown>;
}
