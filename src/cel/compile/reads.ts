/** Which values a set of expressions reads more than once: those get slots. */

import type { Expr } from "../ast.js";
import { factsOf, type Read } from "../facts.js";

/** The key of a path's slot: `P.attr`, `limits`, `keys`. */
export function pathKey(root: string, path: readonly string[]): string {
  return [root, ...path].join("\0");
}

/** The key of a variable's slot. `unit` keeps apart variables of one name that different policies define. */
export function variableKey(unit: string, name: string): string {
  return `V\0${unit}\0${name}`;
}

/** Counts reads over several expressions, each of which is evaluated at most once. */
export class ReadCounter {
  private readonly once = new Set<string>();
  private readonly more = new Set<string>();

  /** The keys of what is read more than once so far. */
  get shared(): ReadonlySet<string> {
    return this.more;
  }

  /** Counts what `expr` reads, and returns the names of the variables among it. */
  add(expr: Expr, unit: string): ReadonlySet<string> {
    const facts = factsOf(expr);
    for (const read of facts.reads) this.path(read);
    for (const name of facts.variables) this.count(variableKey(unit, name), facts.repeatedVariables.has(name));
    return facts.variables;
  }

  /** A path is read with each of its prefixes. */
  private path({ root, path, repeated }: Read): void {
    for (let length = 1; length <= path.length; length++) this.count(pathKey(root, path.slice(0, length)), repeated);
  }

  private count(key: string, repeated: boolean): void {
    if (repeated || this.once.has(key)) this.more.add(key);
    this.once.add(key);
  }
}
