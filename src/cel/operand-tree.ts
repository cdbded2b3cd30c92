/** Trees of `&&`, `||` and `!`, and the operands on which the value of a tree depends. */

import { children, type Expr, operandsOf } from "./ast.js";
import { OPERATORS } from "./operators.js";

/** An operand equal to `decisive` decides the junction. */
export type OperandTree<T> =
  | { readonly kind: "operand"; readonly operand: T }
  | { readonly kind: "not"; readonly of: OperandTree<T> }
  | { readonly kind: "junction"; readonly decisive: boolean; readonly of: readonly OperandTree<T>[] };

/** The value of an operand; undefined if it errs or is not a boolean. */
export type OperandValue = boolean | undefined;

/** The tree of an expression. `!x` is an operand unless `x` is a junction. */
export function operandTree(expr: Expr): OperandTree<Expr> {
  const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
  if (expr.kind === "call" && operator?.kind === "junction") {
    return { kind: "junction", decisive: operator.decisive, of: operandsOf(expr).map(operandTree) };
  }
  const negated = expr.kind === "call" && operator?.kind === "not" ? expr.args[0] : undefined;
  const of = negated === undefined ? undefined : operandTree(negated);
  return of === undefined || of.kind === "operand" ? { kind: "operand", operand: expr } : { kind: "not", of };
}

/** The trees with several operands in an expression, by their outermost node. They also stand in operands of others. */
export function junctionTreesIn(expr: Expr): ReadonlyMap<Expr, OperandTree<Expr>> {
  const trees = new Map<Expr, OperandTree<Expr>>();
  collectTrees(expr, trees);
  return trees;
}

function collectTrees(expr: Expr, trees: Map<Expr, OperandTree<Expr>>): void {
  const tree = operandTree(expr);
  if (tree.kind !== "operand") trees.set(expr, tree);
  for (const operand of operandsIn(tree)) for (const child of children(operand)) collectTrees(child, trees);
}

/** The operands of a tree, from left to right. */
export function operandsIn<T>(tree: OperandTree<T>): readonly T[] {
  switch (tree.kind) {
    case "operand":
      return [tree.operand];
    case "not":
      return operandsIn(tree.of);
    case "junction":
      return tree.of.flatMap((part) => operandsIn(part));
  }
}

/** The same tree, with other operands. */
export function mapOperands<T, U>(tree: OperandTree<T>, convert: (operand: T) => U): OperandTree<U> {
  switch (tree.kind) {
    case "operand":
      return { kind: "operand", operand: convert(tree.operand) };
    case "not":
      return { kind: "not", of: mapOperands(tree.of, convert) };
    case "junction":
      return { ...tree, of: tree.of.map((part) => mapOperands(part, convert)) };
  }
}

/** The values that a part of a tree may have; none if it errs. */
export interface PossibleValues {
  readonly true: boolean;
  readonly false: boolean;
}

/**
 * For each operand, in the order of {@link operandsIn}: can it decide alone? It does if the tree would have the opposite
 * value with the opposite value of this operand, and no operand that errs has a part in that. `possible`: the values of
 * each operand, independent of each other.
 */
export function decidingOperands<T>(tree: OperandTree<T>, possible: readonly PossibleValues[]): readonly boolean[] {
  return judged(tree, possible, 0).deciding;
}

interface JudgedTree {
  readonly possible: PossibleValues;
  readonly deciding: readonly boolean[];
}

/** `from`: the index of the first operand of the tree. */
function judged<T>(tree: OperandTree<T>, possible: readonly PossibleValues[], from: number): JudgedTree {
  if (tree.kind === "operand") return { possible: possible[from] ?? NO_VALUE, deciding: [true] };
  if (tree.kind === "not") {
    const { possible: inner, deciding } = judged(tree.of, possible, from);
    return { possible: { true: inner.false, false: inner.true }, deciding };
  }
  let next = from;
  const parts = tree.of.map((part) => {
    const one = judged(part, possible, next);
    next += one.deciding.length;
    return one;
  });
  const passes = (part: JudgedTree) => may(part.possible, !tree.decisive);
  const blocking = parts.filter((part) => !passes(part));
  const all = blocking.length === 0;
  const some = parts.some((part) => may(part.possible, tree.decisive));
  return {
    possible: tree.decisive ? { true: some, false: all } : { true: all, false: some },
    deciding: parts.flatMap((part) =>
      all || (blocking.length === 1 && !passes(part)) ? part.deciding : part.deciding.map(() => false),
    ),
  };
}

const NO_VALUE: PossibleValues = { true: false, false: false };

function may(values: PossibleValues, value: boolean): boolean {
  return value ? values.true : values.false;
}

/** The only possible value. */
export function only(value: OperandValue): PossibleValues {
  return { true: value === true, false: value === false };
}
