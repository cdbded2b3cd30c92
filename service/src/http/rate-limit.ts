/** Limits the rate of requests. */

export interface RateLimitOptions {
  /** The sustained rate, in requests a second. 0: no limit. */
  readonly perSecond: number;
  /** The number of requests at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** The time when `tokens` was computed, in milliseconds. */
  at: number;
}

/** How often full buckets are removed, in milliseconds. A full bucket equals an absent one. */
const SWEEP_INTERVAL = 60_000;

/** The maximum number of buckets: anybody can send requests from many addresses. */
const MAX_BUCKETS = 100_000;

/** One token bucket for each name, in this process: with n replicas a name gets up to n times the rate. */
export class RateLimit {
  private readonly options: RateLimitOptions;
  private readonly now: () => number;
  private readonly maxBuckets: number;
  private readonly buckets = new Map<string, Bucket>();
  private sweptAt: number;

  constructor(
    options: RateLimitOptions,
    now: () => number = () => performance.now(),
    maxBuckets: number = MAX_BUCKETS,
  ) {
    this.options = options;
    this.now = now;
    this.maxBuckets = maxBuckets;
    this.sweptAt = now();
  }

  /** Takes a token. Without a token, returns the whole seconds until the next one. */
  take(name: string): number | undefined {
    const { perSecond } = this.options;
    if (perSecond === 0) return undefined;
    if (this.now() - this.sweptAt >= SWEEP_INTERVAL) this.sweep();
    const tokens = this.tokensOf(name);
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond));
    // The bucket that was taken from least recently comes first, and is the fullest of those that are alike.
    this.buckets.delete(name);
    this.buckets.set(name, { tokens: tokens - 1, at: this.now() });
    const oldest = this.buckets.keys().next();
    if (this.buckets.size > this.maxBuckets && oldest.done !== true) this.buckets.delete(oldest.value);
    return undefined;
  }

  /** The number of requests that are left at once; null without a limit. */
  remaining(name: string): { readonly limit: number; readonly remaining: number } | null {
    const { perSecond } = this.options;
    return perSecond === 0 ? null : { limit: perSecond, remaining: Math.floor(this.tokensOf(name)) };
  }

  private tokensOf(name: string): number {
    const { perSecond, burst } = this.options;
    const bucket = this.buckets.get(name);
    if (bucket === undefined) return burst;
    return Math.min(burst, bucket.tokens + ((this.now() - bucket.at) / 1000) * perSecond);
  }

  private sweep(): void {
    this.sweptAt = this.now();
    for (const name of [...this.buckets.keys()]) {
      if (this.tokensOf(name) >= this.options.burst) this.buckets.delete(name);
    }
  }
}

/** The limits of the service. Only proved keys take from the first two, so that nobody can empty another's bucket. */
export interface RequestLimits {
  /** By the id of the key. */
  readonly key: RateLimit;
  /** By the id of the account. */
  readonly account: RateLimit;
  /** By the caller's address, before anything else is done for it. */
  readonly address: RateLimit;
}

const NO_LIMIT: RateLimitOptions = { perSecond: 0, burst: 1 };

/** Limits that are left out limit nothing. */
export function requestLimits(options: { readonly [name in keyof RequestLimits]?: RateLimitOptions }): RequestLimits {
  return {
    key: new RateLimit(options.key ?? NO_LIMIT),
    account: new RateLimit(options.account ?? NO_LIMIT),
    address: new RateLimit(options.address ?? NO_LIMIT),
  };
}
