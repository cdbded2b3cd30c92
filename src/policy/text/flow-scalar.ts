/** Reads plain, single-quoted and double-quoted scalars: see `offsets.ts`. */

import { Spelling } from "./spelling.js";

/** Reads plain and single-quoted text: line breaks fold, white space around them is dropped, `''` is a quote. */
export function readFolded(raw: string, start: number, quotes: boolean): Spelling {
  const out = new Spelling();
  let i = 0;
  while (i < raw.length) {
    const fold = foldAt(raw, i);
    if (fold !== undefined) {
      out.push(fold.text, start + i);
      i = fold.end;
    } else {
      out.copy(raw[i] ?? "", start + i);
      i += quotes && raw[i] === "'" && raw[i + 1] === "'" ? 2 : 1;
    }
  }
  return out;
}

const FOLD = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/y;

/** Folds line breaks and the white space around them: one break becomes a space, n breaks become n - 1 breaks. */
function foldAt(raw: string, at: number): { readonly text: string; readonly end: number } | undefined {
  FOLD.lastIndex = at;
  const match = FOLD.exec(raw);
  if (match === null) return undefined;
  const breaks = match[0].split("\n").length - 1;
  return { text: breaks === 1 ? " " : "\n".repeat(breaks - 1), end: at + match[0].length };
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["e", "\x1b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["N", "\u0085"],
  ["_", "\u00a0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** Reads double-quoted text, including JSON's: resolves escapes and folds line breaks. */
export function readDouble(raw: string, start: number): Spelling {
  const out = new Spelling();
  let i = 0;
  while (i < raw.length) {
    if (raw[i] === "\\") {
      i = readEscape(raw, i, start, out);
      continue;
    }
    const fold = foldAt(raw, i);
    if (fold === undefined) out.copy(raw[i] ?? "", start + i);
    else out.push(fold.text, start + i);
    i = fold?.end ?? i + 1;
  }
  return out;
}

const LINE_JOIN = /\\\r?\n[ \t]*/y;

/** Reads the escape at `i`; returns the index after it. */
function readEscape(raw: string, i: number, start: number, out: Spelling): number {
  LINE_JOIN.lastIndex = i;
  const join = LINE_JOIN.exec(raw);
  if (join !== null) return i + join[0].length;
  const name = raw[i + 1] ?? "";
  const hex = HEX_LENGTHS.get(name);
  if (hex === undefined) {
    out.push(ESCAPES.get(name) ?? name, start + i);
    return i + 2;
  }
  const code = Number.parseInt(raw.slice(i + 2, i + 2 + hex), 16);
  if (code <= 0x10ffff) out.push(String.fromCodePoint(code), start + i);
  return i + 2 + hex;
}
