/** Turns: how much of something is done at a time for one account, so that none waits for all the work of another. */

export class Turns {
  private readonly limit: number;
  private readonly lanes = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  /** `limit`: how many of one lane run at a time. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Runs `work` when fewer than `limit` of the lane are running, in the order of arrival. */
  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const own = this.lanes.get(lane) ?? { running: 0, waiting: [] };
    this.lanes.set(lane, own);
    if (own.running >= this.limit) await new Promise<void>((resolve) => own.waiting.push(resolve));
    else own.running++;
    try {
      return await work();
    } finally {
      const next = own.waiting.shift();
      // Whoever is next runs in place of this one.
      if (next !== undefined) next();
      else if (--own.running === 0) this.lanes.delete(lane);
    }
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
