/** The text of a file, with positions of its offsets. */

import type { SourcePosition } from "../issue.js";

/** Control characters other than white space, and halves of surrogate pairs: not allowed in text (YAML 1.2, 5.1). */
const NOT_TEXT = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}/u;

export class Source {
  readonly file: string;
  readonly text: string;
  /** Whether the file began with a byte order mark. */
  readonly hasMark: boolean;
  private lineStarts: readonly number[] | undefined = undefined;

  /** A byte order mark is dropped: editors do not count it as a column. */
  constructor(file: string, text: string) {
    this.file = file;
    this.hasMark = text.startsWith("\ufeff");
    this.text = this.hasMark ? text.slice(1) : text;
  }

  position(offset: number): SourcePosition {
    this.lineStarts ??= lineStartsOf(this.text);
    const line = lineAt(this.lineStarts, offset);
    return { file: this.file, line: line + 1, column: offset - (this.lineStarts[line] ?? 0) + 1 };
  }

  /** The offset of the first character that is not allowed in text, or -1. */
  notTextAt(): number {
    return this.text.search(NOT_TEXT);
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line that starts at or before `offset`, from 0. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
