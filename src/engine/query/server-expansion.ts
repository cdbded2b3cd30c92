/** Expressions that the server writes out: passes over known elements, and the entries of maps. */

import type { Expr, Macro } from "../../cel/ast.js";
import { keysOf, lookup } from "../../cel/equality.js";
import { OPERATORS } from "../../cel/operators.js";
import { type CelValue, Duration, isList, isMap, Timestamp } from "../../cel/values.js";
import { constantOf, literal } from "../residual/residual-expression.js";
import { bindPass, NO_LOCALS, passesOver, type ServerLocals } from "./macro-passes.js";
import { call, nested } from "./statement.js";
import { scalarOf } from "./wording.js";

/** The server writes out `all` and `exists` over at most this many elements. */
const MAX_WRITTEN_OUT = 10;

/** The residual of an expression where some variables are known. */
type ResidualOf = (expr: Expr, locals: ServerLocals) => Expr;

/** Undefined: the expression stays as it is. */
export function expandAsServer(expr: Expr, left: ResidualOf): Expr | undefined {
  if (expr.kind === "macro") return passesOut(expr, left);
  const [a, b] = expr.kind === "call" && expr.args.length === 2 ? expr.args : [];
  if (expr.kind !== "call" || a === undefined || b === undefined) return undefined;
  const kind = OPERATORS.get(expr.fn)?.kind;
  if (kind === "equality" || kind === "ordering") return entriesOut(expr.fn, a, b);
  return kind === "membership" ? entriesOut(expr.fn, b, a) : undefined;
}

/** `{"a": 1, "b": 2}[R.attr.key] == 1`: the comparison for each key. The server reverses orderings. */
function entriesOut(fn: string, place: Expr, constant: Expr): Expr | undefined {
  const [index, field] = place.kind === "select" ? [place.operand, place.field] : [place, undefined];
  const [map, key] = index.kind === "call" && index.fn === "_[_]" ? index.args : [];
  if (map === undefined || key?.kind !== "select" || scalarOf(constant) === undefined) return undefined;
  const entries = entriesOf(map);
  if (entries.length === 0) return undefined;
  const options = entries.map(([name, value]) => {
    const part: Expr = field === undefined ? value : { kind: "select", at: 0, operand: value, field };
    return call("_&&_", [call("_==_", [key, name]), call(fn, [constant, part])]);
  });
  return nested("_||_", options);
}

/** The entries of a map literal or a known map, sorted by their keys; empty for any other expression. */
function entriesOf(expr: Expr): readonly (readonly [Expr, Expr])[] {
  const value = constantOf(expr);
  const entries: (readonly [Expr, Expr])[] =
    expr.kind === "map"
      ? expr.entries.map(({ key, value: one }) => [key, one] as const)
      : value !== undefined && isMap(value)
        ? keysOf(value).map((key) => [literal(key), literal(lookup(value, key) ?? null)] as const)
        : [];
  const textOf = ([key]: readonly [Expr, Expr]) => String(constantOf(key) ?? "");
  return entries.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function passesOut(expr: Macro, left: ResidualOf): Expr | undefined {
  const { macro, range, filter } = expr;
  if ((macro !== "exists" && macro !== "all") || filter === undefined) return undefined;
  const value = constantOf(range);
  if (value === undefined || hasTimes(value)) return undefined;
  const passes = passesOver(value);
  if (passes === undefined || passes.length > MAX_WRITTEN_OUT) return undefined;
  const parts = passes.map((pass) => left(filter, bindPass(expr, pass, NO_LOCALS)));
  return nested(macro === "exists" ? "_||_" : "_&&_", parts);
}

/** The server treats a time as a call, and does not know its value here. */
function hasTimes(value: CelValue): boolean {
  if (isList(value)) return value.some(hasTimes);
  if (isMap(value)) return keysOf(value).some((key) => hasTimes(lookup(value, key) ?? null));
  return value instanceof Timestamp || value instanceof Duration;
}
