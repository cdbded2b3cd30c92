/** `matches` with a constant pattern, which is compiled once. */

import type { Expr } from "../ast.js";
import { type Evaluation, failAt } from "../evaluation.js";
import { compileRegex, matchesRegex } from "../regex.js";
import type { Code, Compile, Scope } from "./code.js";

/** Code for `matches(text, "pattern")` in either style, or undefined. */
export function compileMatches(
  fn: string,
  args: readonly Expr[],
  at: number,
  scope: Scope,
  compile: Compile,
): Code | undefined {
  const [text, pattern] = args;
  if (fn !== "matches" || text === undefined || pattern?.kind !== "literal" || args.length !== 2) return undefined;
  if (typeof pattern.value !== "string") return undefined;
  const regex = compileRegex(pattern.value);
  const code = compile(text, scope);
  return (ev: Evaluation) => {
    const value = code(ev);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return failAt(ev, "no such overload", at);
    if (regex === undefined) return failAt(ev, "invalid regular expression", at);
    const found = matchesRegex(ev, value, regex);
    if (found === undefined) ev.faultAt = at;
    return found;
  };
}
