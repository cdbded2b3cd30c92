/** Times of entries, as texts in RFC 3339. */

import { parseTimestamp } from "../cel/time.js";

/** True if a text is earlier than another one. Servers leave out zeros of fractions, so texts do not sort by time. */
export function isEarlier(a: string, b: string): boolean {
  // Texts of the same form do: all that `Date` writes have one.
  if (a.length === b.length && a.endsWith("Z") && b.endsWith("Z")) return a < b;
  const [one, other] = [parseTimestamp(a), parseTimestamp(b)];
  if (one === undefined || other === undefined) return false;
  return one.seconds < other.seconds || (one.seconds === other.seconds && one.nanos < other.nanos);
}

/** The first and the last of some times. */
export class TimeSpan {
  first: string | undefined = undefined;
  last: string | undefined = undefined;

  add(time: string): void {
    if (this.first === undefined || isEarlier(time, this.first)) this.first = time;
    if (this.last === undefined || isEarlier(this.last, time)) this.last = time;
  }
}
