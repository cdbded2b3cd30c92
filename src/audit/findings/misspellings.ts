/**
 * Names spelled almost like another name with more mentions. Similarity proves nothing, so only slips that rarely
 * form another word count: one letter left out, added, replaced or swapped, past the beginning of a longer word.
 */

/** A mention of a name; several mentions may have the same name. */
export interface NameMention {
  readonly name: string;
}

/**
 * Mentions of probably misspelled names, each with the intended name. If two similar names are mentioned once each,
 * either may be right: both are reported.
 */
export function misspellings<T extends NameMention>(
  mentions: readonly T[],
): readonly (readonly [mention: T, meant: string])[] {
  const counts = new Map<string, number>();
  for (const { name } of mentions) counts.set(name, (counts.get(name) ?? 0) + 1);
  const spellings = new Spellings(counts.keys());
  return mentions
    .filter(({ name }) => counts.get(name) === 1)
    .flatMap((mention) => {
      const meant = spellings.meantBy(mention.name);
      return meant === undefined ? [] : [[mention, meant] as const];
    });
}

/**
 * An index of names by deletion: finds names that differ by one slip without comparing all. Two such names are equal in
 * lower case, or after removing one letter from one or both. Each name is indexed by all these forms, and candidates
 * are then compared.
 */
export class Spellings {
  private readonly names: readonly string[];
  /** The indexes of names, in their order. */
  private readonly found = new Map<string | number, number[]>();

  constructor(names: Iterable<string>) {
    this.names = [...names];
    for (const [i, name] of this.names.entries()) for (const trace of tracesOf(name)) this.put(trace, i);
  }

  /** The first name that the word is a misspelling of. */
  meantBy(word: string): string | undefined {
    let first = this.names.length;
    for (const trace of tracesOf(word)) {
      for (const i of this.found.get(trace) ?? []) {
        if (i >= first) break;
        if (isSlip(word, this.names[i] ?? "")) first = i;
      }
    }
    return this.names[first];
  }

  private put(trace: string | number, name: number): void {
    const found = this.found.get(trace);
    if (found === undefined) this.found.set(trace, [name]);
    else if (found.at(-1) !== name) found.push(name);
  }
}

const SHORTEST = 4;

/**
 * The index keys of a name: its lower-case form, and hashes of the whole and of the rest without each single letter.
 * Hashes seldom collide. A slip never concerns the first letter of a word.
 */
function tracesOf(name: string): readonly (string | number)[] {
  if (name.length < SHORTEST) return [];
  // The hash is a polynomial of code units, so the hash of a text without a letter follows from the whole text's.
  const beginnings = [0];
  let whole = 0;
  for (let i = 0; i < name.length; i++) {
    whole = (Math.imul(whole, BASE) + name.charCodeAt(i)) | 0;
    beginnings.push(whole);
  }
  const traces: (string | number)[] = [name.toLowerCase(), whole];
  let power = 1;
  for (let i = name.length - 1; i > 0; i--) {
    if (isLetter(name.charCodeAt(i)) && isLetter(name.charCodeAt(i - 1))) {
      const [before = 0, after = 0] = [beginnings[i], beginnings[i + 1]];
      traces.push((whole + Math.imul(before - after, power)) | 0);
    }
    power = Math.imul(power, BASE);
  }
  return traces;
}

const BASE = 0x01000193;

/** A to Z and a to z. */
function isLetter(unit: number): boolean {
  const small = unit | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

/** Endings that turn a word into another word. */
const ENDING = /^(s|d|r|es|ed|er)?$/;

/** Is one name probably a misspelling of the other? */
export function isSlip(word: string, other: string): boolean {
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
