/** The lines of a text, such as a log or JSON lines, read as they come. */

import { isUtf8 } from "node:buffer";

/** Longer lines are not read. Bytes. */
export const MAX_LINE = 64 * 1024 * 1024;

/** A line, or the reason why it has no text. */
export type TextLine =
  | { readonly text: string; readonly isEnded: boolean }
  | { readonly text: undefined; readonly reason: "line is too long" }
  /** `replaced` has U+FFFD in place of the bytes that are not UTF-8. */
  | { readonly text: undefined; readonly reason: "not UTF-8"; readonly replaced: string };

const NEWLINE = 10;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Yields the lines of each piece of the text together. Blank lines are left out: `number` counts them. A line loses its
 * byte order mark: files that were joined have several.
 */
export async function* textLines(
  pieces: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<readonly { readonly number: number; readonly line: TextLine }[]> {
  let rest: Buffer = EMPTY;
  let [isTooLong, number] = [false, 0];
  for await (const piece of pieces) {
    const given =
      typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const found: { number: number; line: TextLine }[] = [];
    let from = 0;
    for (let to = given.indexOf(NEWLINE); to !== -1; to = given.indexOf(NEWLINE, from)) {
      number += 1;
      const bytes = rest.length === 0 ? given.subarray(from, to) : Buffer.concat([rest, given.subarray(from, to)]);
      const line = isTooLong ? TOO_LONG : lineOf(bytes, true);
      if (line !== undefined) found.push({ number, line });
      [rest, isTooLong, from] = [EMPTY, false, to + 1];
    }
    rest = rest.length === 0 ? given.subarray(from) : Buffer.concat([rest, given.subarray(from)]);
    if (rest.length > MAX_LINE) [rest, isTooLong] = [EMPTY, true];
    if (found.length > 0) yield found;
  }
  const line = isTooLong ? TOO_LONG : lineOf(rest, false);
  if (line !== undefined) yield [{ number: number + 1, line }];
}

const EMPTY: Buffer = Buffer.alloc(0);
const TOO_LONG: TextLine = { text: undefined, reason: "line is too long" };

function lineOf(bytes: Buffer, isEnded: boolean): TextLine | undefined {
  const decoded = bytes.toString("utf8");
  const text = decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded;
  if (text.includes("\uFFFD") && !isUtf8(bytes)) return { text: undefined, reason: "not UTF-8", replaced: text };
  return text.trim() === "" ? undefined : { text, isEnded };
}
