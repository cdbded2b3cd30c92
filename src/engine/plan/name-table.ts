/** Numbers of names. The lookup is faster than in a `Map` for texts that the `Map` has not hashed before. */

/** Larger tables use the map alone. */
const MAX_NAMES = 64;
const MAX_SIZE = 256;
const MAX_POSITION = 24;

/**
 * The texts of a request are new each time, so a `Map` has to hash every one. If one character and the length tell all
 * names apart, they find the only candidate, which is then compared. Otherwise the map is used.
 */
export class NameTable {
  /** The names, by their numbers. */
  readonly names: readonly string[];
  private readonly byName: ReadonlyMap<string, number>;
  /** Indexed by a character and the length. `""` marks an empty place. */
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

  /** Looks for a position and a table size at which no two names collide. */
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

/**
 * Tables by their names. Policies with the same actions or roles share a table, so that it stays in the processor's
 * cache.
 */
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
 * Copies a text out of the text that it is a slice of. A name that was cut out of a policy file is a slice of that
 * file, which takes many times as long to compare. V8 copies a text that becomes the name of a property.
 */
function flat(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
