/** Text in CEL: a string is a sequence of code points, whereas JavaScript counts UTF-16 code units. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** True if a text has no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

/** The number of code points. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if (isHigh(text.charCodeAt(i)) && isLow(text.charCodeAt(i + 1))) {
      length--;
      i++;
    }
  }
  return length;
}

/** The offset in code units of the code point `index`; `undefined` beyond the end (the end itself has an offset). */
export function offsetOf(text: string, index: number): number | undefined {
  let offset = 0;
  for (let i = 0; i < index; i++) {
    if (offset >= text.length) return undefined;
    offset += isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1)) ? 2 : 1;
  }
  return offset <= text.length ? offset : undefined;
}

/** The order by code points, which is Go's order of the UTF-8 bytes and differs from JavaScript's `<`. */
export function compareStrings(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // At the first difference, a half of a surrogate pair stands for a code point above every single unit.
    const xIsHalf = isSurrogate(x);
    if (xIsHalf !== isSurrogate(y)) return xIsHalf ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8 bytes; `undefined` if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = decoder.decode(bytes);
  // Invalid bytes decode to U+FFFD, so only then can encoding again give other bytes.
  if (!text.includes("\ufffd")) return text;
  const back = encoder.encode(text);
  return back.length === bytes.length && back.every((byte, i) => byte === bytes[i]) ? text : undefined;
}

/** Decodes bytes that are not all UTF-8. Each invalid byte becomes U+FFFD, one code point, as in Go. */
export function replaceInvalid(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => decodeUtf8(bytes.subarray(at, at + size)) !== undefined) ?? 0;
    text += length === 0 ? "\ufffd" : decodeUtf8(bytes.subarray(at, at + length));
    at += Math.max(length, 1);
  }
  return text;
}

/** The end of a sticky pattern's match at an offset; -1 if it does not match there. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
