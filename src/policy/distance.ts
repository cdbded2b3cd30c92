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

/** Insertions, deletions, substitutions and swaps from `a` to `b`; any number of at least `limit` past it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? limit) + 1,
          (row[j - 1] ?? limit) + 1,
          (last[j - 1] ?? limit) + (same ? 0 : 1),
          swap ? (beforeLast[j - 2] ?? limit) + 1 : limit,
        ),
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit;
}
