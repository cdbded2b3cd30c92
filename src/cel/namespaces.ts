/** Names with dots in them, which the parser reads as selections: `math.ceil(x)`, `google.protobuf.Timestamp`. */

import type { Syntax } from "./ast.js";
import { overloadsOf } from "./functions/registry.js";
import { dottedName, plainName } from "./names.js";
import { TYPE_NAMES } from "./roots.js";

/** The prefixes of Cerbos's functions. */
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
  "yaml",
]);

/**
 * The full name of the function that `target.fn(…)` calls, if `target` is a prefix; undefined for a call on a value. As
 * in cel-go, a function takes precedence over a variable with the name of its prefix.
 */
export function namespacedName(target: Syntax, fn: string, locals: { has(name: string): boolean }): string | undefined {
  if (target.kind !== "ident" || !NAMESPACES.has(plainName(target.name))) return undefined;
  const name = `${plainName(target.name)}.${fn}`;
  return locals.has(target.name) && overloadsOf(name, "global").length === 0 ? undefined : name;
}

/** The name of a type; undefined for any other node. A variable takes precedence over a type's name without dots. */
export function typeName(syntax: Syntax): string | undefined {
  const name = plainName(dottedName(syntax) ?? "");
  return TYPE_NAMES.has(name) ? name : undefined;
}
