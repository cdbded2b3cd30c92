/** List and map literals. Lists of constants are built once, at compile time. */

import type { Expr, ListLiteral, MapLiteral } from "../ast.js";
import { setEntry } from "../equality.js";
import { type Evaluation, type EvaluationResult, failAt } from "../evaluation.js";
import { type CelValue, Entries, OptionalValue, Uint } from "../values.js";
import { type Code, type CompileScope, codeOf } from "./code.js";

export function compileList(expr: ListLiteral, scope: CompileScope): Code {
  const constants = constantsOf(expr.elements);
  if (constants !== undefined) return () => constants;
  if (expr.elements.some(({ kind }) => kind === "optional")) return compileOptionalList(expr, scope);
  const codes = expr.elements.map((element) => codeOf(element, scope));
  return (ev) => {
    const list: CelValue[] = [];
    for (const code of codes) {
      const value = code(ev);
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  };
}

/** A list literal with optional elements: those without a value are left out. */
function compileOptionalList(expr: ListLiteral, scope: CompileScope): Code {
  const codes = expr.elements.map((element) => compileEntry(element, scope));
  return (ev) => {
    const list: CelValue[] = [];
    for (const code of codes) {
      const value = code(ev);
      if (value === undefined) return undefined;
      if (value !== LEFT_OUT) list.push(value);
    }
    return list;
  };
}

/** Stands for an optional entry without a value. */
const LEFT_OUT: unique symbol = Symbol("left out");

/** Code for an element, or for the value of an entry. */
function compileEntry(expr: Expr, scope: CompileScope): (ev: Evaluation) => EvaluationResult | typeof LEFT_OUT {
  if (expr.kind !== "optional") return codeOf(expr, scope);
  const code = codeOf(expr.value, scope);
  const { at } = expr;
  return (ev) => {
    const value = code(ev);
    if (value === undefined) return undefined;
    if (!(value instanceof OptionalValue)) return failAt(ev, "cannot initialize an optional entry from this value", at);
    return value.value === undefined ? LEFT_OUT : value.value;
  };
}

function constantsOf(elements: readonly Expr[]): readonly CelValue[] | undefined {
  const values: CelValue[] = [];
  for (const element of elements) {
    if (element.kind !== "literal") return undefined;
    values.push(element.value);
  }
  return values;
}

/**
 * A map literal. The last of two equal keys wins, as on the server. An optional entry without a value removes an
 * earlier entry of its key, as in cel-go.
 */
export function compileMap(expr: MapLiteral, scope: CompileScope): Code {
  const entries = expr.entries.map((entry) => ({
    key: codeOf(entry.key, scope),
    value: compileEntry(entry.value, scope),
  }));
  const { at } = expr;
  return (ev) => {
    const map = new Entries();
    for (const entry of entries) {
      const key = entry.key(ev);
      if (key === undefined) return undefined;
      const value = entry.value(ev);
      if (value === undefined) return undefined;
      if (!isKey(key)) return failAt(ev, "unsupported key type", at);
      if (value === LEFT_OUT) remove(map, key);
      else setEntry(map, key, value);
    }
    return map;
  };
}

function remove(map: Map<CelValue, CelValue>, key: CelValue): void {
  if (!(key instanceof Uint)) map.delete(key);
  else for (const other of map.keys()) if (other instanceof Uint && other.value === key.value) map.delete(other);
}

function isKey(value: CelValue): boolean {
  return (
    typeof value === "string" ||
    typeof value === "bigint" ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    value instanceof Uint
  );
}
