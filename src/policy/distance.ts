/** Suggestions for misspelt words. */

/** `did you mean "x"?` for the candidate nearest to `word`, or undefined if none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? undefined : `did you mean ${JSON.stringify(best)}?`;
}

/**
 * The edit distance from `a` to `b`, at most `limit`: insertions, deletions, substitutions and swaps. It computes only
 * cells that can be below the limit, and stops early, so that many candidates are cheap.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  const newRow = () => new Array<number>(b.length + 1).fill(limit);
  let [beforeLast, last, row] = [newRow(), newRow(), newRow()];
  for (let j = 0; j <= b.length && j < limit; j++) last[j] = j;
  let leastOfLast = 0;
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - limit + 1), Math.min(b.length, i + limit - 1)];
    row[from - 1] = from === 1 ? i : limit;
    if (to < b.length) row[to + 1] = limit;
    let least = row[from - 1] ?? limit;
    for (let j = from; j <= to; j++) {
      const same = a[i - 1] === b[j - 1];
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = Math.min(
        (last[j] ?? limit) + 1,
        (row[j - 1] ?? limit) + 1,
        (last[j - 1] ?? limit) + (same ? 0 : 1),
        swap ? (beforeLast[j - 2] ?? limit) + 1 : limit,
      );
      row[j] = steps;
      if (steps < least) least = steps;
    }
    // A swap reads the row before the last, so both rows must have reached the limit.
    if (least >= limit && leastOfLast >= limit) return limit;
    leastOfLast = least;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? limit, limit);
}
