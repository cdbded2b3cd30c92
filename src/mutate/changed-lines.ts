/** The lines of a text that differ from an earlier text. */

import type { Mutant } from "./mutants.js";

/** The most pairs of lines that are compared. In larger texts, all lines between the first and the last change count. */
const MAX_PAIRS = 4_000_000;

/** The numbers of the new and changed lines, from 1. After a deletion, the line in the place of the deleted ones counts. */
export function changedLines(before: string, after: string): ReadonlySet<number> {
  const [older, newer] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < older.length && start < newer.length && older[start] === newer[start]) start++;
  let [oldEnd, newEnd] = [older.length, newer.length];
  while (oldEnd > start && newEnd > start && older[oldEnd - 1] === newer[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  const [was, is] = [older.slice(start, oldEnd), newer.slice(start, newEnd)];
  if (was.length === 0 && is.length === 0) return new Set();
  if (is.length === 0) return new Set([start + 1]);
  const kept = was.length * is.length > MAX_PAIRS ? new Set<number>() : commonLines(was, is);
  return new Set([...is.keys()].filter((line) => !kept.has(line)).map((line) => start + line + 1));
}

/** The indexes of the lines of `is` in a longest common subsequence. */
function commonLines(was: readonly string[], is: readonly string[]): ReadonlySet<number> {
  const lengths: Uint32Array[] = Array.from({ length: was.length + 1 }, () => new Uint32Array(is.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = was.length - 1; i >= 0; i--) {
    for (let j = is.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = was[i] === is[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const kept = new Set<number>();
  for (let i = 0, j = 0; i < was.length && j < is.length; ) {
    if (was[i] === is[j]) {
      kept.add(j);
      i++;
      j++;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

/** Does a mutant change one of these lines? */
export function isOnLines({ line, from }: Mutant, lines: ReadonlySet<number>): boolean {
  const count = from.split("\n").length;
  return Array.from({ length: count }, (_, i) => line + i).some((one) => lines.has(one));
}
