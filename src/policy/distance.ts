/** Suggestions for misspelt words and sentences. */

/** `did you mean "x"?` for the candidate nearest to `word`, or undefined if none is within the distance `most`. */
export function didYouMean(word: string, candidates: Iterable<string>, most = farthest(word)): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? undefined : `did you mean ${JSON.stringify(best)}?`;
}

/** The greatest distance at which a word counts as a misspelling of another. */
function farthest(word: string): number {
  return Math.max(2, Math.floor(word.length / 3));
}

/**
 * The sentences with at least half of the letters of `text` in words that are equal or near, the nearest first and at
 * most `most` of them.
 */
export function nearestSentences(text: string, sentences: Iterable<string>, most: number): readonly string[] {
  const sought = wordsOf(text);
  const letters = sought.reduce((sum, { length }) => sum + length, 0);
  const scored = [...new Set(sentences)].map((sentence) => {
    const words = wordsOf(sentence);
    return { sentence, score: sought.reduce((sum, word) => sum + commonLetters(word, words), 0) };
  });
  const near = scored.filter(({ score }) => score > 0 && 2 * score >= letters).sort((a, b) => b.score - a.score);
  return near.slice(0, most).map(({ sentence }) => sentence);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The letters of a word without its distance to the nearest of `words`. */
function commonLetters(word: string, words: readonly string[]): number {
  const limit = Math.min(farthest(word) + 1, word.length);
  const distances = words.map((one) => (one.includes(word) ? 0 : editDistance(word, one, limit)));
  const least = Math.min(limit, ...distances);
  return least < limit ? word.length - least : 0;
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
