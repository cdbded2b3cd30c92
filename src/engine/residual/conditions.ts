/** The residuals of a plan's conditions. Each is one expression, which is a boolean or errs. */

import type { Expr } from "../../cel/ast.js";
import { hasBooleanForm } from "../../cel/expression-usage.js";
import type { Condition, Definitions } from "../../policy/model.js";
import type { Conditional, PlannedRole, PlanStep } from "../plan/plan.js";
import type { LayerQuestions } from "./question-log.js";
import { Reducer, residualConditional } from "./reducer.js";
import { constantOf, ERROR, FALSE, isKnown, literal, TRUE, UNKNOWN } from "./residual-expression.js";

export class Residuals {
  private readonly questions: LayerQuestions;
  private readonly conditions = new Map<Conditional, Expr>();
  /** By the policy with the derived roles that may be active, and by definitions. */
  private readonly reducers = new Map<string, Map<Definitions, Reducer>>();
  private readonly roleReducers = new Map<Definitions, Reducer>();

  constructor(questions: LayerQuestions) {
    this.questions = questions;
  }

  /** The residual of the condition of a rule or a guard, at any of its steps: the invariant "one scope a rule". */
  condition(what: Conditional, step: PlanStep): Expr {
    const known = this.conditions.get(what);
    if (known !== undefined) return known;
    this.questions.known.renew();
    const found = left(what.condition, this.reducer(what.definitions, step));
    const made = this.questions.known.isExhausted ? UNKNOWN : found;
    this.conditions.set(what, made);
    return made;
  }

  private reducer(definitions: Definitions, step: PlanStep): Reducer {
    const policy = step.derivedRoles[0]?.policy ?? "";
    const reducers = this.reducers.get(policy) ?? new Map<Definitions, Reducer>();
    this.reducers.set(policy, reducers);
    const known = reducers.get(definitions);
    if (known !== undefined) return known;
    const made = new Reducer(this.questions, definitions, () => this.activeRoles(step));
    reducers.set(definitions, made);
    return made;
  }

  /**
   * The residual of `runtime.effectiveDerivedRoles` at a step. Conditions of derived roles see an empty list of active
   * roles.
   */
  private activeRoles({ derivedRoles }: PlanStep): Expr {
    const byName = [...derivedRoles].sort((a, b) => (a.name < b.name ? -1 : 1));
    const conditions = byName.map((role) => this.activeCheck(role));
    if (conditions.includes(ERROR)) return ERROR;
    if (conditions.includes(UNKNOWN)) return UNKNOWN;
    const lists = byName.map(({ name }, i) =>
      residualConditional(
        conditions[i] ?? UNKNOWN,
        () => literal([name]),
        () => literal([]),
      ),
    );
    const [first = literal([]), ...rest] = lists;
    return rest.reduce((sum, list) => sumOf(sum, list), first);
  }

  private activeCheck({ condition, definitions }: PlannedRole): Expr {
    const known = this.roleReducers.get(definitions);
    const reducer = known ?? new Reducer(this.questions, definitions, () => literal([]));
    this.roleReducers.set(definitions, reducer);
    return left(condition, reducer);
  }
}

function sumOf(a: Expr, b: Expr): Expr {
  const [x, y] = [constantOf(a), constantOf(b)];
  if (Array.isArray(x) && Array.isArray(y)) return literal([...x, ...y]);
  return { kind: "call", fn: "_+_", at: 0, overload: undefined, args: [a, b] };
}

/** Members are evaluated in order, with short-circuiting. A member that errs ends the evaluation. */
function left(condition: Condition | undefined, reducer: Reducer): Expr {
  if (condition === undefined) return TRUE;
  if (condition.kind === "expr") return truth(reducer.reduce(condition.expr.expr));
  const [stop, otherwise] = ENDS[condition.kind];
  return sequence(condition.of, stop, literal(!otherwise), literal(otherwise), reducer);
}

/**
 * The member value that ends the evaluation, and the result if no member has that value. Otherwise the result is the
 * opposite.
 */
const ENDS = { all: [false, true], any: [true, false], none: [true, true] } as const;

function sequence(members: readonly Condition[], stop: boolean, found: Expr, otherwise: Expr, reducer: Reducer): Expr {
  const [first, ...rest] = members;
  if (first === undefined) return otherwise;
  const next = () => sequence(rest, stop, found, otherwise, reducer);
  const test = left(first, reducer);
  return stop ? residualConditional(test, () => found, next) : residualConditional(test, next, () => found);
}

/** An expression without a boolean value errs as a condition. */
function truth(expr: Expr): Expr {
  const value = constantOf(expr);
  if (expr === UNKNOWN || expr === ERROR || hasBooleanForm(expr)) return expr;
  if (isKnown(expr)) return typeof value === "boolean" ? expr : ERROR;
  return residualConditional(
    expr,
    () => TRUE,
    () => FALSE,
  );
}
