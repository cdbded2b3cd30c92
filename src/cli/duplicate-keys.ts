/** Keys that an object has twice: `JSON.parse` takes the last, so two readers of one text can see two requests. */

export interface DuplicateKey {
  /** Where the second one stands: `resource.attr.tags[1].name`. */
  readonly path: string;
  readonly key: string;
}

interface Level {
  /** The keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The key, or the index, of the value that is being read. */
  at: string | number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]/g;

/** The first key that is there twice in its object. `text` is JSON: what `JSON.parse` takes. */
export function duplicateKey(text: string): DuplicateKey | undefined {
  const levels: Level[] = [];
  let latest = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{") levels.push({ keys: new Set(), at: "" });
    else if (token === "[") levels.push({ keys: undefined, at: 0 });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (typeof level?.at === "number") level.at++;
    } else if (token !== ":") latest = token;
    else if (level?.keys !== undefined) {
      const key = String(JSON.parse(latest));
      level.at = key;
      if (level.keys.has(key)) return { path: pathOf(levels), key };
      level.keys.add(key);
    }
  }
  return undefined;
}

function pathOf(levels: readonly Level[]): string {
  const steps = levels.map(({ at }, i) => {
    if (typeof at === "number") return `[${at}]`;
    return i === 0 ? at : `.${at}`;
  });
  return steps.join("");
}
