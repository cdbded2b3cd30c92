/**
 * What is settled before the text of an expression is parsed: where its strings, comments and white space are, and
 * that its brackets match and do not nest too deep. The rules are those of cel-go's lexer (`parser/gen/CEL.g4`).
 *
 * The parser does not know comments, and takes time quadratic in the length of a run of white space at the end
 * (measured: 1.6 s for 16,000 spaces), so it is given the text with each run of either replaced by one space.
 *
 * Nor does it know the question mark of optional syntax, `a.?b`, `a[?k]`, `[?e]` and `{?k: v}`, which is taken out of the
 * text too. Where it stood is told by the dot or bracket before it, where the parser places the node it belongs to.
 */

import { MAX_EXPRESSION_DEPTH } from "./limits.js";
import { OptionalMarks } from "./optional-marks.js";
import { ParseFault } from "./parse-fault.js";

/**
 * The name that is put before the bracket of `!(!a)` and `-(-a)`, so that the group is a call of one argument. The parser
 * would cancel the operators through the brackets; cel-go cancels only those that stand side by side.
 */
export const GROUP = "_";

/** The text as the parser gets it. */
export interface Squeezed {
  readonly text: string;
  /** The question marks that were taken out. */
  readonly marks: OptionalMarks;
  /** Where {@link GROUP} was put before a bracket, in `text`. */
  readonly groups: ReadonlySet<number>;
  /** The offset in the source of an offset in `text`. */
  at(offset: number): number;
}

/** Throws {@link ParseFault} for text with unbalanced brackets, an open string, or too deep a nesting. */
export function squeeze(source: string): Squeezed {
  const scanner = new Scanner(source);
  scanner.run();
  return scanner;
}

const CLOSERS = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
/** White space (cel-go knows five characters) and comments. */
const BLANK = /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y;
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;
const RAW = /^[bB]?[rR]$/;
const PREFIX = /^(?:[bB]?[rR]|[bB])$/;

interface Bracket {
  readonly at: number;
  readonly opener: string;
  /** Where it is in the parser's text. */
  readonly from: number;
  /** Conditionals that are open in it; each one's last operand is nested in the one before. */
  conditionals: number;
  /** Commas so far. */
  commas: number;
}

class Scanner implements Squeezed {
  text = "";
  readonly marks = new OptionalMarks();
  readonly groups = new Set<number>();
  private readonly source: string;
  /** Offsets in `text` from which on the source is ahead, and by how much. */
  private readonly from: number[] = [];
  private readonly ahead: number[] = [];
  private readonly open: Bracket[] = [];
  private readonly outermost: Bracket = { at: 0, opener: "", from: 0, conditionals: 0, commas: 0 };
  /** The last punctuation mark, if only blanks follow it so far, and where it is in the parser's text. */
  private mark = "";
  private markAt = 0;
  private depth = 0;
  /** What comes before this offset in the source is in `text` already. */
  private taken = 0;

  constructor(source: string) {
    this.source = source;
  }

  at(offset: number): number {
    let low = 0;
    let high = this.from.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.from[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return offset + (this.ahead[low - 1] ?? 0);
  }

  run(): void {
    const { source } = this;
    let i = 0;
    while (i < source.length) i = this.token(i);
    const [unclosed] = this.open;
    if (unclosed !== undefined) {
      throw new ParseFault(`syntax error: this ${JSON.stringify(unclosed.opener)} is never closed`, unclosed.at);
    }
    this.text += source.slice(this.taken);
  }

  /** Takes the token at `i`, and returns where the next one begins. */
  private token(i: number): number {
    const { source } = this;
    const c = source[i] ?? "";
    const blank = lengthAt(BLANK, source, i);
    if (blank > 0) return this.blank(i, i + blank);
    const mark = this.mark;
    this.mark = "";
    if (c === '"' || c === "'") return this.string(i, i, false);
    const word = lengthAt(WORD, source, i);
    if (word > 0) {
      const end = i + word;
      const next = source[end];
      const prefix = word <= 2 && (next === '"' || next === "'") ? source.slice(i, end) : "";
      return PREFIX.test(prefix) ? this.string(i, end, RAW.test(prefix)) : end;
    }
    if (c === "`") throw new ParseFault("syntax error: quoted names are not supported", i);
    const at = this.offsetOf(i);
    this.bracket(c, i, mark);
    this.mark = c;
    this.markAt = at;
    return i + 1;
  }

  /** Leaves one space of what is between `i` and `end`. */
  private blank(i: number, end: number): number {
    if (end - i === 1 && this.source[i] === " ") return end;
    this.text += `${this.source.slice(this.taken, i)} `;
    this.from.push(this.text.length);
    this.ahead.push(end - this.text.length);
    this.taken = end;
    return end;
  }

  /** The end of a string whose first quote is at `quote`. */
  private string(start: number, quote: number, isRaw: boolean): number {
    const { source } = this;
    const isBytes = /[bB]/.test(source.slice(start, quote));
    const mark = source[quote] ?? "";
    const isLong = source.startsWith(mark.repeat(3), quote);
    const closing = isLong ? mark.repeat(3) : mark;
    for (let i = quote + closing.length; i < source.length; i++) {
      const c = source[i];
      if (c === "\\" && !isRaw) i += escaped(source, i, isBytes) - 1;
      else if (c === mark && source.startsWith(closing, i)) return i + closing.length;
      else if (!isLong && (c === "\n" || c === "\r")) break;
    }
    throw new ParseFault("syntax error: this string is never closed", start);
  }

  /** The offset in the parser's text of what comes next in the source. */
  private offsetOf(i: number): number {
    return this.text.length + i - this.taken;
  }

  private bracket(c: string, i: number, mark: string): void {
    const within = this.open.at(-1) ?? this.outermost;
    if (CLOSERS.has(c)) {
      if (c === "(" && (mark === "!" || mark === "-") && startsWithOperator(this.source, i)) this.group(i);
      this.open.push({ at: i, opener: c, from: this.offsetOf(i), conditionals: 0, commas: 0 });
      this.deepen(i);
    } else if (c === ")" || c === "]" || c === "}") {
      if (CLOSERS.get(within.opener) !== c) throw new ParseFault(`syntax error: unexpected ${JSON.stringify(c)}`, i);
      this.open.pop();
      this.depth -= 1 + within.conditionals;
    } else if (c === "?" && this.isOptional(within, mark)) {
      this.optional(within, i, mark === ".");
    } else if (c === "?") {
      within.conditionals++;
      this.deepen(i);
    } else if (c === ",") {
      this.depth -= within.conditionals;
      within.conditionals = 0;
      within.commas++;
    }
  }

  /** Makes a call of the group whose bracket is at `i`. */
  private group(i: number): void {
    this.text += this.source.slice(this.taken, i);
    this.groups.add(this.text.length);
    this.text += GROUP;
    this.from.push(this.text.length);
    this.ahead.push(i - this.text.length);
    this.taken = i;
  }

  /** Whether a question mark after the punctuation `mark` is one of optional syntax. No conditional begins so. */
  private isOptional({ opener }: Bracket, mark: string): boolean {
    return mark === "." || mark === "[" || mark === "{" || (mark === "," && (opener === "[" || opener === "{"));
  }

  /** Takes the question mark at `i` out. */
  private optional(within: Bracket, i: number, isField: boolean): void {
    if (isField) this.marks.addField(this.markAt, i);
    else this.marks.addEntry(within.from, within.commas, i);
    this.text += this.source.slice(this.taken, i);
    this.from.push(this.text.length);
    this.ahead.push(i + 1 - this.text.length);
    this.taken = i + 1;
  }

  private deepen(i: number): void {
    this.depth++;
    if (this.depth > MAX_EXPRESSION_DEPTH) throw tooDeep(i);
  }
}

/** Whether `!` or `-` is the first that brackets from `at` on have in them. */
function startsWithOperator(source: string, at: number): boolean {
  let i = at;
  while (source[i] === "(") i += 1 + lengthAt(BLANK, source, i + 1);
  return source[i] === "!" || source[i] === "-";
}

/** The refusal of an expression that nests too deep. */
export function tooDeep(at: number): ParseFault {
  return new ParseFault(`the expression is nested more than ${MAX_EXPRESSION_DEPTH} levels deep`, at);
}

/** The length of an escape sequence. In bytes there is none for a code point. */
function escaped(source: string, at: number, isBytes: boolean): number {
  const length = lengthAt(ESCAPE, source, at);
  if (length > 0 && !(isBytes && /[uU]/.test(source[at + 1] ?? ""))) return length;
  throw new ParseFault(`syntax error: invalid escape sequence ${source.slice(at, at + 2)}`, at);
}

function lengthAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex - at : 0;
}
