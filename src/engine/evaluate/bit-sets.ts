/** Sets of conditions as bit sets, in words: see `WORD` of `generate/written.ts`. */

import { WORD } from "../generate/written.js";

/** Whether a condition is in a set. */
export function isIn(words: readonly number[], condition: number): boolean {
  const word = words[Math.floor(condition / WORD)] ?? 0;
  return Math.floor(word / 2 ** (condition % WORD)) % 2 === 1;
}

/** The set of the first `count` conditions that hold. Undefined if `holds` is undefined for one of them. */
export function bitSetOf(
  count: number,
  holds: (condition: number) => boolean | undefined,
): readonly number[] | undefined {
  const words: number[] = [];
  for (let first = 0; first < Math.max(1, count); first += WORD) {
    let word = 0;
    for (let i = first; i < Math.min(count, first + WORD); i++) {
      const is = holds(i);
      if (is === undefined) return undefined;
      if (is) word += 2 ** (i - first);
    }
    words.push(word);
  }
  return words;
}
