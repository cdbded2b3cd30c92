/**
 * The tree of one CEL expression: macros are nodes of their own, and not the comprehensions that they stand for, so that
 * compiling, checking and explaining all see what the author wrote.
 *
 * Parsing makes a {@link Syntax}; checking makes an {@link Expr} of it. Only that can be compiled, and it is all that
 * any reader of policies sees.
 *
 * INVARIANT (meaning on the node): all that checking finds out and evaluation needs stands on the nodes, and nodes are
 * plain data. So a tree that was written into a bundle and read back means the same, and no reader has to check again.
 *
 * `at` is an offset into the expression's source text, in UTF-16 code units.
 */

import type { CelValue } from "./values.js";

/** Why an expression that checks cannot be evaluated, and where in it. */
export interface Doom {
  readonly at: number;
  readonly message: string;
}

interface Node {
  readonly at: number;
  /**
   * On the root of an expression that cel-go checks and then cannot plan: on the server it always fails, whatever `||`
   * would make of the part that is at fault.
   */
  readonly doom?: Doom;
}

/** A constant: `1`, `1u`, `1.5`, `"a"`, `b"a"`, `true`, `null`; checked, also the name of a type. */
export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

interface Name extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** What a name stands for: a variable that a macro binds, or what a root names (`roots.ts`). */
export type Naming = "local" | "request" | "variable" | "constant" | "global";

/** A name: a root such as `P` or `V`, or a variable bound by a macro. */
export interface Ident extends Name {
  readonly of: Naming;
}

/** `operand.field`. In a checked tree the field of a message goes by one of its own names, however it was spelled. */
export interface Select<T = Expr> extends Node {
  readonly kind: "select";
  readonly operand: T;
  readonly field: string;
}

/** `has(operand.field)`. */
export interface Has<T = Expr> extends Node {
  readonly kind: "has";
  readonly operand: T;
  readonly field: string;
}

interface Applied<T> extends Node {
  readonly kind: "call";
  readonly fn: string;
  readonly args: readonly T[];
}

/** What a call runs: overloads of the function (`functions/registry.ts`). */
interface Resolved {
  /** The only one that the arguments' types leave, by its place among the function's; undefined if there are several. */
  readonly overload: number | undefined;
}

/**
 * A global function (`size`, `math.ceil`) or an operator (`operators.ts`). `a.?b` is `_?._` of `a` and the literal `"b"`;
 * `a[?k]` is `_[?_]`.
 */
export interface Call extends Applied<Expr>, Resolved {}

export interface Method<T> extends Node {
  readonly kind: "member";
  readonly fn: string;
  readonly target: T;
  readonly args: readonly T[];
}

/** A receiver-style call: `target.fn(args)`. */
export interface MemberCall extends Method<Expr>, Resolved {}

/**
 * `?value` as an element of a list literal, or the value of `?key: value` in a map literal: left out if it is
 * `optional.none()`. It stands nowhere else.
 */
export interface OptionalEntry<T = Expr> extends Node {
  readonly kind: "optional";
  readonly value: T;
}

/** `[a, b]`. */
export interface ListLiteral<T = Expr> extends Node {
  readonly kind: "list";
  readonly elements: readonly T[];
}

/** `{key: value}`. */
export interface MapLiteral<T = Expr> extends Node {
  readonly kind: "map";
  readonly entries: readonly { readonly key: T; readonly value: T }[];
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

export interface Macro<T = Expr> extends Node {
  readonly kind: "macro";
  readonly macro: MacroName;
  readonly range: T;
  readonly v1: string;
  readonly v2: string | undefined;
  /** The predicate of `all`, `exists`, `exists_one`, `filter`; the optional filter of the transforming macros. */
  readonly filter: T | undefined;
  /** What `map`, `transformList`, `transformMap` and `transformMapEntry` make of each element. */
  readonly transform: T | undefined;
}

/** `cel.bind(name, init, body)`. */
export interface Bind<T = Expr> extends Node {
  readonly kind: "bind";
  readonly name: string;
  readonly init: T;
  readonly body: T;
}

/** What the parser makes. */
export type Syntax =
  | Literal
  | Name
  | Select<Syntax>
  | Has<Syntax>
  | Applied<Syntax>
  | Method<Syntax>
  | ListLiteral<Syntax>
  | MapLiteral<Syntax>
  | OptionalEntry<Syntax>
  | Macro<Syntax>
  | Bind<Syntax>;

/** What the checker makes: a checked tree. */
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
export function children(expr: Expr): readonly Expr[];
export function children(expr: Syntax): readonly Syntax[];
export function children(expr: Syntax): readonly Syntax[] {
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

/** What a macro pays for one element: more for a body of more nodes. */
export function passCost(...bodies: readonly (Expr | undefined)[]): number {
  return 1 + bodies.reduce((sum, body) => sum + (body === undefined ? 0 : nodes(body)), 0) / 4;
}

function nodes(expr: Expr): number {
  return children(expr).reduce((sum, child) => sum + nodes(child), 1);
}

/** The operands of a chain of one operator, which the parser nests: of `a + b + c` these three. */
export function operandsOf({ fn, args }: Call): readonly Expr[] {
  return args.flatMap((arg) => (arg.kind === "call" && arg.fn === fn ? operandsOf(arg) : [arg]));
}
