/** What to say about names that there are not. */

import type { Style } from "../functions/overload.js";
import { nearestFunction, overloadsOf } from "../functions/registry.js";
import type { ExpressionIssue } from "./issue.js";

/** Macros, which are no functions: what stands where one is called with another number of arguments. */
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

/** The issue of a call of a function that does not exist. */
export function unknownFunction(fn: string, style: Style): Omit<ExpressionIssue, "at"> {
  const message = `there is no ${style === "member" ? "member " : ""}function '${fn}'`;
  const hint = hintFor(fn, style);
  return { code: "unknown_function", message, ...(hint === undefined ? {} : { hint }) };
}

function hintFor(fn: string, style: Style): string | undefined {
  const macro = MACROS.get(fn);
  if (macro !== undefined) return `it is a macro: \`${macro}\``;
  const other = style === "member" ? "global" : "member";
  if (overloadsOf(fn, other).length > 0) return `it is called as ${other === "member" ? `x.${fn}(…)` : `${fn}(…)`}`;
  return didYouMean(nearestFunction(fn));
}

/** A hint at the known name that differs from `name` in case alone. */
export function similar(name: string, known: Iterable<string>): string | undefined {
  const bare = name.toLowerCase().replaceAll("_", "");
  return didYouMean([...known].find((other) => other.toLowerCase().replaceAll("_", "") === bare));
}

function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `did you mean \`${name}\`?`;
}
