/** `now`, `timeSince` and `id` of Cerbos's library. A decision has one clock value for all its expressions. */

import { type Evaluation, fail } from "../evaluation.js";
import { MAX_NANOS, MIN_NANOS } from "../time.js";
import { DURATION, DYN, TIMESTAMP } from "../types.js";
import { Duration, type Timestamp } from "../values.js";
import { nanosOf } from "./operators.js";
import { nullary, type Overload, unary } from "./overload.js";

function now(ev: Evaluation): Timestamp | undefined {
  ev.readsClock = true;
  return ev.now ?? fail(ev, "now is not available: the request gives no time");
}

/** `now() - time`. On overflow it is the longest duration, as in Go. */
function timeSince(ev: Evaluation, time: Timestamp): Duration | undefined {
  const clock = now(ev);
  if (clock === undefined) return undefined;
  const nanos = nanosOf(clock) - nanosOf(time);
  if (nanos > MAX_NANOS) return new Duration(MAX_NANOS);
  if (nanos < MIN_NANOS) return new Duration(MIN_NANOS);
  return new Duration(nanos);
}

export const clockFunctions: readonly Overload[] = [
  nullary("global", "now", TIMESTAMP, now),
  unary("global", "timeSince", TIMESTAMP, DURATION, timeSince),
  unary("member", "timeSince", TIMESTAMP, DURATION, timeSince),
  unary("global", "id", DYN, DYN, (_ev, value) => value),
];
