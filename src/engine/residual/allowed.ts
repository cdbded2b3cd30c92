/** The rows on which a layer allows something, for one principal, as an outline: a filter without its values. */

import { positionText } from "../../policy/issue.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import type { ConditionFinding } from "../evaluate/examination.js";
import { evaluatePlan } from "../evaluate/strict-verdict.js";
import type { Conditional, Plan, PlannedRule, PlanStep } from "../plan/plan.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { allowedWhen } from "../plan/walk.js";
import { Residuals } from "./conditions.js";
import { all, any } from "./join.js";
import { isEvery, isNo, type Outline } from "./outline.js";
import type { LayerQuestions } from "./question-log.js";
import type { RowTruths } from "./row-truths.js";
import { TruthMaker } from "./truths.js";

export interface AllowedRows {
  readonly outline: Outline;
  /** The verdict on rows for which every condition that depends on the row has its best outcome. */
  readonly best: LayerVerdict;
  /** The rules with conditions that depend on the row. */
  readonly open: readonly PlannedRule[];
  /** Whether expressions that are evaluated for rows read the clock. */
  readonly readsClock: boolean;
}

export function allowedRows(plan: Plan, defaultReason: string, questions: LayerQuestions): AllowedRows {
  const residuals = new Residuals(questions);
  const truths = new TruthMaker(questions);
  const truthsOf: TruthsOf = (what, step) => truths.of(residuals.condition(what, step));
  const outline = allowedWhen(plan, { all, any }, { truthsOf });
  const best = new BestCase(plan, truthsOf);
  const { verdict } = evaluatePlan(plan, defaultReason, (what, step) => best.finding(what, step));
  const open = plan.rules.filter((rule) => best.open.has(rule));
  return { outline, best: verdict, open, readsClock: truths.readsClock };
}

type TruthsOf = (what: Conditional, step: PlanStep) => RowTruths;

/** The best case: conditions that depend on the row allow, and do not deny. */
class BestCase {
  /** The rules that depend on the row, by themselves or by their derived role. */
  readonly open = new Set<PlannedRule>();
  private readonly truthsOf: TruthsOf;
  private readonly denying: ReadonlySet<Conditional>;

  constructor(plan: Plan, truthsOf: TruthsOf) {
    this.truthsOf = truthsOf;
    const rows = [...plan.personal, ...plan.roles.flatMap(({ steps }) => steps)].flatMap((step) =>
      step.rows.map((row) => ({ ...row, step })),
    );
    for (const { rule, guard, step } of rows) {
      const isOpen = (what: Conditional) => !isSettled(truthsOf(what, step));
      if (isOpen(rule) || (guard !== undefined && isOpen(guard))) this.open.add(rule);
    }
    this.denying = new Set(rows.flatMap(({ rule }) => (rule.effect === "deny" ? rule : [])));
  }

  finding(what: Conditional, step: PlanStep): ConditionFinding {
    const truths = this.truthsOf(what, step);
    if (isEvery(truths.holds)) return true;
    if (isEvery(truths.fails)) return false;
    const [expression] = expressionsOfCondition(what.condition);
    if (!isSettled(truths) || expression === undefined) return !this.denying.has(what);
    return { expression, message: "it errs, whatever the row", position: positionText(expression.position(0)) };
  }
}

/** Whether a condition has the same result for every row: it holds, does not hold, or errs. */
function isSettled({ holds, fails }: RowTruths): boolean {
  return isEvery(holds) || isEvery(fails) || (isNo(holds) && isNo(fails));
}
