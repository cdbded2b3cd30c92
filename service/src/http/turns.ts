/** Turns limit the concurrent work of each account, so that no account waits for all the work of another. */

/** A turn did not come in time. */
export class NoTurn extends Error {
  override readonly name = "NoTurn";
}

interface Lane {
  running: number;
  /** In order of arrival. */
  readonly waiting: Set<() => void>;
}

export class Turns {
  private readonly limit: number;
  private readonly patienceMs: number;
  private readonly lanes = new Map<string, Lane>();

  /** `limit`: concurrent runs in one lane. `patienceMs`: the maximum wait for a turn, in milliseconds. */
  constructor(limit: number, patienceMs: number) {
    this.limit = limit;
    this.patienceMs = patienceMs;
  }

  /** The requests of all lanes: at work, and in line. */
  load(): { readonly running: number; readonly waiting: number } {
    const load = { running: 0, waiting: 0 };
    for (const { running, waiting } of this.lanes.values()) {
      load.running += running;
      load.waiting += waiting.size;
    }
    return load;
  }

  /**
   * Runs `work` when fewer than `limit` runs of the lane are active, in order of arrival. Rejects with {@link NoTurn}
   * after `patienceMs`: if the store hangs, the last in line would otherwise wait for the timeouts of all others.
   */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = this.lanes.get(name) ?? { running: 0, waiting: new Set() };
    this.lanes.set(name, lane);
    if (lane.running >= this.limit) await this.turnIn(lane);
    else lane.running++;
    try {
      return await work();
    } finally {
      const [next] = lane.waiting;
      // The next one takes over this turn.
      if (next !== undefined) next();
      else if (--lane.running === 0) this.lanes.delete(name);
    }
  }

  private turnIn({ waiting }: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new NoTurn("too many requests of the account are at work"));
      }, this.patienceMs);
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      waiting.add(begin);
    });
  }
}

/**
 * Caches the account of each key that was seen recently, by the hash of its secret. Used to share capacity, and to read a
 * body before the key is looked up; never to authenticate, and never to decide.
 */
export class AccountsOfKeys {
  private readonly limit: number;
  private readonly names = new Map<string, string>();

  /** `limit`: the maximum number of cached keys. */
  constructor(limit: number) {
    this.limit = limit;
  }

  of(hash: string): string | undefined {
    return this.names.get(hash);
  }

  forget(hash: string): void {
    this.names.delete(hash);
  }

  learn(hash: string, accountId: string): void {
    if (this.names.get(hash) === accountId) return;
    this.names.set(hash, accountId);
    const oldest = this.names.keys().next();
    if (this.names.size > this.limit && oldest.done !== true) this.names.delete(oldest.value);
  }
}
