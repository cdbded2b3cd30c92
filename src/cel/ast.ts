/**
 * The tree of one CEL expression. Macros are nodes of their own, not the comprehensions that they expand to, so that
 * compiling, checking and explaining all see the expression as written.
 *
 * Parsing makes a {@link Syntax}; checking makes an {@link Expr} of it. Only an `Expr` can be compiled, and readers of
 * policies see nothing else.
 *
 * INVARIANT (meaning on the node): the nodes hold everything that checking finds out and evaluation needs, as plain
 * data. So a tree means the same after it was written to a bundle and read back, and no reader has to check it again.
 *
 * `at` is an offset into the expression's source text, in UTF-16 code units.
 */

import type { CelValue } from "./values.js";

/** Why an expression that checks cannot be evaluated, and the offset of the cause. */
export interface StaticError {
  readonly at: number;
  readonly message: string;
}

interface SyntaxNode {
  readonly at: number;
  /**
   * Set on the root of an expression that cel-go checks but cannot plan. On the server such an expression always errs,
   * even if `||` would absorb the error of the failing part.
   */
  readonly doom?: StaticError;
}

/** A constant: `1`, `1u`, `1.5`, `"a"`, `b"a"`, `true`, `null`. In a checked tree also the name of a type. */
export interface Literal extends SyntaxNode {
  readonly kind: "literal";
  readonly value: CelValue;
}

interface Name extends SyntaxNode {
  readonly kind: "ident";
  readonly name: string;
}

/** The meaning of a name: a variable that a macro binds (`local`), or a root (`roots.ts`). */
export type NameKind = "local" | "request" | "variable" | "constant" | "global";

/** A name: a root such as `P` or `V`, or a variable that a macro binds. */
export interface Ident extends Name {
  readonly of: NameKind;
}

/** `operand.field`. In a checked tree a message's field has one of its own two names, however it was written. */
export interface Select<T = Expr> extends SyntaxNode {
  readonly kind: "select";
  readonly operand: T;
  readonly field: string;
}

/** `has(operand.field)`. */
export interface Has<T = Expr> extends SyntaxNode {
  readonly kind: "has";
  readonly operand: T;
  readonly field: string;
}

/** The selection that `has()` tests. */
export function testedBy({ operand, field, at }: Has): Select {
  return { kind: "select", at, operand, field };
}

interface CallNode<T> extends SyntaxNode {
  readonly kind: "call";
  readonly fn: string;
  readonly args: readonly T[];
}

/** The overload that a call runs, of those in `functions/registry.ts`. */
interface Resolved {
  /**
   * The index, among the function's overloads, of the only one that fits the argument types; undefined if several fit.
   */
  readonly overload: number | undefined;
}

/**
 * A global function (`size`, `math.ceil`) or an operator (`operators.ts`). `a.?b` is `_?._` of `a` and the literal `"b"`;
 * `a[?k]` is `_[?_]`.
 */
export interface Call extends CallNode<Expr>, Resolved {}

export interface MethodCallNode<T> extends SyntaxNode {
  readonly kind: "member";
  readonly fn: string;
  readonly target: T;
  readonly args: readonly T[];
}

/** A receiver-style call: `target.fn(args)`. */
export interface MemberCall extends MethodCallNode<Expr>, Resolved {}

/**
 * `?value` as an element of a list literal, or the value of `?key: value` in a map literal. It is left out if it is
 * `optional.none()`. It occurs nowhere else.
 */
export interface OptionalEntry<T = Expr> extends SyntaxNode {
  readonly kind: "optional";
  readonly value: T;
}

/** `[a, b]`. */
export interface ListLiteral<T = Expr> extends SyntaxNode {
  readonly kind: "list";
  readonly elements: readonly T[];
}

/** `{key: value}`. */
export interface MapLiteral<T = Expr> extends SyntaxNode {
  readonly kind: "map";
  readonly entries: readonly { readonly key: T; readonly value: T }[];
}

/**
 * The macros that iterate over a list or a map. With one variable, that is the element (of a map: the key). With two,
 * `v1` is the index (or key) and `v2` the element (or value).
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

export interface Macro<T = Expr> extends SyntaxNode {
  readonly kind: "macro";
  readonly macro: MacroName;
  readonly range: T;
  readonly v1: string;
  readonly v2: string | undefined;
  /** The predicate of `all`, `exists`, `exists_one`, `filter`; the optional filter of the transforming macros. */
  readonly filter: T | undefined;
  /** The expression that `map`, `transformList`, `transformMap` and `transformMapEntry` evaluate for each element. */
  readonly transform: T | undefined;
}

/** `cel.bind(name, init, body)`. */
export interface Bind<T = Expr> extends SyntaxNode {
  readonly kind: "bind";
  readonly name: string;
  readonly init: T;
  readonly body: T;
}

/** A tree as the parser makes it. */
export type Syntax =
  | Literal
  | Name
  | Select<Syntax>
  | Has<Syntax>
  | CallNode<Syntax>
  | MethodCallNode<Syntax>
  | ListLiteral<Syntax>
  | MapLiteral<Syntax>
  | OptionalEntry<Syntax>
  | Macro<Syntax>
  | Bind<Syntax>;

/** A checked tree. */
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

/** The names that a macro or `cel.bind` binds. */
export function boundBy(expr: Macro | Bind): readonly string[] {
  if (expr.kind === "bind") return [expr.name];
  return expr.v2 === undefined ? [expr.v1] : [expr.v1, expr.v2];
}

/** True if `holds` is true of every direct child. `bound`: the names that are bound where the child stands. */
export function everyChild(
  expr: Expr,
  bound: readonly string[],
  holds: (child: Expr, bound: readonly string[]) => boolean,
): boolean {
  if (expr.kind !== "macro" && expr.kind !== "bind") return children(expr).every((child) => holds(child, bound));
  // The range of a macro and the value of `cel.bind` stand outside.
  const inner = [...bound, ...boundBy(expr)];
  return children(expr).every((child, i) => holds(child, i === 0 ? bound : inner));
}

/** The steps that a macro pays for one element; they grow with the number of nodes in its body. */
export function iterationCost(...bodies: readonly (Expr | undefined)[]): number {
  return 1 + bodies.reduce((sum, body) => sum + (body === undefined ? 0 : nodes(body)), 0) / 4;
}

function nodes(expr: Expr): number {
  return children(expr).reduce((sum, child) => sum + nodes(child), 1);
}

/** The operands of a chain of one operator, which the parser nests: `a`, `b` and `c` of `a + b + c`. */
export function operandsOf({ fn, args }: Call): readonly Expr[] {
  return args.flatMap((arg) => (arg.kind === "call" && arg.fn === fn ? operandsOf(arg) : [arg]));
}
