/** Decodes bytes as text. */

import type { IssueLog } from "../policy/issue-log.js";
import { Source } from "../policy/text/source.js";

/** The text of a UTF-8 file; undefined (with an issue at the first wrong byte) if it is not UTF-8. */
export function decodeText(bytes: Uint8Array, file: string, log: IssueLog): string | undefined {
  try {
    // The byte order mark is kept: the reader of the text decides about it.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith("\ufeff") ? 1 : 0;
    log.error("not_text", new Source(file, text).position(badAt(bytes, text) - mark), "not UTF-8 text");
    return undefined;
  }
}

/** The offset, in the leniently decoded text, of the first U+FFFD that is not in the bytes. */
function badAt(bytes: Uint8Array, text: string): number {
  const encoder = new TextEncoder();
  let byteAt = 0;
  let from = 0;
  for (let at = text.indexOf("\ufffd"); at >= 0; at = text.indexOf("\ufffd", from)) {
    byteAt += encoder.encode(text.slice(from, at)).length;
    if (bytes[byteAt] !== 0xef || bytes[byteAt + 1] !== 0xbf || bytes[byteAt + 2] !== 0xbd) return at;
    byteAt += 3;
    from = at + 1;
  }
  return 0;
}
