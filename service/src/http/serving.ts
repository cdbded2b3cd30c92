/** What requests are served with. */

import type { DecisionLog } from "../observability/decision-log.js";
import type { Metrics } from "../observability/metrics.js";
import type { Decider } from "../policies/decider.js";
import type { Policies } from "../policies/policies.js";
import type { Requests } from "../store/store.js";
import type { RateLimit } from "./rate-limit.js";
import { LaneNames, Turns } from "./turns.js";
import { Writing } from "./writing.js";

/** What the service is made of, as far as requests need it. */
export interface ServingOptions {
  readonly store: Requests;
  readonly policies: Policies;
  readonly decider: Decider;
  readonly decisionLog: DecisionLog;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
  /** Largest body, in bytes. */
  readonly bodyLimit: number;
  /** How long a request waits for others of its account, in milliseconds. */
  readonly patienceMs: number;
}

/** With what requests share among each other. */
export interface Serving extends ServingOptions {
  readonly turns: Turns;
  readonly lanes: LaneNames;
  readonly writing: Writing;
}

/** How many requests of one account are at work at a time: enough to keep a processor and a store busy. */
const AT_ONCE = 4;

/** How many keys' accounts are remembered. */
const KNOWN_LANES = 10_000;

export function servingWith(options: ServingOptions): Serving {
  const { patienceMs } = options;
  return {
    ...options,
    turns: new Turns(AT_ONCE, patienceMs),
    lanes: new LaneNames(KNOWN_LANES),
    writing: new Writing(patienceMs),
  };
}
