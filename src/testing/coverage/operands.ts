/**
 * The operands of conditions and of other boolean expressions as points to cover. An operand decides alone in an
 * evaluation if the opposite value would turn the outcome, with the same values of all other operands: masking MC/DC
 * (NASA/TM-2001-210876).
 */

import type { Expr } from "../../cel/ast.js";
import {
  decidingOperands,
  junctionTreesIn,
  mapOperands,
  type OperandTree,
  type OperandValue,
  only,
  operandsIn,
} from "../../cel/operand-tree.js";
import { Spans } from "../../cel/spans.js";
import { type ConditionOperand, conditionTree } from "../../policy/condition-operands.js";
import { positionText, type SourcePosition } from "../../policy/issue.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import type { DecisiveValues, OperandSearch } from "./reachable.js";

/**
 * An operand of `&&`, `||`, `all`, `any` or `none`. Its values count whenever its tree is evaluated, even if the
 * evaluation passes over the operand.
 */
export interface OperandPoint extends SourcePosition {
  readonly kind: "operand";
  /** As in other points. */
  readonly policy: string;
  /** The rule or derived role of a condition or an output; the name of a variable. */
  readonly name: string;
  readonly expression: string;
  trues: number;
  falses: number;
  /** Errors and non-boolean values. */
  errors: number;
  /** How often it was true and decided alone: false in its place would have turned the outcome. */
  decidedTrue: number;
  /** How often it was false and decided alone. */
  decidedFalse: number;
  /** The values with which it cannot decide alone, as far as is known. Goals leave them out. */
  unreachable: readonly boolean[];
}

/** The place of a tree: its policy, its rule, derived role or variable, and the names that its operands can read. */
export interface OperandContext {
  readonly policy: string;
  readonly name: string;
  readonly definitions: Definitions;
  /** References to the schemas of the attributes; undefined if there are none. */
  readonly principalSchema: string | undefined;
  readonly resourceSchema: string | undefined;
}

interface CountedTree {
  readonly tree: OperandTree<ConditionOperand>;
  /** In the order of the operands. */
  readonly points: readonly OperandPoint[];
  readonly context: OperandContext;
  /** True if the tree stands in a macro: its operands read names that the macro binds. */
  readonly isNested: boolean;
}

/** Parts of the model with one source position share a point. */
export class OperandIndex {
  private readonly byPlace = new Map<string, OperandPoint>();
  private readonly byCondition = new Map<Condition, CountedTree>();
  private readonly byExpression = new Map<Expression, Map<Expr, CountedTree>>();

  addCondition(condition: Condition, context: OperandContext): void {
    const tree = conditionTree(condition);
    const operands = operandsIn(tree);
    if (operands.length > 1) this.byCondition.set(condition, this.counted(tree, context, false));
    for (const expression of new Set(operands.map((operand) => operand.expression))) {
      this.addJunctions(expression, context, expression.expr);
    }
  }

  /** An expression that is not part of a condition. */
  addExpression(expression: Expression, context: OperandContext): void {
    this.addJunctions(expression, context, undefined);
  }

  /** `counted`: the outermost node of a tree that is counted as part of a condition. */
  private addJunctions(expression: Expression, context: OperandContext, counted: Expr | undefined): void {
    const { expr } = expression;
    const trees = expr.doom === undefined ? [...junctionTreesIn(expr)].filter(([root]) => root !== counted) : [];
    if (trees.length === 0) return;
    const known = new Map<Expr, CountedTree>();
    for (const [root, tree] of trees) {
      const placed = mapOperands(tree, (operand) => ({ expression, expr: operand }));
      known.set(root, this.counted(placed, context, root !== expr));
    }
    this.byExpression.set(expression, known);
  }

  private counted(tree: OperandTree<ConditionOperand>, context: OperandContext, isNested: boolean): CountedTree {
    return { tree, points: operandsIn(tree).map((operand) => this.point(operand, context)), context, isNested };
  }

  private point({ expression, expr }: ConditionOperand, { policy, name }: OperandContext): OperandPoint {
    const { start, end } = new Spans(expression.source).of(expr);
    const at = expression.position(start);
    const key = `${positionText(at)} ${end - start}`;
    const known = this.byPlace.get(key);
    if (known !== undefined) return known;
    const point: OperandPoint = {
      kind: "operand",
      policy,
      name,
      ...at,
      expression: expression.source.slice(start, end),
      trues: 0,
      falses: 0,
      errors: 0,
      decidedTrue: 0,
      decidedFalse: 0,
      unreachable: [],
    };
    this.byPlace.set(key, point);
    return point;
  }

  get points(): readonly OperandPoint[] {
    return [...this.byPlace.values()];
  }

  condition(condition: Condition, values: readonly OperandValue[]): void {
    const counted = this.byCondition.get(condition);
    if (counted !== undefined) count(counted, values);
  }

  junction(expression: Expression, root: Expr, values: readonly OperandValue[]): void {
    const counted = this.byExpression.get(expression)?.get(root);
    if (counted !== undefined) count(counted, values);
  }

  /**
   * Fills in `unreachable` for goals that are not met, by the invariant "no false exemption". A point of several trees must
   * be unreachable in each.
   */
  findUnreachable(search: OperandSearch): void {
    const reached = new Map<OperandPoint, Set<boolean>>();
    for (const { tree, points, context, isNested } of this.trees()) {
      if (points.every(isMet)) continue;
      const decisive = isNested ? undefined : search.decisiveValues(tree, context);
      for (const [i, point] of points.entries()) {
        const values = reached.get(point) ?? new Set();
        for (const value of reachedValues(decisive?.[i])) values.add(value);
        reached.set(point, values);
      }
    }
    for (const [point, values] of reached) {
      const isMissing = (value: boolean) => (value ? point.decidedTrue : point.decidedFalse) === 0;
      point.unreachable = [true, false].filter((value) => isMissing(value) && !values.has(value));
    }
  }

  private trees(): readonly CountedTree[] {
    const inner = [...this.byExpression.values()].flatMap((trees) => [...trees.values()]);
    return [...this.byCondition.values(), ...inner];
  }
}

function isMet({ decidedTrue, decidedFalse }: OperandPoint): boolean {
  return decidedTrue > 0 && decidedFalse > 0;
}

function reachedValues(values: DecisiveValues | undefined): readonly boolean[] {
  return values === undefined ? [true, false] : [true, false].filter((value) => (value ? values.true : values.false));
}

function count({ tree, points }: CountedTree, values: readonly OperandValue[]): void {
  const deciding = decidingOperands(tree, values.map(only));
  for (const [i, point] of points.entries()) {
    const value = values[i];
    if (value === undefined) point.errors++;
    else if (value) {
      point.trues++;
      if (deciding[i] === true) point.decidedTrue++;
    } else {
      point.falses++;
      if (deciding[i] === true) point.decidedFalse++;
    }
  }
}
