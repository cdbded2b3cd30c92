/** The tokenizer for expressions, by the rules of cel-go's lexer (`parser/gen/CEL.g4`). */

import { ParseFault } from "./parse-fault.js";
import { matchEnd } from "./text.js";

/**
 * - `name`: an identifier, or a word written like one: `true`, `in`;
 * - `quoted`: a name between backquotes, which can have other characters;
 * - `mark`: an operator, a bracket, or a character that is not part of the language;
 * - `end`: the end of the text.
 */
export type TokenKind = "name" | "quoted" | "int" | "uint" | "double" | "string" | "bytes" | "mark" | "end";

/** Offsets are in UTF-16 code units; `end` is exclusive. A number's sign is a token of its own. */
export interface ExpressionToken {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** White space (cel-go knows five characters) and comments. */
const BLANK = /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED = /`[A-Za-z0-9_.\-/ ]+`/y;
const HEXADECIMAL = /0x[0-9a-fA-F]+[uU]?/y;
const NUMBER = /(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
/** Operators of two characters, and operators of other languages, which are always syntax errors. */
const LONG_MARK = /[=!]==|<>|=[<>!]|\?\?|[=!<>]=|&&|\|\|/y;
/** The prefix of a string, before its quotes: raw, bytes, or both. */
const PREFIX = /^(?:[bB]?[rR]|[bB])$/;

/** The token at `from`, or after blanks there. Throws {@link ParseFault} for a string without a closing quote. */
export function tokenAt(source: string, from: number): ExpressionToken {
  const start = Math.max(from, matchEnd(BLANK, source, from));
  const c = source[start];
  if (c === undefined) return { kind: "end", text: "", start, end: start };
  if (c === '"' || c === "'") return string(source, start, start);
  const name = matchEnd(NAME, source, start);
  if (name > start) {
    const next = source[name];
    const isPrefix = (next === '"' || next === "'") && PREFIX.test(source.slice(start, name));
    return isPrefix ? string(source, start, name) : made("name", source, start, name);
  }
  if ((c >= "0" && c <= "9") || c === ".") {
    const number = numberAt(source, start);
    if (number !== undefined) return number;
  }
  if (c === "`") {
    const end = matchEnd(QUOTED, source, start);
    if (end > start) return made("quoted", source, start, end);
  }
  const long = matchEnd(LONG_MARK, source, start);
  return made("mark", source, start, long > start ? long : start + characterAt(source, start));
}

/** All tokens of an expression except `end`. */
export function tokensOf(source: string): readonly ExpressionToken[] {
  const tokens: ExpressionToken[] = [];
  for (let token = tokenAt(source, 0); token.kind !== "end"; token = tokenAt(source, token.end)) tokens.push(token);
  return tokens;
}

function made(kind: TokenKind, source: string, start: number, end: number): ExpressionToken {
  return { kind, text: source.slice(start, end), start, end };
}

function numberAt(source: string, start: number): ExpressionToken | undefined {
  const isUnsigned = (end: number) => source[end] === "u" || source[end] === "U";
  const hexadecimal = matchEnd(HEXADECIMAL, source, start);
  if (hexadecimal > start) return made(isUnsigned(hexadecimal - 1) ? "uint" : "int", source, start, hexadecimal);
  const end = matchEnd(NUMBER, source, start);
  if (end < 0) return undefined;
  if (/[.eE]/.test(source.slice(start, end))) return made("double", source, start, end);
  return isUnsigned(end) ? made("uint", source, start, end + 1) : made("int", source, start, end);
}

/** The string with its first quote at `quote`. */
function string(source: string, start: number, quote: number): ExpressionToken {
  const prefix = source.slice(start, quote);
  const mark = source[quote] ?? "";
  const isLong = source.startsWith(mark.repeat(3), quote);
  const closing = isLong ? mark.repeat(3) : mark;
  const isRaw = /[rR]/.test(prefix);
  for (let i = quote + closing.length; i < source.length; i++) {
    const c = source[i];
    if (c === "\\" && !isRaw) i++;
    else if (c === mark && source.startsWith(closing, i)) {
      return made(/[bB]/.test(prefix) ? "bytes" : "string", source, start, i + closing.length);
    } else if (!isLong && (c === "\n" || c === "\r")) break;
  }
  throw new ParseFault("syntax error: this string is never closed", start);
}

function characterAt(source: string, at: number): number {
  return (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
