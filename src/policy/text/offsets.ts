/**
 * Where a character of a scalar's value stands in the file. YAML has five spellings of text; each function here
 * reads one of them as the YAML parser does and keeps, for every UTF-16 unit of the value, the offset it came from.
 * (What came from a line break, a fold or an escape stands where that begins.)
 */

import { readBlock } from "./block-scalar.js";
import type { ScalarNode } from "./tree.js";

/** A value under construction: its units, and where each came from. */
export class Spelling {
  value = "";
  readonly offsets: number[] = [];

  push(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at);
    this.value += text;
  }

  /** `text` as it stands in the file from `at`. */
  copy(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at + i);
    this.value += text;
  }
}

/**
 * The file offset of the character at `offset` of the scalar's value. The end of the value is the place after its last character.
 * The scalar's own start if the spelling cannot be followed.
 */
export function scalarOffset(text: string, node: ScalarNode, offset: number): number {
  const value = typeof node.data === "string" ? node.data : text.slice(node.start, node.end);
  const spelling = spellingOf(text, node, value);
  if (spelling.value !== value) return node.start;
  const found = spelling.offsets[Math.max(0, offset)];
  if (found !== undefined) return found;
  const last = spelling.offsets.at(-1);
  return last === undefined ? node.start : last + 1;
}

function spellingOf(text: string, node: ScalarNode, value: string): Spelling {
  const raw = text.slice(node.start, node.end);
  switch (node.style) {
    case "plain":
      return readFolded(raw, node.start, false);
    case "single":
      return readFolded(raw.slice(1, -1), node.start + 1, true);
    case "double":
      return readDouble(raw.slice(1, -1), node.start + 1);
    case "literal":
    case "folded":
      return readBlock(raw, node.start, node.style, value);
  }
}

/** Plain and single-quoted text: line breaks fold, white space around them goes, `''` is a quote. */
function readFolded(raw: string, start: number, quotes: boolean): Spelling {
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

/** White space around one or more line breaks: one break is a space, n breaks are n - 1 breaks. */
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

/** Double-quoted text, JSON's included: escapes, and line breaks that fold. */
function readDouble(raw: string, start: number): Spelling {
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
