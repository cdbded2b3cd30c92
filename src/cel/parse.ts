/**
 * Text to tree. The grammar is `@bufbuild/cel`'s parser; this module bounds its input, folds its expanded macros
 * back into nodes of their own, adds the macros that it does not know (`macros.ts`), and refuses what it lets pass
 * and Cerbos does not: numbers out of range, invalid escapes, `has(x)`. The answers of the server to each of these
 * are in `test/cel/language-answers.json`.
 */

import { parse as parseCel } from "@bufbuild/cel";
import type { Constant, Expr as ProtoExpr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import type { Syntax } from "./ast.js";
import { GROUP, type Squeezed, squeeze, tooDeep } from "./lexical.js";
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH } from "./limits.js";
import { foldComprehension, macroFromCall } from "./macros.js";
import { MAX_INT, MAX_UINT, MIN_INT } from "./numbers.js";
import { optionalMacro } from "./optional-macros.js";
import { ParseFault } from "./parse-fault.js";
import { syntaxHint } from "./parse-hints.js";
import { type CelValue, Uint } from "./values.js";

export type Parsed =
  | { readonly ok: true; readonly syntax: Syntax }
  | { readonly ok: false; readonly message: string; readonly at: number; readonly hint?: string };

/**
 * Parses one CEL expression. Never throws: a refusal is `ok: false`, with the offset it is about (UTF-16 code units into `source`).
 */
export function parseExpression(source: string): Parsed {
  if (source.length > MAX_EXPRESSION_LENGTH) {
    return { ok: false, message: `the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`, at: 0 };
  }
  let squeezed: Squeezed | undefined;
  try {
    squeezed = squeeze(source);
    const parsed = parseCel(squeezed.text);
    const { positions = {}, macroCalls = {} } = parsed.sourceInfo ?? {};
    const syntax = new Reader(squeezed, positions, macroCalls).read(parsed.expr, 0);
    const { stray } = squeezed.marks;
    return stray === undefined ? { ok: true, syntax } : { ok: false, message: UNEXPECTED, at: stray };
  } catch (error) {
    const refused = refusal(error, squeezed);
    const hint = syntaxHint(source, refused.at);
    return hint === undefined ? refused : { ...refused, hint };
  }
}

const UNEXPECTED = 'syntax error: unexpected "?"';

function refusal(error: unknown, squeezed: Squeezed | undefined): Extract<Parsed, { readonly ok: false }> {
  if (error instanceof ParseFault) return { ok: false, message: error.message, at: error.at };
  if (error instanceof RangeError) return { ok: false, message: tooDeep(0).message, at: 0 };
  const message = error instanceof Error ? error.message : "not an expression";
  const at = offsetOf(error);
  return { ok: false, message: syntaxMessage(error, message), at: squeezed?.at(at) ?? at };
}

/** The parser's own message without its position, which is reported apart and as a position in the file. */
function syntaxMessage(error: unknown, message: string): string {
  if (typeof error === "object" && error !== null && "found" in error) {
    const found = error.found;
    return typeof found === "string" && found !== ""
      ? `syntax error: unexpected ${JSON.stringify(found)}`
      : "syntax error: the expression ends too early";
  }
  return message.replace(/^<input>:\d+:\d+: /, "syntax error: ");
}

function offsetOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("location" in error)) return 0;
  const location = error.location;
  if (typeof location !== "object" || location === null || !("start" in location)) return 0;
  const start = location.start;
  if (typeof start !== "object" || start === null || !("offset" in start)) return 0;
  return typeof start.offset === "number" ? start.offset : 0;
}

/** Turns the parser's tree into ours. */
class Reader {
  private readonly squeezed: Squeezed;
  private readonly positions: { readonly [id: string]: number };
  private readonly macroCalls: { readonly [id: string]: ProtoExpr };

  constructor(
    squeezed: Squeezed,
    positions: { readonly [id: string]: number },
    macroCalls: { readonly [id: string]: ProtoExpr },
  ) {
    this.squeezed = squeezed;
    this.positions = positions;
    this.macroCalls = macroCalls;
  }

  read(proto: ProtoExpr | undefined, depth: number): Syntax {
    if (proto === undefined) throw new ParseFault("the expression is incomplete", 0);
    const at = this.at(proto.id);
    if (depth > MAX_EXPRESSION_DEPTH) throw tooDeep(at);
    const next = depth + 1;
    const kind = proto.exprKind;
    switch (kind.case) {
      case "constExpr":
        return { kind: "literal", at, value: literalOf(kind.value, at) };
      case "identExpr":
        return { kind: "ident", at, name: bare(kind.value.name) };
      case "selectExpr": {
        const { field, testOnly } = kind.value;
        const operand = this.read(kind.value.operand, next);
        if (!testOnly && this.squeezed.marks.field(this.offset(proto.id))) {
          return { kind: "call", at, fn: "_?._", args: [operand, { kind: "literal", at, value: field }] };
        }
        return { kind: testOnly ? "has" : "select", at, operand, field };
      }
      case "callExpr": {
        const args = kind.value.args.map((arg) => this.read(arg, next));
        const fn = kind.value.function;
        if (kind.value.target !== undefined) {
          const target = this.read(kind.value.target, next);
          const macro = macroFromCall(target, fn, args, at);
          if (macro !== undefined) return macro;
          const optional = optionalMacro(target, fn, args, at);
          return optional ?? { kind: "member", at, fn, target, args };
        }
        if (fn === "has") throw new ParseFault("invalid argument to has() macro: it takes a field selection", at);
        if (fn === "_[_]" && this.squeezed.marks.entry(this.offset(proto.id), 0)) {
          return { kind: "call", at, fn: "_[?_]", args };
        }
        const [group] = args;
        if (fn === GROUP && group !== undefined && this.squeezed.groups.has(this.offset(proto.id))) {
          if (args.length > 1) throw new ParseFault('syntax error: unexpected ","', at);
          return group;
        }
        return { kind: "call", at: this.operatorAt(proto.id, fn), fn: bare(fn), args };
      }
      case "listExpr":
        return { kind: "list", at, elements: kind.value.elements.map((e, i) => this.entry(proto.id, i, e, next)) };
      case "structExpr": {
        if (kind.value.messageName !== "") {
          throw new ParseFault(`message literals (${kind.value.messageName}{…}) are not supported`, at);
        }
        const entries = kind.value.entries.map((entry, i) => {
          if (entry.keyKind.case !== "mapKey") throw new ParseFault("a map entry needs a key", at);
          return { key: this.read(entry.keyKind.value, next), value: this.entry(proto.id, i, entry.value, next) };
        });
        return { kind: "map", at, entries };
      }
      case "comprehensionExpr": {
        const call = this.macroCalls[String(proto.id)]?.exprKind;
        const name = call?.case === "callExpr" ? call.value.function : "";
        return foldComprehension(name, kind.value, at, (e) => this.read(e, next));
      }
      default:
        throw new ParseFault("the expression is incomplete", at);
    }
  }

  /** An element, or the value of an entry, of the literal `id`. */
  private entry(id: bigint, position: number, proto: ProtoExpr | undefined, depth: number): Syntax {
    const value = this.read(proto, depth);
    return this.squeezed.marks.entry(this.offset(id), position) ? { kind: "optional", at: value.at, value } : value;
  }

  private offset(id: bigint): number {
    return this.positions[String(id)] ?? 0;
  }

  private at(id: bigint): number {
    return this.squeezed.at(this.offset(id));
  }

  /** The parser places a binary operator at the white space before it. */
  private operatorAt(id: bigint, fn: string): number {
    const at = this.positions[String(id)] ?? 0;
    const isOperator = fn.startsWith("_") || fn === "@in";
    return this.squeezed.at(isOperator && this.squeezed.text[at] === " " ? at + 1 : at);
  }
}

/** A name without the dot that may stand before it. */
function bare(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

function literalOf(constant: Constant, at: number): CelValue {
  const kind = constant.constantKind;
  switch (kind.case) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
    case "bytesValue":
      return kind.value;
    case "int64Value":
      if (kind.value < MIN_INT || kind.value > MAX_INT) throw new ParseFault("invalid int literal: out of range", at);
      return kind.value;
    case "uint64Value":
      if (kind.value > MAX_UINT) throw new ParseFault("invalid uint literal: out of range", at);
      return new Uint(kind.value);
    case "doubleValue":
      if (!Number.isFinite(kind.value)) throw new ParseFault("invalid double literal: out of range", at);
      return kind.value;
    default:
      throw new ParseFault("unsupported literal", at);
  }
}
