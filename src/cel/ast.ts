/**
 * The expression tree of one CEL expression, as this project uses it: macros are kept as nodes of their own
 * (the parser's expanded comprehensions are folded back), so that compiling, checking and explaining all see
 * what the author wrote.
 *
 * `at` is an offset into the expression's source text, in UTF-16 code units.
 */

import type { CelValue } from "./values.js";

interface Node {
  readonly at: number;
}

/** A constant: `1`, `1u`, `1.5`, `"a"`, `b"a"`, `true`, `null`. */
export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

/** A name: a root such as `P` or `R`, or a variable bound by a macro. */
export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** `operand.field`. */
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
}

/** `has(operand.field)`. */
export interface Has extends Node {
  readonly kind: "has";
  readonly operand: Expr;
  readonly field: string;
}

/**
 * A global function or an operator (`_+_`, `_[_]`, `@in`, `_?_:_`, …, named as in `cel.expr`). `a.?b` is `_?._` of `a`
 * and the literal `"b"`; `a[?k]` is `_[?_]`.
 */
export interface Call extends Node {
  readonly kind: "call";
  readonly fn: string;
  readonly args: readonly Expr[];
}

/** A receiver-style call: `target.fn(args)`. */
export interface MemberCall extends Node {
  readonly kind: "member";
  readonly fn: string;
  readonly target: Expr;
  readonly args: readonly Expr[];
}

/**
 * `?value` as an element of a list literal, or the value of `?key: value` in a map literal: left out if it is
 * `optional.none()`. It stands nowhere else.
 */
export interface OptionalEntry extends Node {
  readonly kind: "optional";
  readonly value: Expr;
}

/** `[a, b]`. */
export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
}

/** `{key: value}`. */
export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly { readonly key: Expr; readonly value: Expr }[];
}

/**
 * The macros that walk a list or a map. With one variable it is the element (of a map: the key); with two, `v1`
 * is the index (or key) and `v2` the element (or value).
 */
export type MacroName =
  | "all"
  | "exists"
  | "exists_one"
  | "map"
  | "filter"
  | "transformList"
  | "transformMap"
  | "transformMapEntry";

export interface Macro extends Node {
  readonly kind: "macro";
  readonly macro: MacroName;
  readonly range: Expr;
  readonly v1: string;
  readonly v2: string | undefined;
  /** The predicate of `all`, `exists`, `exists_one`, `filter`; the optional filter of the transforming macros. */
  readonly filter: Expr | undefined;
  /** What `map`, `transformList`, `transformMap` and `transformMapEntry` make of each element. */
  readonly transform: Expr | undefined;
}

/** `cel.bind(name, init, body)`. */
export interface Bind extends Node {
  readonly kind: "bind";
  readonly name: string;
  readonly init: Expr;
  readonly body: Expr;
}

export type Expr =
  | Literal
  | Ident
  | Select
  | Has
  | Call
  | MemberCall
  | ListLiteral
  | MapLiteral
  | OptionalEntry
  | Macro
  | Bind;

/** The direct children of a node, in source order. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
    case "has":
      return [expr.operand];
    case "call":
      return expr.args;
    case "member":
      return [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case "optional":
      return [expr.value];
    case "macro":
      return [expr.range, expr.filter, expr.transform].filter((e) => e !== undefined);
    case "bind":
      return [expr.init, expr.body];
  }
}
