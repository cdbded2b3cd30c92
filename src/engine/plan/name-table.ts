/** Names and their numbers, found faster than a `Map` finds a text that it has not seen before. */

/** Up to so many names. */
const MAX_NAMES = 64;
const MAX_SIZE = 256;
const MAX_POSITION = 24;

/**
 * A request's texts are new each time, so a `Map` computes a hash of every one. Where one character and the length
 * tell all names apart, the only candidate is found by these and then compared; where they do not, the map is asked.
 */
export class NameTable {
  /** The names, each at its number. */
  readonly names: readonly string[];
  private readonly byName: ReadonlyMap<string, number>;
  /** By a character and the length; `""` is no name. */
  private candidates: readonly string[] = [];
  private numbers: readonly number[] = [];
  private position = 0;

  constructor(names: readonly string[]) {
    this.names = names.map(flat);
    this.byName = new Map(this.names.map((name, i) => [name, i]));
    if (names.length > 0 && names.length <= MAX_NAMES) this.spread();
  }

  get size(): number {
    return this.names.length;
  }

  /** The number of a name, or -1. */
  indexOf(name: string): number {
    const { candidates } = this;
    if (candidates.length === 0) return this.byName.get(name) ?? -1;
    const at = (name.charCodeAt(this.position) + name.length) & (candidates.length - 1);
    return (candidates[at] === name ? this.numbers[at] : undefined) ?? -1;
  }

  /** Looks for a position and a size at which no two names meet. */
  private spread(): void {
    for (let size = 4; size <= MAX_SIZE; size *= 2) {
      for (let position = 0; position < MAX_POSITION; position++) {
        const candidates = new Array<string>(size).fill("");
        const numbers = new Array<number>(size).fill(-1);
        let apart = true;
        this.names.forEach((name, i) => {
          const at = (name.charCodeAt(position) + name.length) & (size - 1);
          if (numbers[at] !== -1) apart = false;
          candidates[at] = name;
          numbers[at] = i;
        });
        if (!apart) continue;
        this.candidates = candidates;
        this.numbers = numbers;
        this.position = position;
        return;
      }
    }
  }
}

/** Tables by their names. Policies whose actions and roles have the same names share one, so it stays in the cache. */
export class NameTables {
  private readonly made = new Map<string, NameTable>();

  of(names: Iterable<string>): NameTable {
    const sorted = [...new Set(names)].sort();
    const key = JSON.stringify(sorted);
    const table = this.made.get(key) ?? new NameTable(sorted);
    this.made.set(key, table);
    return table;
  }
}

/**
 * The same text, on its own. A name that was cut out of a policy file is a slice of that file, which takes many times as
 * long to compare; as the name of a property it is copied out.
 */
function flat(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
