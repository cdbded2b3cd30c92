/**
 * Parses text to a tree, by the grammar of cel-go (`parser/gen/CEL.g4`). The tree keeps macros as nodes of their own.
 * `test/cel/language-answers.json` has the server's answers to unusual syntax.
 *
 * One function parses all binary operators by their precedence, so that the parser recurses only for brackets and
 * conditionals.
 */

import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH } from "../limits.js";
import { children, type Syntax } from "./ast.js";
import { parseNumberLiteral, parseTextLiteral } from "./literal-values.js";
import { hasMacro, macroFromCall } from "./macros.js";
import { dottedName } from "./names.js";
import { ParseFault } from "./parse-fault.js";
import { syntaxHint } from "./parse-hints.js";
import { type ExpressionToken, tokenAt } from "./tokens.js";

export type ParsedExpression =
  | { readonly ok: true; readonly syntax: Syntax }
  | { readonly ok: false; readonly message: string; readonly at: number; readonly hint?: string };

/**
 * Parses one CEL expression. Never throws: a refusal is `ok: false` with its offset (UTF-16 code units into `source`).
 */
export function parseExpression(source: string): ParsedExpression {
  if (source.length > MAX_EXPRESSION_LENGTH) {
    return { ok: false, message: `the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`, at: 0 };
  }
  try {
    return { ok: true, syntax: new Parser(source).whole() };
  } catch (error) {
    if (!(error instanceof ParseFault)) throw error;
    const { message, at } = error;
    const hint = syntaxHint(source, at);
    return { ok: false, message, at, ...(hint === undefined ? {} : { hint }) };
  }
}

/** Binary operators: their precedence, and their functions. */
const BINARY: ReadonlyMap<string, readonly [precedence: number, fn: string]> = new Map<
  string,
  readonly [number, string]
>([
  ["||", [1, "_||_"]],
  ["&&", [2, "_&&_"]],
  ...["<", "<=", ">", ">=", "==", "!="].map((mark) => [mark, [3, `_${mark}_`]] as const),
  ["in", [3, "@in"]],
  ...["+", "-"].map((mark) => [mark, [4, `_${mark}_`]] as const),
  ...["*", "/", "%"].map((mark) => [mark, [5, `_${mark}_`]] as const),
]);

/** The highest precedence of `||` and `&&`; their chains are balanced. */
const JUNCTIONS = 2;

/** Reserved words of CEL: keywords of other languages, which cannot be identifiers. */
const RESERVED: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "namespace",
  "package",
  "return",
  "var",
  "void",
  "while",
]);

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["false", false],
  ["null", null],
  ["true", true],
]);

/** Words that cannot be field names either. */
const KEYWORDS: ReadonlySet<string> = new Set(["in", ...CONSTANTS.keys()]);

class Parser {
  private readonly source: string;
  private token: ExpressionToken;
  private previous: ExpressionToken | undefined;
  /** The brackets that are open. */
  private readonly open: ExpressionToken[] = [];
  /** The nesting depth of brackets and conditionals. */
  private depth = 0;

  constructor(source: string) {
    this.source = source;
    this.token = tokenAt(source, 0);
  }

  whole(): Syntax {
    const syntax = this.expression();
    if (this.token.kind !== "end") throw this.unexpected();
    refuseDeep(syntax, 0);
    return syntax;
  }

  private expression(): Syntax {
    const condition = this.binary(1);
    if (!this.is("?")) return condition;
    const { start: at } = this.take();
    this.deepen(at);
    const then = this.binary(1);
    this.expect(":");
    const otherwise = this.expression();
    this.depth--;
    return { kind: "call", at, fn: "_?_:_", args: [condition, then, otherwise] };
  }

  /** Parses a chain of binary operators with a precedence of at least `least`. */
  private binary(least: number): Syntax {
    let left = this.unary();
    for (;;) {
      const [precedence, fn] = this.operator() ?? [0, ""];
      if (precedence < least || precedence === 0) return left;
      if (precedence <= JUNCTIONS) {
        left = this.junction(left, precedence, fn);
      } else {
        const { start: at } = this.take();
        left = { kind: "call", at, fn, args: [left, this.binary(precedence + 1)] };
      }
    }
  }

  private operator(): readonly [precedence: number, fn: string] | undefined {
    const { kind, text } = this.token;
    return kind === "mark" || kind === "name" ? BINARY.get(text) : undefined;
  }

  private junction(first: Syntax, precedence: number, fn: string): Syntax {
    const terms = [first];
    const ats: number[] = [];
    while (this.operator()?.[1] === fn) {
      ats.push(this.take().start);
      terms.push(this.binary(precedence + 1));
    }
    return balanced(fn, terms, ats, 0, ats.length - 1);
  }

  /** Two adjacent signs of the same kind cancel each other. */
  private unary(): Syntax {
    const { text, start: at } = this.token;
    const isSign = this.is("!") || this.is("-");
    let signs = 0;
    while (isSign && this.is(text)) {
      this.take();
      signs++;
    }
    if (text === "-" && signs === 1 && this.isNumber()) return this.member(this.number(true, at));
    const operand = this.member(this.primary());
    return signs % 2 === 0 ? operand : { kind: "call", at, fn: `${text}_`, args: [operand] };
  }

  private isNumber(): boolean {
    return this.token.kind === "int" || this.token.kind === "double";
  }

  private number(isNegative: boolean, at: number): Syntax {
    return { kind: "literal", at, value: parseNumberLiteral(this.take(), isNegative, at) };
  }

  private primary(): Syntax {
    const { token } = this;
    const { kind, text, start: at } = token;
    switch (kind) {
      case "int":
      case "uint":
      case "double":
        return this.number(false, at);
      case "string":
      case "bytes":
        return { kind: "literal", at, value: parseTextLiteral(this.take()) };
      case "name":
        return this.named("", at);
      case "mark":
        return this.marked(text, at);
      default:
        throw this.unexpected();
    }
  }

  private marked(mark: string, at: number): Syntax {
    switch (mark) {
      case "(": {
        this.enter();
        const inner = this.expression();
        this.leave(")");
        return inner;
      }
      case "[":
        return { kind: "list", at, elements: this.items("]", () => this.element()) };
      case "{":
        return { kind: "map", at, entries: this.items("}", () => this.entry()) };
      case ".":
        this.take();
        if (this.token.kind !== "name") throw this.unexpected();
        return this.named(".", at);
      case "-":
        // After `!`, a minus can only be the sign of a number.
        this.take();
        if (!this.isNumber()) throw this.unexpected(this.previous);
        return this.number(true, at);
      default:
        throw this.unexpected();
    }
  }

  /** A name, or a call of a function by its name. A leading dot stays in the name, so that no macro matches. */
  private named(dot: string, at: number): Syntax {
    const { text, start } = this.token;
    const constant = dot === "" ? CONSTANTS.get(text) : undefined;
    if (constant !== undefined) {
      this.take();
      return { kind: "literal", at, value: constant };
    }
    if (KEYWORDS.has(text)) throw this.unexpected();
    if (RESERVED.has(text)) throw new ParseFault("syntax error: reserved identifier", start);
    this.take();
    const name = dot + text;
    if (!this.is("(")) return { kind: "ident", at, name };
    const args = this.args();
    return name === "has" ? hasMacro(args, at) : { kind: "call", at, fn: name, args };
  }

  /** The fields, indexes and calls after an operand. */
  private member(first: Syntax): Syntax {
    let operand = first;
    for (;;) {
      const { kind, text } = this.token;
      if (kind !== "mark") return operand;
      if (text === ".") operand = this.selection(operand);
      else if (text === "[") operand = this.index(operand);
      else if (text === "{" && dottedName(operand) !== undefined) {
        const message = `message literals (${dottedName(operand)}{…}) are not supported`;
        throw new ParseFault(message, firstOf(operand));
      } else return operand;
    }
  }

  private selection(operand: Syntax): Syntax {
    const { start: at } = this.take();
    const isOptional = this.is("?");
    if (isOptional) this.take();
    const { kind, text: field } = this.token;
    if ((kind !== "name" && kind !== "quoted") || KEYWORDS.has(field)) throw this.unexpected();
    this.take();
    const name = kind === "quoted" ? field.slice(1, -1) : field;
    if (kind === "name" && !isOptional && this.is("(")) {
      const args = this.args();
      return macroFromCall(operand, name, args, at) ?? { kind: "member", at, fn: name, target: operand, args };
    }
    if (!isOptional) return { kind: "select", at, operand, field: name };
    return { kind: "call", at, fn: "_?._", args: [operand, { kind: "literal", at, value: name }] };
  }

  private index(operand: Syntax): Syntax {
    const { start: at } = this.enter();
    const isOptional = this.is("?");
    if (isOptional) this.take();
    const index = this.expression();
    this.leave("]");
    return { kind: "call", at, fn: isOptional ? "_[?_]" : "_[_]", args: [operand, index] };
  }

  private args(): readonly Syntax[] {
    this.enter();
    const args: Syntax[] = [];
    if (!this.is(")")) args.push(this.expression());
    while (this.is(",")) {
      this.take();
      args.push(this.expression());
    }
    this.leave(")");
    return args;
  }

  /** The items between brackets, possibly none, with or without a comma at the end. */
  private items<T>(closer: string, item: () => T): readonly T[] {
    this.enter();
    const items: T[] = [];
    while (!this.is(closer) && !this.is(",")) {
      items.push(item());
      if (!this.is(",")) break;
      this.take();
      if (this.is(",")) throw this.unexpected();
    }
    if (items.length === 0 && this.is(",")) this.take();
    this.leave(closer);
    return items;
  }

  private element(): Syntax {
    return this.maybe(this.optional(), this.expression());
  }

  private entry(): { readonly key: Syntax; readonly value: Syntax } {
    const isOptional = this.optional();
    const key = this.expression();
    this.expect(":");
    return { key, value: this.maybe(isOptional, this.expression()) };
  }

  private optional(): boolean {
    if (!this.is("?")) return false;
    this.take();
    return true;
  }

  private maybe(isOptional: boolean, value: Syntax): Syntax {
    return isOptional ? { kind: "optional", at: value.at, value } : value;
  }

  private is(mark: string): boolean {
    return this.token.kind === "mark" && this.token.text === mark;
  }

  private take(): ExpressionToken {
    const { token } = this;
    this.previous = token;
    this.token = tokenAt(this.source, token.end);
    return token;
  }

  private expect(mark: string): void {
    if (!this.is(mark)) throw this.unexpected();
    this.take();
  }

  private enter(): ExpressionToken {
    this.deepen(this.token.start);
    this.open.push(this.token);
    return this.take();
  }

  private leave(closer: string): void {
    this.expect(closer);
    this.open.pop();
    this.depth--;
  }

  private deepen(at: number): void {
    this.depth++;
    if (this.depth > MAX_EXPRESSION_DEPTH) throw tooDeep(at);
  }

  /** The fault of a token in the wrong place. At the end of the text it names an open bracket or the last operator. */
  private unexpected({ kind, text, start }: ExpressionToken = this.token): ParseFault {
    if (kind !== "end") return new ParseFault(`syntax error: unexpected ${JSON.stringify(text)}`, start);
    const [unclosed] = this.open;
    if (unclosed !== undefined) {
      return new ParseFault(`syntax error: this ${JSON.stringify(unclosed.text)} is never closed`, unclosed.start);
    }
    if (this.previous?.kind === "mark") return this.unexpected(this.previous);
    return new ParseFault("syntax error: the expression ends too early", start);
  }
}

/**
 * A chain of `&&` or `||` as a balanced tree, nested as in cel-go (`parser/helper.go`, `balancer`). `low` to `high` are
 * the operators of the chain; operator n stands after term n.
 */
function balanced(fn: string, terms: readonly Syntax[], ats: readonly number[], low: number, high: number): Syntax {
  const middle = (low + high + 1) >> 1;
  const left = middle === low ? terms[middle] : balanced(fn, terms, ats, low, middle - 1);
  const right = middle === high ? terms[middle + 1] : balanced(fn, terms, ats, middle + 1, high);
  if (left === undefined || right === undefined) throw new Error("keyward: a chain of operators without operands");
  return { kind: "call", at: ats[middle] ?? left.at, fn, args: [left, right] };
}

/** The offset at which a dotted name begins. */
function firstOf(operand: Syntax): number {
  return operand.kind === "select" ? firstOf(operand.operand) : operand.at;
}

/** Limits the depth, because all readers of a tree are recursive. */
function refuseDeep(syntax: Syntax, depth: number): void {
  if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep(syntax.at);
  for (const child of children(syntax)) refuseDeep(child, depth + 1);
}

function tooDeep(at: number): ParseFault {
  return new ParseFault(`the expression is nested more than ${MAX_EXPRESSION_DEPTH} levels deep`, at);
}
