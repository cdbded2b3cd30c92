/**
 * What was found for sets of conditions before: sets are words of bits, most of one word. That it is the same for every
 * request with the same set is the invariant "a set says all" of `compiled-plan.ts`.
 */

/** Sets kept for one plan. There are rarely more than a dozen different ones. */
const MAX_SETS = 1_024;

/** First words this small are indexes of an array. */
const SMALL = 64;

/** The sets that begin alike. */
class Branch<V> {
  value: V | undefined = undefined;
  private small: (Branch<V> | undefined)[] | undefined = undefined;
  private large: Map<number, Branch<V>> | undefined = undefined;

  get(word: number): Branch<V> | undefined {
    return (word < SMALL ? this.small?.[word] : undefined) ?? this.large?.get(word);
  }

  /** `isFirst`: there is one branch of first words, and there may be very many others. */
  add(word: number, isFirst: boolean): Branch<V> {
    const made = new Branch<V>();
    if (isFirst && word < SMALL) {
      this.small ??= new Array<undefined>(SMALL).fill(undefined);
      this.small[word] = made;
    } else {
      this.large ??= new Map();
      this.large.set(word, made);
    }
    return made;
  }
}

export class VerdictCache<V> {
  private root = new Branch<V>();
  private count = 0;

  /** The value of a set of one word. */
  word(word: number): V | undefined {
    return this.root.get(word)?.value;
  }

  /** What is known of a set, whose words are the first so many of a list. */
  get(words: readonly number[], count: number): V | undefined {
    let at: Branch<V> | undefined = this.root;
    for (let i = 0; i < count && at !== undefined; i++) at = at.get(words[i] ?? 0);
    return at?.value;
  }

  set(words: readonly number[], count: number, value: V): void {
    if (this.count >= MAX_SETS) {
      this.root = new Branch();
      this.count = 0;
    }
    let at = this.root;
    for (const word of words.slice(0, count)) {
      const next = at.get(word);
      if (next === undefined) this.count++;
      at = next ?? at.add(word, at === this.root);
    }
    at.value = value;
  }
}
