/** The option `--now`. */

import { parseTimestamp } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import { UsageError } from "./exit.js";

/** Throws a {@link UsageError} for a text that is no time. */
export function readNow(text: string): Timestamp {
  const time = parseTimestamp(text);
  if (time === undefined) throw new UsageError("--now must be an RFC 3339 timestamp");
  return time;
}
