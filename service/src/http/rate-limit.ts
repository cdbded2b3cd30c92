/** Limits the request rate of each key. */

export interface RateLimitOptions {
  /** The sustained rate of a key, in requests a second. 0: no limit. */
  readonly perSecond: number;
  /** The number of requests that a key may make at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** The time when `tokens` was computed, in milliseconds. */
  at: number;
}

/** How often full buckets are removed, in milliseconds. A full bucket equals an absent one. */
const SWEEP_INTERVAL = 60_000;

/**
 * One token bucket for each key, in this process: with n replicas a key gets up to n times the rate. Only authenticated
 * keys have a bucket, so that nobody else can empty a key's bucket, or fill the memory with buckets.
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

  /** Takes a token. If there is none, returns the whole seconds until there is one. */
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
