/** List and map literals; those made of constants alone are made once. */

import type { Expr, ListLiteral, MapLiteral } from "../ast.js";
import { put } from "../equality.js";
import { failAt } from "../evaluation.js";
import { type CelValue, Uint } from "../values.js";
import type { Code, Compile, Scope } from "./code.js";

export function compileList(expr: ListLiteral, scope: Scope, compile: Compile): Code {
  const constants = constantsOf(expr.elements);
  if (constants !== undefined) return () => constants;
  const codes = expr.elements.map((element) => compile(element, scope));
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

function constantsOf(elements: readonly Expr[]): readonly CelValue[] | undefined {
  const values: CelValue[] = [];
  for (const element of elements) {
    if (element.kind !== "literal") return undefined;
    values.push(element.value);
  }
  return values;
}

/** The last of two equal keys wins, as the server has it. */
export function compileMap(expr: MapLiteral, scope: Scope, compile: Compile): Code {
  const entries = expr.entries.map((entry) => ({ key: compile(entry.key, scope), value: compile(entry.value, scope) }));
  const { at } = expr;
  return (ev) => {
    const map = new Map<CelValue, CelValue>();
    for (const entry of entries) {
      const key = entry.key(ev);
      if (key === undefined) return undefined;
      const value = entry.value(ev);
      if (value === undefined) return undefined;
      if (!isKey(key)) return failAt(ev, "unsupported key type", at);
      put(map, key, value);
    }
    return map;
  };
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
