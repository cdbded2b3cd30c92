/** The macros of optional values (cel-go `cel/library.go`): `o.optMap(v, result)` and `o.optFlatMap(v, optional)`. */

import type { MethodCallNode, Syntax } from "./ast.js";

/** The variable for the optional in the expansion. No author can write this name. */
const TARGET = "@target";

/**
 * `o.optMap(v, e)` is `o.hasValue() ? optional.of(e) : optional.none()`, with `v` bound to the value, and `o` evaluated
 * once. `optFlatMap` uses `e` in place of `optional.of(e)`.
 */
export function optionalMacro(
  target: Syntax,
  fn: "optMap" | "optFlatMap",
  variable: string,
  result: Syntax,
  at: number,
): Syntax {
  const held: Syntax = { kind: "ident", at: target.at, name: TARGET };
  const member = (name: string): MethodCallNode<Syntax> => ({ kind: "member", at, fn: name, target: held, args: [] });
  const optional = (name: string, ...values: readonly Syntax[]): MethodCallNode<Syntax> => ({
    kind: "member",
    at,
    fn: name,
    target: { kind: "ident", at, name: "optional" },
    args: values,
  });
  const mapped: Syntax = { kind: "bind", at, name: variable, init: member("value"), body: result };
  const body: Syntax = {
    kind: "call",
    at,
    fn: "_?_:_",
    args: [member("hasValue"), fn === "optMap" ? optional("of", mapped) : mapped, optional("none")],
  };
  return { kind: "bind", at, name: TARGET, init: target, body };
}
