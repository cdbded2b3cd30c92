/** Turns: how much of something is done at a time for one account, so that none waits for all the work of another. */

/** A turn did not come in time. */
export class NoTurn extends Error {
  override readonly name = "NoTurn";
}

interface Lane {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<() => void>;
}

export class Turns {
  private readonly limit: number;
  private readonly patienceMs: number;
  private readonly lanes = new Map<string, Lane>();

  /** `limit`: how many of one lane run at a time. `patienceMs`: how long one waits for its turn, in milliseconds. */
  constructor(limit: number, patienceMs: number) {
    this.limit = limit;
    this.patienceMs = patienceMs;
  }

  /**
   * Runs `work` when fewer than `limit` of the lane are running, in the order of arrival. Rejects with {@link NoTurn} if
   * that takes too long: where each waits for something that hangs, the last would wait for all the others besides.
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
      // Whoever is next runs in place of this one.
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

/** Which account a key is of, as far as it was seen lately: for sharing, not for deciding. */
export class LaneNames {
  private readonly limit: number;
  private readonly names = new Map<string, string>();

  /** `limit`: how many are remembered. */
  constructor(limit: number) {
    this.limit = limit;
  }

  of(prefix: string): string {
    return this.names.get(prefix) ?? "";
  }

  learn(prefix: string, accountId: string): void {
    if (this.names.get(prefix) === accountId) return;
    this.names.set(prefix, accountId);
    const oldest = this.names.keys().next();
    if (this.names.size > this.limit && oldest.done !== true) this.names.delete(oldest.value);
  }
}
