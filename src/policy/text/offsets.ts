/**
 * Maps a character of a scalar's value to its offset in the file. YAML has five spellings of text. Each function here
 * reads one of them as the YAML parser does, and keeps the source offset of every UTF-16 unit of the value. Units from a
 * line break, a fold or an escape have the offset where that begins.
 */

import { readBlock } from "./block-scalar.js";
import { readDouble, readFolded } from "./flow-scalar.js";
import type { Spelling } from "./spelling.js";
import type { ScalarNode } from "./tree.js";

/**
 * The file offset of the character at `offset` of the scalar's value. The end of the value is one past its last
 * character. Returns the scalar's start if the spelling cannot be followed.
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
