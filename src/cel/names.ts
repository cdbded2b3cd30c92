/** Names as they are written: with a leading dot, or with dots in them. */

import type { Syntax } from "./ast.js";

/** A name without its leading dot. With the dot, a name never refers to a variable that a macro binds. */
export function plainName(name: string): string {
  return name.startsWith(".") ? name.slice(1) : name;
}

/** A node as a name with dots in it (`a.b.c`), as written; undefined for any other node. */
export function dottedName(syntax: Syntax): string | undefined {
  if (syntax.kind === "ident") return syntax.name;
  if (syntax.kind !== "select") return undefined;
  const prefix = dottedName(syntax.operand);
  return prefix === undefined ? undefined : `${prefix}.${syntax.field}`;
}
