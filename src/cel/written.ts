/** Writes a checked tree as CEL source. Parsing and checking the source gives an expression with the same meaning. */

import type { Call, Expr, Macro } from "./ast.js";
import { OPERATORS } from "./operators.js";
import { type CelValue, isList, isMap, TypeValue, Uint } from "./values.js";

/** The source of an expression. Undefined: some value in it has no literal. */
export function sourceOf(expr: Expr): string | undefined {
  const pieces: string[] = [];
  return write(expr, pieces) ? pieces.join("") : undefined;
}

/** Appends the source of a node to `out`; false if it has none. */
function write(expr: Expr, out: string[]): boolean {
  switch (expr.kind) {
    case "literal": {
      const text = literalOf(expr.value);
      if (text !== undefined) out.push(text);
      return text !== undefined;
    }
    case "ident":
      out.push(expr.name);
      return expr.name !== "";
    case "select":
      return writeOperand(expr.operand, out) && append(out, `.${expr.field}`) && isName(expr.field);
    case "has":
      out.push("has(");
      return writeOperand(expr.operand, out) && append(out, `.${expr.field})`) && isName(expr.field);
    case "optional":
      out.push("?");
      return write(expr.value, out);
    case "list":
      return enclosed(expr.elements, "[", "]", out);
    case "map":
      return writeAll(
        expr.entries.map(({ key, value }) => () => {
          // `{?key: value}` is an optional value.
          if (value.kind === "optional") out.push("?");
          const inner = value.kind === "optional" ? value.value : value;
          return write(key, out) && append(out, ": ") && write(inner, out);
        }),
        "{",
        "}",
        out,
      );
    case "call":
      return writeCall(expr, out);
    case "member":
      return writeOperand(expr.target, out) && append(out, `.${expr.fn}`) && enclosed(expr.args, "(", ")", out);
    case "macro":
      return writeMacro(expr, out);
    case "bind":
      out.push(`cel.bind(${expr.name}, `);
      return write(expr.init, out) && append(out, ", ") && write(expr.body, out) && append(out, ")");
  }
}

function writeCall({ fn, args }: Call, out: string[]): boolean {
  const [a, b, c] = args;
  const operator = OPERATORS.get(fn);
  if (operator === undefined) return append(out, fn) && enclosed(args, "(", ")", out);
  if (a === undefined) return false;
  switch (operator.kind) {
    case "not":
    case "negative":
      return append(out, operator.kind === "not" ? "!" : "-") && writeOperand(a, out);
    case "index":
    case "optionalIndex":
      if (b === undefined || !writeOperand(a, out)) return false;
      return append(out, operator.kind === "index" ? "[" : "[?") && write(b, out) && append(out, "]");
    case "optionalField":
      if (b?.kind !== "literal" || typeof b.value !== "string" || !isName(b.value)) return false;
      return writeOperand(a, out) && append(out, `.?${b.value}`);
    case "conditional":
      if (b === undefined || c === undefined) return false;
      return (
        writeOperand(a, out) && append(out, " ? ") && writeOperand(b, out) && append(out, " : ") && writeOperand(c, out)
      );
    default:
      if (b === undefined) return false;
      return writeOperand(a, out) && append(out, ` ${symbolOf(fn)} `) && writeOperand(b, out);
  }
}

/** The symbol of a binary operator: `_&&_` is `&&`, `@in` is `in`. */
function symbolOf(fn: string): string {
  return fn === "@in" ? "in" : fn.slice(1, -1);
}

function writeMacro({ macro, range, v1, v2, filter, transform }: Macro, out: string[]): boolean {
  const names = [v1, ...(v2 === undefined ? [] : [v2])].join(", ");
  if (!writeOperand(range, out) || !append(out, `.${macro}(${names}`)) return false;
  for (const part of [filter, transform]) {
    if (part !== undefined && !(append(out, ", ") && write(part, out))) return false;
  }
  return append(out, ")");
}

/** Writes a node inside another one: in brackets, if it has an operator. */
function writeOperand(expr: Expr, out: string[]): boolean {
  const isBracketed =
    (expr.kind === "call" && OPERATORS.has(expr.fn) && !INNERMOST.has(expr.fn)) ||
    (expr.kind === "literal" && /^-/.test(literalOf(expr.value) ?? ""));
  if (!isBracketed) return write(expr, out);
  return append(out, "(") && write(expr, out) && append(out, ")");
}

/** Operators that bind as closely as a name. */
const INNERMOST: ReadonlySet<string> = new Set(["_[_]", "_[?_]", "_?._"]);

function enclosed(parts: readonly Expr[], open: string, close: string, out: string[]): boolean {
  return writeAll(
    parts.map((part) => () => write(part, out)),
    open,
    close,
    out,
  );
}

function writeAll(parts: readonly (() => boolean)[], open: string, close: string, out: string[]): boolean {
  out.push(open);
  for (const [i, part] of parts.entries()) {
    if (i > 0) out.push(", ");
    if (!part()) return false;
  }
  return append(out, close);
}

function append(out: string[], text: string): true {
  out.push(text);
  return true;
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

/** The literal of a value; undefined: it has none. */
function literalOf(value: CelValue): string | undefined {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "string":
      return /\p{Surrogate}/u.test(value) ? undefined : JSON.stringify(value);
    case "number":
      return doubleOf(value);
  }
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof TypeValue) return value.name;
  if (isList(value)) return joined(value.map(literalOf), "[", "]");
  if (!isMap(value) || value instanceof Map) return undefined;
  const members = Object.entries(value).map(([name, inner]) => {
    const [key, text] = [literalOf(name), inner === undefined ? undefined : literalOf(inner)];
    return key === undefined || text === undefined ? undefined : `${key}: ${text}`;
  });
  return joined(members, "{", "}");
}

function joined(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(", ")}${close}`;
}

/** A double literal has a point or an exponent. */
function doubleOf(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
