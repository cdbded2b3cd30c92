/**
 * Finds where each part of an expression begins and ends in its source text. A node has only the offset of its
 * operator; the rest follows from the tokens around it. Brackets around a part do not belong to its span.
 */

import type { Syntax } from "./ast.js";
import { plainName } from "./names.js";
import { OPERATORS } from "./operators.js";
import { tokensOf } from "./tokens.js";
import { TypeValue } from "./values.js";

/** Offsets in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface SpanToken extends Span {
  readonly text: string;
  /** The index of the matching bracket; for other tokens their own index. */
  partner: number;
}

const NAME = /^[A-Za-z_]\w*$/;

/** The spans of the parts of one expression, for a tree that was parsed from `source`. */
export class Spans {
  private readonly source: string;
  private readonly words: readonly SpanToken[];

  constructor(source: string) {
    this.source = source;
    this.words = spanTokensOf(source);
  }

  of(expr: Syntax): Span {
    const [first, last] = this.range(expr);
    return { start: this.words[first]?.start ?? 0, end: this.words[last]?.end ?? this.source.length };
  }

  /** The span with the brackets around the part. */
  bracketed(expr: Syntax): Span {
    const [first, last] = this.wrapped(expr);
    return { start: this.words[first]?.start ?? 0, end: this.words[last]?.end ?? this.source.length };
  }

  textOf(expr: Syntax): string {
    const { start, end } = this.of(expr);
    return this.source.slice(start, end);
  }

  /** The indexes of the first and the last token of a node. */
  private range(expr: Syntax): readonly [first: number, last: number] {
    const at = this.indexAt(expr.at);
    switch (expr.kind) {
      case "literal":
        if (expr.value instanceof TypeValue) return this.typeName(expr.value.name, at);
        return [this.text(at) === "-" ? at : this.signed(expr.value, at), this.text(at) === "-" ? at + 1 : at];
      case "ident":
        return [at, this.text(at) === "." ? at + 1 : at];
      case "list":
        // The arguments of `math.greatest` are one list.
        return this.text(at) === "." ? [at + 3, this.closing(at) - 1] : [at, this.partner(at)];
      case "map":
        return [at, this.partner(at)];
      case "select":
        return [this.wrapped(expr.operand)[0], at + 1];
      case "has":
        return [at, this.partner(at + 1)];
      case "macro":
        return [this.wrapped(expr.range)[0], this.closing(at)];
      case "bind":
        // `list.sortBy(x, key)` is a binding of the list, as cel-go expands it.
        return [expr.name.startsWith("@") ? this.wrapped(expr.init)[0] : this.nameBefore(at), this.closing(at)];
      case "optional":
        return this.wrapped(expr.value);
      case "member":
        return [this.wrapped(expr.target)[0], this.closing(at)];
      case "call":
        return this.call(expr.fn, expr.args, at);
    }
  }

  /** The dots of a type's name are tokens. Its node has the offset of the last one. */
  private typeName(name: string, at: number): readonly [number, number] {
    const dots = name.split(".").length - 1;
    if (dots === 0) return [at, this.text(at) === "." ? at + 1 : at];
    const first = at + 1 - 2 * dots;
    return [this.text(first - 1) === "." ? first - 1 : first, at + 1];
  }

  private call(fn: string, args: readonly Syntax[], at: number): readonly [number, number] {
    const [first] = args;
    const last = args.at(-1);
    if (first !== undefined && last !== undefined) {
      switch (OPERATORS.get(fn)?.kind) {
        case undefined:
          break;
        case "not":
        case "negative":
          return [at, this.wrapped(last)[1]];
        case "optionalField":
          return [this.wrapped(first)[0], at + 2];
        case "index":
        case "optionalIndex":
          return [this.wrapped(first)[0], this.partner(at)];
        default:
          return [this.wrapped(first)[0], this.wrapped(last)[1]];
      }
    }
    if (this.text(at) !== ".") return [at, this.partner(at + 1)];
    // The leading dot of a name without other dots is the token at `at`.
    return [plainName(fn).includes(".") ? this.nameBefore(at) : at, this.closing(at)];
  }

  /** {@link range}, with the brackets around the node. */
  private wrapped(expr: Syntax): readonly [number, number] {
    let [first, last] = this.range(expr);
    while (this.text(first - 1) === "(" && this.partner(first - 1) === last + 1 && !this.isCall(first - 1)) {
      first--;
      last++;
    }
    return [first, last];
  }

  /** Whether the bracket at an index holds the arguments of a call. */
  private isCall(bracket: number): boolean {
    const before = this.text(bracket - 1);
    return NAME.test(before) && before !== "in";
  }

  /** The index of the first token of a dotted name that ends before `index`. */
  private nameBefore(index: number): number {
    let first = this.partner(index - 1);
    while (this.text(first - 1) === "." && NAME.test(this.text(first - 2))) first -= 2;
    return this.text(first - 1) === "." ? first - 1 : first;
  }

  /** The closing bracket of a call `.name(`, with its dot at an index. */
  private closing(dot: number): number {
    return this.partner(dot + 2);
  }

  /** The index of the first token of a number, with its sign. */
  private signed(value: unknown, at: number): number {
    const negative = (typeof value === "number" || typeof value === "bigint") && (value < 0 || Object.is(value, -0));
    return negative && this.text(at - 1) === "-" ? at - 1 : at;
  }

  private partner(index: number): number {
    return this.words[index]?.partner ?? index;
  }

  private text(index: number): string {
    return this.words[index]?.text ?? "";
  }

  /** The index of the token at an offset, or of the first one after it. */
  private indexAt(offset: number): number {
    let low = 0;
    let high = this.words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.words[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function spanTokensOf(source: string): readonly SpanToken[] {
  const words = tokensOf(source).map(({ text, start, end }, partner): SpanToken => ({ text, start, end, partner }));
  const open: number[] = [];
  for (const [index, word] of words.entries()) {
    const { text } = word;
    if (text === "(" || text === "[" || text === "{") open.push(index);
    if (text !== ")" && text !== "]" && text !== "}") continue;
    const opener = words[open.at(-1) ?? -1];
    word.partner = open.pop() ?? index;
    if (opener !== undefined) opener.partner = index;
  }
  return words;
}
