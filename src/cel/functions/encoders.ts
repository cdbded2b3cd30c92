/** Base64 (cel-go `ext/encoders.go`) with the standard alphabet. Decoding also accepts text without padding. */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { BYTES, STRING } from "../types.js";
import { type Overload, unary } from "./overload.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Map(Array.from(ALPHABET, (char, value) => [char.charCodeAt(0), value]));
const PADDED = /^[A-Za-z0-9+/]*={0,2}$/;

/** Encodes bytes as base64, with padding. */
export function encodeBase64(ev: Evaluation, bytes: Uint8Array): string | undefined {
  if (!spend(ev, 1 + (bytes.length >> 2))) return undefined;
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const bits = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    pieces.push(
      ALPHABET.charAt(bits >> 18),
      ALPHABET.charAt((bits >> 12) & 63),
      left > 1 ? ALPHABET.charAt((bits >> 6) & 63) : "=",
      left > 2 ? ALPHABET.charAt(bits & 63) : "=",
    );
  }
  return pieces.join("");
}

function decode(ev: Evaluation, text: string): Uint8Array | undefined {
  if (!spend(ev, 1 + (text.length >> 3))) return undefined;
  // Go ignores line ends.
  const padded = text.replace(/[\r\n]/g, "");
  const digits = padded.replace(/=*$/, "");
  const isWhole = padded.length === digits.length ? digits.length % 4 !== 1 : padded.length % 4 === 0;
  if (!PADDED.test(padded) || !isWhole) return fail(ev, "illegal base64 data");
  const bytes = new Uint8Array((digits.length * 6) >> 3);
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let i = 0; i < digits.length; i++) {
    bits = ((bits << 6) | (VALUES.get(digits.charCodeAt(i)) ?? 0)) & 0xffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes[at++] = (bits >> count) & 0xff;
    }
  }
  return bytes;
}

export const encoderFunctions: readonly Overload[] = [
  unary("global", "base64.encode", BYTES, STRING, encodeBase64),
  unary("global", "base64.decode", STRING, BYTES, decode),
];
