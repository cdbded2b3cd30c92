/**
 * What was asked for lately, by a pair of texts.
 *
 * A request's texts are new each time, so a `Map` computes a hash of every one. Here a few of their characters choose
 * two places to look at, and what stands there is compared. What is not found is looked up elsewhere.
 */

import { LONGEST_KEPT } from "./bounded.js";

interface Entry<T> {
  readonly first: string;
  readonly second: string;
  readonly third: string;
  readonly found: T;
}

/** A power of two. */
const SIZE = 1_024;

export class Recent<T> {
  private entries: (Entry<T> | undefined)[] = [];

  get(first: string, second: string, third: string): T | undefined {
    const at = placeOf(first, second, third);
    const entry = this.entries[at];
    if (entry !== undefined && entry.second === second && entry.first === first && entry.third === third) {
      return entry.found;
    }
    const other = this.entries[at ^ 1];
    return other !== undefined && other.second === second && other.first === first && other.third === third
      ? other.found
      : undefined;
  }

  /** Of the two entries in the places of this one, the older is dropped. */
  set(first: string, second: string, third: string, found: T): void {
    if (first.length > LONGEST_KEPT || second.length > LONGEST_KEPT || third.length > LONGEST_KEPT) return;
    if (this.entries.length === 0) this.entries = new Array<undefined>(SIZE).fill(undefined);
    const at = placeOf(first, second, third);
    this.entries[at ^ 1] = this.entries[at];
    this.entries[at] = { first, second, third, found };
  }
}

/** Names of one policy set differ in their lengths, in the middle, or at their ends. */
function placeOf(first: string, second: string, third: string): number {
  const end = second.length;
  const text = second.charCodeAt(end - 1) * 31 + second.charCodeAt(end >> 1) * 7 + end * 13;
  return (text * 5 + first.length * 37 + third.length * 11) & (SIZE - 1);
}
