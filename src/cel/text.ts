/**
 * Text as CEL sees it: a string is a sequence of code points, where JavaScript counts UTF-16 code units.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

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

/** The offset in code units of the code point `index`; `undefined` beyond the end (the end itself has one). */
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

/** The UTF-8 bytes. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text whose UTF-8 bytes these are; `undefined` if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = decoder.decode(bytes);
  // Invalid bytes decode to U+FFFD, so only then can the way back differ.
  if (!text.includes("\ufffd")) return text;
  const back = encoder.encode(text);
  return back.length === bytes.length && back.every((byte, i) => byte === bytes[i]) ? text : undefined;
}

/** The text of bytes that are not all UTF-8: each that is not becomes U+FFFD, one code point, as it counts in Go. */
export function replaceInvalid(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((size) => decodeUtf8(bytes.subarray(at, at + size)) !== undefined) ?? 0;
    text += length === 0 ? "\ufffd" : decodeUtf8(bytes.subarray(at, at + length));
    at += Math.max(length, 1);
  }
  return text;
}

/** Where what a sticky pattern finds at an offset ends; -1 if it finds nothing there. */
export function endOf(pattern: RegExp, text: string, at: number): number {
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
