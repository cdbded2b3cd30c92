/**
 * Names that are spelt almost like another one that more places have. That is no proof, so only what hardly is another
 * word counts: one letter left out, added, exchanged or swapped, past the beginning of a longer word.
 */

/** What mentions names: the same one perhaps several times. */
export interface Named {
  readonly name: string;
}

/**
 * The mentions of names that are probably misspelt, with the name that was meant. Of two names that are mentioned once
 * each, either may be the right one: both are reported.
 */
export function misspellings<T extends Named>(
  mentions: readonly T[],
): readonly (readonly [mention: T, meant: string])[] {
  const counts = new Map<string, number>();
  for (const { name } of mentions) counts.set(name, (counts.get(name) ?? 0) + 1);
  return mentions
    .filter(({ name }) => counts.get(name) === 1)
    .flatMap((mention) => {
      const meant = [...counts.keys()].find((other) => isSlip(mention.name, other));
      return meant === undefined ? [] : [[mention, meant] as const];
    });
}

const SHORTEST = 4;

/** Endings that make another word of a word. */
const ENDING = /^(s|d|r|es|ed|er)?$/;

function isSlip(word: string, other: string): boolean {
  if (word === other || Math.min(word.length, other.length) < SHORTEST) return false;
  if (word.toLowerCase() === other.toLowerCase()) return true;
  const shorter = Math.min(word.length, other.length);
  let start = 0;
  while (start < shorter && word[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && word.at(-1 - end) === other.at(-1 - end)) end++;
  const [a, b] = [word.slice(start, word.length - end), other.slice(start, other.length - end)];
  const isBeginning = start === 0 || /[^a-z]/i.test(word[start - 1] ?? "");
  if (isBeginning || /[^a-z]/i.test(a + b) || (end === 0 && ENDING.test(a) && ENDING.test(b))) return false;
  const isSwap = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return isSwap || (a.length <= 1 && b.length <= 1);
}
