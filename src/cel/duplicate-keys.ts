/** Finds duplicate keys of JSON objects. `JSON.parse` takes the last one, so two programs could read different requests. */

export interface DuplicateKey {
  /** The path of the second key: `resource.attr.tags[1].name`. */
  readonly path: string;
  readonly key: string;
  /** The offset of the second key. */
  readonly start: number;
}

interface NestingLevel {
  /** The keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The key or index of the value being read. */
  at: string | number;
}

/** The first duplicate key of an object. `text` must be valid for `JSON.parse`. One pass, without recursion. */
export function duplicateKey(text: string): DuplicateKey | undefined {
  const levels: NestingLevel[] = [];
  let latest = "";
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfText(text, i);
        // Slice only texts that may be keys.
        if (level?.keys !== undefined) {
          latest = text.slice(i, end + 1);
          start = i;
        }
        i = end;
        break;
      }
      case COLON: {
        if (level?.keys === undefined) break;
        const key = latest.includes("\\") ? String(JSON.parse(latest)) : latest.slice(1, -1);
        level.at = key;
        if (level.keys.has(key)) return { path: pathOf(levels), key, start };
        level.keys.add(key);
        break;
      }
      case COMMA:
        if (typeof level?.at === "number") level.at++;
        break;
      case OBJECT:
        levels.push({ keys: new Set(), at: "" });
        break;
      case LIST:
        levels.push({ keys: undefined, at: 0 });
        break;
      case OBJECT_END:
      case LIST_END:
        levels.pop();
        break;
    }
  }
  return undefined;
}

const [QUOTE, BACKSLASH, COLON, COMMA, OBJECT, OBJECT_END, LIST, LIST_END] = Array.from('"\\:,{}[]', (character) =>
  character.charCodeAt(0),
);

/** The index of the quote that ends the text starting at `start`. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    // An odd number of backslashes: the last one escapes the quote.
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

function pathOf(levels: readonly NestingLevel[]): string {
  const steps = levels.map(({ at }, i) => {
    if (typeof at === "number") return `[${at}]`;
    return i === 0 ? at : `.${at}`;
  });
  return steps.join("");
}
