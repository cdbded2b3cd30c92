/** Names with dots in them, which the parser reads as selections: `math.ceil(x)`, `google.protobuf.Timestamp`. */

import type { Expr, MemberCall } from "./ast.js";
import { overloadsOf } from "./functions/registry.js";
import { LATER_TYPE_NAMES, TYPE_NAMES } from "./roots.js";
import { type CelVersion, DEFAULT_CEL_VERSION, has } from "./versions.js";

/** Prefixes of functions that Cerbos has, in this version or in a later one. */
const NAMESPACES: ReadonlySet<string> = new Set([
  "base64",
  "cel",
  "ip",
  "json",
  "lists",
  "math",
  "optional",
  "regex",
  "sets",
  "strings",
]);

/**
 * The full name of a prefixed function's call; undefined for a call on a value. A function is found before a variable
 * that is called as its prefix, as in cel-go 0.26.
 */
export function namespacedName(
  expr: MemberCall,
  locals: { has(name: string): boolean },
  version: CelVersion = DEFAULT_CEL_VERSION,
): string | undefined {
  const { target, fn } = expr;
  if (target.kind !== "ident" || !NAMESPACES.has(target.name)) return undefined;
  const name = `${target.name}.${fn}`;
  return locals.has(target.name) && overloadsOf(name, "global", version).length === 0 ? undefined : name;
}

/** The name of the type that `expr` is, if it is one's name. Those without dots give way to variables. */
export function typeName(expr: Expr): string | undefined {
  const name = dotted(expr);
  return name !== undefined && TYPE_NAMES.has(name) ? name : undefined;
}

/** {@link typeName}, for the types that later versions have besides. */
export function laterTypeName(expr: Expr, version: CelVersion): string | undefined {
  if (version === DEFAULT_CEL_VERSION) return undefined;
  const name = dotted(expr);
  const addition = name === undefined ? undefined : LATER_TYPE_NAMES.get(name);
  return addition !== undefined && has(version, addition) ? name : undefined;
}

function dotted(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select") return undefined;
  const prefix = dotted(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
