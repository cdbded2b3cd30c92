/** The dependencies of requests. */

import type { DecisionLog, RecordReads } from "../observability/decision-log.js";
import type { Metrics } from "../observability/metrics.js";
import type { Decider } from "../policies/decider.js";
import type { Policies } from "../policies/policies.js";
import type { RequestStore } from "../store/store.js";
import { AccountWrites } from "./account-writes.js";
import type { RateLimit } from "./rate-limit.js";
import { AccountsOfKeys, Turns } from "./turns.js";

/** The parts of the service that requests need. */
export interface ServingOptions {
  readonly store: RequestStore;
  readonly policies: Policies;
  readonly decider: Decider;
  readonly decisionLog: DecisionLog;
  /** How records in the decision log are made that can be replayed. Undefined: they have no attributes. */
  readonly recordReads?: RecordReads | undefined;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Whether a refused caller is told the permissions that it lacks. */
  readonly challenges: boolean;
  /** How long a request waits for other requests of its account, in milliseconds. */
  readonly patienceMs: number;
}

/** The parts of the service, and the state that requests share. */
export interface Serving extends ServingOptions {
  readonly turns: Turns;
  readonly lanes: AccountsOfKeys;
  readonly writing: AccountWrites;
}

/** The number of concurrent requests of one account: enough to keep a processor and a store busy. */
const AT_ONCE = 4;

/** The maximum number of keys with a cached account. */
const KNOWN_LANES = 10_000;

export function servingWith(options: ServingOptions): Serving {
  const { patienceMs } = options;
  return {
    ...options,
    turns: new Turns(AT_ONCE, patienceMs),
    lanes: new AccountsOfKeys(KNOWN_LANES),
    writing: new AccountWrites(patienceMs),
  };
}
