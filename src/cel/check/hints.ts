/** Hints for names and overloads that do not exist. */

import type { CallStyle } from "../functions/overload.js";
import { nearestFunction, nearestName, overloadsOf } from "../functions/registry.js";
import type { CelType } from "../types.js";
import type { ExpressionIssue } from "./issue.js";

/** Macros are not functions: the syntax to show when one is called with a wrong number of arguments. */
const MACROS: ReadonlyMap<string, string> = new Map([
  ["all", "x.all(v, condition)"],
  ["exists", "x.exists(v, condition)"],
  ["exists_one", "x.exists_one(v, condition)"],
  ["existsOne", "x.existsOne(i, v, condition)"],
  ["filter", "x.filter(v, condition)"],
  ["map", "x.map(v, result)"],
  ["transformList", "x.transformList(i, v, result)"],
  ["transformMap", "x.transformMap(k, v, result)"],
  ["transformMapEntry", "x.transformMapEntry(k, v, {key: result})"],
  ["sortBy", "x.sortBy(v, key)"],
  ["optMap", "x.optMap(v, result)"],
  ["optFlatMap", "x.optFlatMap(v, optional)"],
  ["has", "has(x.field)"],
  ["cel.bind", "cel.bind(v, value, result)"],
]);

/** Names that authors or other languages use for the roots of expressions. */
const ROOT_NAMES: ReadonlyMap<string, string> = new Map([
  ...["account", "key", "principal", "subject", "user", "caller", "actor", "p"].map((name) => [name, "P"] as const),
  ...["resource", "object", "r"].map((name) => [name, "R"] as const),
  ...["vars", "variable", "v"].map((name) => [name, "V"] as const),
  ...["constant", "c"].map((name) => [name, "C"] as const),
  ...["global", "env", "g"].map((name) => [name, "G"] as const),
  ...["undefined", "nil", "none"].map((name) => [name, "null"] as const),
  ...["true", "false", "null"].map((name) => [name, name] as const),
  ["now", "now()"],
  ["req", "request"],
]);

/** A hint for a name that does not exist. */
export function rootHint(name: string): string {
  const root = ROOT_NAMES.get(name.toLowerCase());
  if (root === "P") return "did you mean `P`, the principal: the key, and in the platform layer the account?";
  if (root !== undefined) return `did you mean \`${root}\`?`;
  return `attributes are read as \`R.attr.${name}\` and \`P.attr.${name}\`, variables as \`V.${name}\`, texts stand in quotes`;
}

/** A hint for a field that a message does not have. Attributes are the fields of its `attr`. */
export function fieldHint(field: string, fields: ReadonlyMap<string, unknown>): string | undefined {
  if (/^(attrs|attributes?)$/i.test(field) && fields.has("attr")) return didYouMean("attr");
  return similarNameHint(field, fields.keys()) ?? didYouMean(fields.has("attr") ? `attr.${field}` : undefined);
}

/** Functions under their names in other languages. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["includes", "contains"],
  ["indexof", "indexOf"],
  ["len", "size"],
  ["length", "size"],
  ["count", "size"],
  ["lower", "lowerAscii"],
  ["tolower", "lowerAscii"],
  ["tolowercase", "lowerAscii"],
  ["touppercase", "upperAscii"],
  ["upper", "upperAscii"],
]);

/** The issue for a call of a function that does not exist. */
export function unknownFunction(fn: string, style: CallStyle): Omit<ExpressionIssue, "at"> {
  const message = `there is no ${style === "member" ? "member " : ""}function '${fn}'`;
  const hint = hintFor(fn, style);
  return { code: "unknown_function", message, ...(hint === undefined ? {} : { hint }) };
}

function hintFor(fn: string, style: CallStyle): string | undefined {
  const macro = MACROS.get(fn);
  if (macro !== undefined) return `it is a macro: \`${macro}\``;
  const other = style === "member" ? "global" : "member";
  if (overloadsOf(fn, other).length > 0) return `it is called as ${other === "member" ? `x.${fn}(…)` : `${fn}(…)`}`;
  return didYouMean(OTHER_NAMES.get(fn.toLowerCase()) ?? nearestFunction(fn));
}

/**
 * A hint at the known name that differs from `name` only in case or underscores, otherwise at the nearest known name.
 */
export function similarNameHint(name: string, known: Iterable<string>): string | undefined {
  const bare = name.toLowerCase().replaceAll("_", "");
  const names = [...known];
  const same = names.find((other) => other.toLowerCase().replaceAll("_", "") === bare);
  return didYouMean(same ?? nearestName(name, names));
}

function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `did you mean \`${name}\`?`;
}

/** A hint for `==` or `!=` between a list and a single value, which has no overload. */
export function overloadHint(fn: string, [left, right]: readonly CelType[]): string | undefined {
  const isEquality = fn === "_==_" || fn === "_!=_";
  if (!isEquality || left === undefined || right === undefined) return undefined;
  return (left.kind === "list") === (right.kind === "list") ? undefined : "did you mean `x in list`?";
}
