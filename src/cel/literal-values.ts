/** The values of number, string and bytes literals (cel-go `parser/unescape.go`). */

import { MAX_INT, MAX_UINT, MIN_INT } from "./numbers.js";
import { ParseFault } from "./parse-fault.js";
import { encodeUtf8 } from "./text.js";
import type { ExpressionToken } from "./tokens.js";
import { type CelValue, Uint } from "./values.js";

/** The value of a number; `at`: its offset, including the sign of a negative one. Throws {@link ParseFault}. */
export function parseNumberLiteral({ kind, text }: ExpressionToken, isNegative: boolean, at: number): CelValue {
  if (kind === "uint") {
    const value = BigInt(text.slice(0, -1));
    if (value > MAX_UINT) throw new ParseFault("invalid uint literal: out of range", at);
    return new Uint(value);
  }
  if (kind === "int") {
    const value = isNegative ? -BigInt(text) : BigInt(text);
    if (value < MIN_INT || value > MAX_INT) throw new ParseFault("invalid int literal: out of range", at);
    return value;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw new ParseFault("invalid double literal: out of range", at);
  return isNegative ? -value : value;
}

const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

const NAMED: ReadonlyMap<string, number> = new Map([
  ["a", 0x07],
  ["b", 0x08],
  ["f", 0x0c],
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["v", 0x0b],
]);

/** The value of a string or of bytes. Throws {@link ParseFault} for an invalid escape sequence. */
export function parseTextLiteral({ kind, text, start }: ExpressionToken): string | Uint8Array {
  const quote = text.search(/["']/);
  const length = text.startsWith((text[quote] ?? "").repeat(3), quote) ? 3 : 1;
  const content = text.slice(quote + length, -length);
  const isRaw = /[rR]/.test(text.slice(0, quote));
  const parts = isRaw ? [lines(content)] : unescaped(content, start + quote + length, kind === "bytes");
  if (kind === "string")
    return parts.map((part) => (typeof part === "string" ? part : String.fromCodePoint(part))).join("");
  const bytes = parts.flatMap((part) => (typeof part === "string" ? [...encodeUtf8(part)] : [part]));
  return Uint8Array.from(bytes);
}

/** Converts line ends to `\n`. */
function lines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/** The texts between escape sequences, and the characters (or bytes) of the sequences as numbers. */
function unescaped(content: string, start: number, isBytes: boolean): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (let at = content.indexOf("\\"); at >= 0; at = content.indexOf("\\", from)) {
    parts.push(lines(content.slice(from, at)));
    ESCAPE.lastIndex = at;
    const [sequence = ""] = ESCAPE.exec(content) ?? [];
    const found = sequence === "" ? undefined : numberIn(sequence.slice(1), isBytes);
    if (found === undefined) {
      throw new ParseFault(`syntax error: invalid escape sequence ${content.slice(at, at + 2)}`, start + at);
    }
    parts.push(found);
    from = at + sequence.length;
  }
  parts.push(lines(content.slice(from)));
  return parts;
}

/** The character that an escape sequence stands for. In bytes, `\u` and `\U` are invalid. */
function numberIn(sequence: string, isBytes: boolean): number | undefined {
  const first = sequence[0] ?? "";
  if (first >= "0" && first <= "3") return Number.parseInt(sequence, 8);
  if (first === "x" || first === "X") return Number.parseInt(sequence.slice(1), 16);
  if (first !== "u" && first !== "U") return NAMED.get(first) ?? sequence.charCodeAt(0);
  const point = Number.parseInt(sequence.slice(1), 16);
  const isCharacter = point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isBytes || !isCharacter ? undefined : point;
}
