/** Changes of one account, which follow one another: so one connection at most waits for the lock of an account. */

import { Turns } from "./turns.js";

/** How many accounts' writes are counted. */
const MOST = 10_000;

export class Writing {
  private readonly turns: Turns;
  /** How often something was written in an account, of those that are being written in. */
  private readonly writes = new Map<string, number>();

  /** `patienceMs`: how long a change waits for those before it, in milliseconds. */
  constructor(patienceMs: number) {
    this.turns = new Turns(1, patienceMs);
  }

  /** Runs `work` when nothing else is being written in the account by this process. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.turns.run(accountId, work);
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
