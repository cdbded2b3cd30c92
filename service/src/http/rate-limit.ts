/** How often a key may make requests. */

export interface RateLimitOptions {
  /** Requests a second that a key may make for any length of time. 0: any number. */
  readonly perSecond: number;
  /** Requests that a key may make at once, after it has made none for a while. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds. */
  at: number;
}

/** How often buckets that are full again, and so need not be remembered, are forgotten; in milliseconds. */
const SWEEP_INTERVAL = 60_000;

/**
 * One token bucket a key, in this process: with n replicas a key gets up to n times the rate. Only keys that are proved
 * have a bucket, so nobody else can use one up, or fill the memory with them.
 */
export class RateLimit {
  private readonly options: RateLimitOptions;
  private readonly now: () => number;
  private readonly buckets = new Map<string, Bucket>();
  private sweptAt: number;

  constructor(options: RateLimitOptions, now: () => number = () => performance.now()) {
    this.options = options;
    this.now = now;
    this.sweptAt = now();
  }

  /** Takes a token. If there is none: in how many whole seconds there will be. */
  take(keyId: string): number | undefined {
    const { perSecond } = this.options;
    if (perSecond === 0) return undefined;
    if (this.now() - this.sweptAt >= SWEEP_INTERVAL) this.sweep();
    const tokens = this.tokensOf(keyId);
    if (tokens >= 1) {
      this.buckets.set(keyId, { tokens: tokens - 1, at: this.now() });
      return undefined;
    }
    return Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }

  private tokensOf(keyId: string): number {
    const { perSecond, burst } = this.options;
    const bucket = this.buckets.get(keyId);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.tokens + ((this.now() - bucket.at) / 1000) * perSecond);
  }

  private sweep(): void {
    this.sweptAt = this.now();
    for (const keyId of [...this.buckets.keys()]) {
      if (this.tokensOf(keyId) >= this.options.burst) this.buckets.delete(keyId);
    }
  }
}
