/** Edits of one expression of a policy. */

import { children, type Syntax } from "../cel/ast.js";
import { isBooleanOperator } from "../cel/operators.js";
import { parseExpression } from "../cel/parse.js";
import { type Span, Spans } from "../cel/spans.js";
import { scalarOffset } from "../policy/text/offsets.js";
import { plainScalar } from "../policy/text/plain-scalar.js";
import type { ScalarNode } from "../policy/text/tree.js";
import { comparedSides, comparedTexts, operandsOf } from "./compared-texts.js";
import { type Edit, quoted } from "./edit.js";
import { inStyle, valueSpan } from "./node-spans.js";
import type { PolicyDocument } from "./policy-parts.js";
import type { MutationVocabulary } from "./vocabulary.js";

export interface ExpressionContext {
  readonly document: PolicyDocument;
  readonly vocabulary: MutationVocabulary;
  /** True if the expression is a condition. Variables can have values of any type. */
  readonly isCondition: boolean;
  /** True if the whole expression may be left out: see `PolicyPart`. */
  readonly canBeLeftOut: boolean;
}

export function expressionEdits(node: ScalarNode, context: ExpressionContext): readonly Edit[] {
  const source = String(node.data);
  const parsed = parseExpression(source);
  return parsed.ok ? new ExpressionEdits(source, parsed.syntax, node, context).all() : [];
}

const JUNCTIONS: ReadonlyMap<string, { readonly symbol: string; readonly other: string; readonly part: string }> =
  new Map([
    ["_&&_", { symbol: "&&", other: "||", part: "conjunct" }],
    ["_||_", { symbol: "||", other: "&&", part: "disjunct" }],
  ]);

/** The comparisons that differ from another at its boundary, or, of an order, on one side of it. */
const SHIFTED: ReadonlyMap<string, { readonly symbol: string; readonly others: readonly string[] }> = new Map([
  ["_==_", { symbol: "==", others: ["!="] }],
  ["_!=_", { symbol: "!=", others: ["=="] }],
  ["_<_", { symbol: "<", others: ["<=", "!="] }],
  ["_<=_", { symbol: "<=", others: ["<", "=="] }],
  ["_>_", { symbol: ">", others: [">=", "!="] }],
  ["_>=_", { symbol: ">=", others: [">", "=="] }],
]);

const BOOLEAN_MACROS: ReadonlySet<string> = new Set(["all", "exists", "exists_one"]);

class ExpressionEdits {
  private readonly edits: Edit[] = [];
  private readonly source: string;
  private readonly root: Syntax;
  private readonly node: ScalarNode;
  private readonly context: ExpressionContext;
  private readonly spans: Spans;
  private readonly text: string;

  constructor(source: string, root: Syntax, node: ScalarNode, context: ExpressionContext) {
    this.source = source;
    this.root = root;
    this.node = node;
    this.context = context;
    this.spans = new Spans(source);
    this.text = context.document.source.text;
  }

  all(): readonly Edit[] {
    const { context, root } = this;
    if (context.isCondition || isBoolean(root)) this.ofWhole();
    this.visit(root, undefined);
    for (const one of comparedTexts(root, this.spans)) {
      const other = context.vocabulary.textAfter(one, context.document);
      const span = this.spans.of(one.literal);
      const [written, changed] = [this.spans.textOf(one.literal), literalLike(this.spans.textOf(one.literal), other)];
      this.replace(span, changed, `constant exchanged: ${quoted(written)} for ${quoted(changed)}`);
    }
    return this.edits;
  }

  private ofWhole(): void {
    const { root, source } = this;
    const fn = root.kind === "call" ? root.fn : "";
    const whole = { start: source.length - source.trimStart().length, end: source.trimEnd().length };
    // An equality is negated where its comparison is shifted.
    if (fn !== "_==_" && fn !== "_!=_") {
      this.wrap(whole, "!(", ")", `condition negated: ${quoted(source)}`);
    }
    if (this.context.canBeLeftOut && fn !== "_&&_") {
      this.replace(whole, "(true)", `condition left out: ${quoted(source)}`);
    }
  }

  private visit(expr: Syntax, parent: Syntax | undefined): void {
    if (expr.kind === "call") {
      if (parent?.kind !== "call" || parent.fn !== expr.fn) this.ofJunction(expr.fn, expr);
      this.ofComparison(expr.fn, expr.args);
    }
    if (expr.kind === "literal") this.ofLiteral(expr);
    if (expr.kind === "list" && parent !== undefined && comparedSides(parent).includes(expr)) {
      const parts = expr.elements;
      if (parts.length > 1) this.leaveOut(parts, "element");
    }
    for (const child of children(expr)) this.visit(child, expr);
  }

  private ofJunction(fn: string, expr: Syntax): void {
    const junction = JUNCTIONS.get(fn);
    if (junction === undefined) return;
    const parts = operandsOf(expr, fn);
    this.leaveOut(parts, junction.part);
    for (const [i, part] of parts.slice(1).entries()) {
      const before = parts[i];
      if (before !== undefined) this.exchange(before, part, junction.symbol, junction.other);
    }
  }

  private ofComparison(fn: string, [left, right]: readonly Syntax[]): void {
    const shifted = SHIFTED.get(fn);
    if (shifted === undefined || left === undefined || right === undefined) return;
    for (const other of shifted.others) this.exchange(left, right, shifted.symbol, other);
  }

  /** Exchanges the operator between two operands. */
  private exchange(left: Syntax, right: Syntax, symbol: string, other: string): void {
    const at = this.source.indexOf(symbol, this.spans.bracketed(left).end);
    if (at < 0 || at >= this.spans.bracketed(right).start) return;
    const around = this.source.slice(this.spans.bracketed(left).start, this.spans.bracketed(right).end);
    const change = `${symbol} exchanged for ${other}: ${quoted(around)}`;
    this.replace({ start: at, end: at + symbol.length }, other, change);
  }

  /** Leaves out each of the parts that stand one after the other, with the operator or comma beside it. */
  private leaveOut(parts: readonly Syntax[], what: string): void {
    const spans = parts.map((part) => this.spans.bracketed(part));
    for (const [i, span] of spans.entries()) {
      const [before, after] = [spans[i - 1], spans[i + 1]];
      const change = `${what} left out: ${quoted(this.source.slice(span.start, span.end))}`;
      if (after !== undefined) this.replace({ start: span.start, end: after.start }, "", change);
      else if (before !== undefined) this.replace({ start: before.end, end: span.end }, "", change);
    }
  }

  private ofLiteral(literal: Syntax): void {
    const written = this.spans.textOf(literal);
    for (const other of otherLiterals(written)) {
      this.replace(this.spans.of(literal), other, `constant exchanged: ${written} for ${other}`);
    }
  }

  /** The span in the file of a span in the value. */
  private inFile({ start, end }: Span): Span {
    const whole = valueSpan(this.text, this.node);
    const last = end < this.source.trimEnd().length ? scalarOffset(this.text, this.node, end) : whole.end;
    return { start: scalarOffset(this.text, this.node, start), end: last };
  }

  private replace(span: Span, to: string, change: string): void {
    const { start, end } = this.inFile(span);
    const value = this.source.slice(0, span.start) + to + this.source.slice(span.end);
    if (parseExpression(value).ok) this.add({ start, end, to: inStyle(to, this.node), change }, value);
  }

  private wrap(span: Span, before: string, after: string, change: string): void {
    const { start, end } = this.inFile(span);
    const value = this.source.slice(0, span.start) + before + this.source.slice(span.start, span.end) + after;
    this.add({ start, end, to: before + this.text.slice(start, end) + after, change }, value);
  }

  /** A plain text cannot begin with an indicator of YAML, nor be a number or a boolean: it gets brackets. */
  private add(edit: Edit, value: string): void {
    const isSafe =
      this.node.style !== "plain" || (/^[\w(.]/.test(value) && typeof plainScalar(value).data === "string");
    if (isSafe) {
      this.edits.push(edit);
      return;
    }
    const { start, end } = valueSpan(this.text, this.node);
    const inner = this.text.slice(start, edit.start) + edit.to + this.text.slice(edit.end, end);
    this.edits.push({ start, end, to: `(${inner})`, change: edit.change });
  }
}

/** True if the outermost operator of an expression shows that its value is a boolean. */
function isBoolean(expr: Syntax): boolean {
  switch (expr.kind) {
    case "call":
      return isBooleanOperator(expr.fn) || comparedSides(expr).length > 0;
    case "member":
      return comparedSides(expr).length > 0 && expr.fn !== "intersect" && expr.fn !== "except";
    case "has":
      return true;
    case "macro":
      return BOOLEAN_MACROS.has(expr.macro);
    default:
      return false;
  }
}

/** The neighbours of a number, or the other truth value. */
export function otherLiterals(written: string): readonly string[] {
  if (written === "true") return ["false"];
  if (written === "false") return ["true"];
  const [, number, fraction = "", unsigned = ""] = /^(-?\d{1,15})(\.\d+)?(u?)$/.exec(written) ?? [];
  if (number === undefined) return [];
  const value = Number(number + fraction);
  return [value - 1, value + 1]
    .filter((other) => unsigned === "" || other >= 0)
    .map((other) => `${fraction !== "" && Number.isInteger(other) ? other.toFixed(1) : other}${unsigned}`);
}

/** A text literal with the quotes of another. */
function literalLike(written: string, text: string): string {
  const literal = JSON.stringify(text);
  return written.startsWith("'") ? `'${literal.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : literal;
}
