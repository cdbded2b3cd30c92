/** The dependencies of requests. */

import type { DecisionLog, RecordReads } from "../observability/decision-log.js";
import type { Metrics } from "../observability/metrics.js";
import type { Decider } from "../policies/decider.js";
import type { Policies } from "../policies/policies.js";
import type { RequestStore } from "../store/store.js";
import { AccountWrites } from "./account-writes.js";
import { KeyLookups } from "./key-lookups.js";
import type { RequestLimits } from "./rate-limit.js";
import type { SnapshotCaches } from "./snapshot-cache.js";
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
  readonly limits: RequestLimits;
  /** The number of requests of one account that are at work at a time. */
  readonly accountConcurrency: number;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Whether a refused caller is told the permissions that it lacks. */
  readonly challenges: boolean;
  /** Snapshots of keys, for operations that only read them. */
  readonly caches: SnapshotCaches;
  /** How long a request waits for other requests of its account, in milliseconds. */
  readonly patienceMs: number;
}

/** The parts of the service, and the state that requests share. */
export interface Serving extends ServingOptions {
  readonly turns: Turns;
  readonly known: AccountsOfKeys;
  readonly lookups: KeyLookups;
  readonly writing: AccountWrites;
}

/** The maximum number of keys with a cached account. */
const KNOWN_KEYS = 10_000;

export function servingWith(options: ServingOptions): Serving {
  const { store, accountConcurrency, patienceMs } = options;
  return {
    ...options,
    turns: new Turns(accountConcurrency, patienceMs),
    known: new AccountsOfKeys(KNOWN_KEYS),
    lookups: new KeyLookups(store, patienceMs),
    writing: new AccountWrites(patienceMs),
  };
}
