/** Functions whose names have a prefix: the parser reads `math.ceil(x)` as a call of `ceil` on a variable `math`. */

import type { MemberCall } from "./ast.js";

const NAMESPACES: ReadonlySet<string> = new Set(["math", "strings", "base64", "lists"]);

/** The full name of a prefixed function's call; undefined for a call on a value. */
export function namespacedName(expr: MemberCall, locals: { has(name: string): boolean }): string | undefined {
  const { target } = expr;
  if (target.kind !== "ident" || locals.has(target.name) || !NAMESPACES.has(target.name)) return undefined;
  return `${target.name}.${expr.fn}`;
}
