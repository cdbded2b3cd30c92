/** Names with dots in them, which the parser reads as selections: `math.ceil(x)`, `google.protobuf.Timestamp`. */

import type { Syntax } from "./ast.js";
import { overloadsOf } from "./functions/registry.js";
import { dottedName, plainName } from "./names.js";
import { TYPE_NAMES } from "./roots.js";

/** Prefixes of functions that Cerbos has. */
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
 * The full name of the function that `target.fn(…)` calls if it is a prefixed one; undefined for a call on a value. A
 * function is found before a variable that is called as its prefix, as in cel-go.
 */
export function namespacedName(target: Syntax, fn: string, locals: { has(name: string): boolean }): string | undefined {
  if (target.kind !== "ident" || !NAMESPACES.has(plainName(target.name))) return undefined;
  const name = `${plainName(target.name)}.${fn}`;
  return locals.has(target.name) && overloadsOf(name, "global").length === 0 ? undefined : name;
}

/** The name of the type that `syntax` is, if it is one's name. Those without dots give way to variables. */
export function typeName(syntax: Syntax): string | undefined {
  const name = plainName(dottedName(syntax) ?? "");
  return TYPE_NAMES.has(name) ? name : undefined;
}
