/** Values by name, found faster than a `Map` finds them by a text that it has not seen before. */

/** Up to so many names. */
const MAX_NAMES = 64;
const MAX_SIZE = 256;
const MAX_POSITION = 24;

/**
 * A request's texts are new each time, so a `Map` computes a hash of every one. Where one character and the length
 * tell all names apart, the only candidate is found by these and then compared; whatever it does not find, the map
 * is asked for.
 */
export class NameIndex<T> {
  private readonly byName: ReadonlyMap<string, T>;
  private names: readonly string[] = [];
  private values: readonly (T | undefined)[] = [];
  private position = 0;

  constructor(byName: ReadonlyMap<string, T>) {
    this.byName = byName;
    if (byName.size > 0 && byName.size <= MAX_NAMES) this.spread();
  }

  get(name: string): T | undefined {
    const at = (name.charCodeAt(this.position) + name.length) & (this.names.length - 1);
    return this.names[at] === name ? this.values[at] : this.byName.get(name);
  }

  /** Looks for a position and a size at which no two names meet. */
  private spread(): void {
    for (let size = 4; size <= MAX_SIZE; size *= 2) {
      for (let position = 0; position < MAX_POSITION; position++) {
        const names = new Array<string>(size).fill("");
        const values = new Array<T | undefined>(size).fill(undefined);
        let apart = true;
        for (const [name, value] of this.byName) {
          const at = (name.charCodeAt(position) + name.length) & (size - 1);
          if (values[at] !== undefined) apart = false;
          names[at] = flat(name);
          values[at] = value;
        }
        if (!apart) continue;
        this.names = names;
        this.values = values;
        this.position = position;
        return;
      }
    }
  }
}

/**
 * The same text, on its own. A name that was cut out of a policy file is a slice of that file, which takes many times as
 * long to compare; as the name of a property it is copied out.
 */
function flat(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
