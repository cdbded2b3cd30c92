/** Names as they are written: with a dot before them, or in them. */

import type { Syntax } from "./ast.js";

/** A name without the dot that may stand before it. With the dot it is not that of a variable that a macro binds. */
export function plainName(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

/** The name with dots in it that `syntax` is, as it is written; undefined if it is none. */
export function dottedName(syntax: Syntax): string | undefined {
  if (syntax.kind === "ident") return syntax.name;
  if (syntax.kind !== "select") return undefined;
  const prefix = dottedName(syntax.operand);
  return prefix === undefined ? undefined : `${prefix}.${syntax.field}`;
}
