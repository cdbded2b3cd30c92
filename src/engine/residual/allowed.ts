/** The rows that a layer allows something on, for one principal: as an outline, in which no value is in its place. */

import { positionText } from "../../policy/issue.js";
import { expressionsOfCondition } from "../../policy/walk.js";
import type { ConditionFinding } from "../evaluate/examination.js";
import { evaluatePlan } from "../evaluate/strict-verdict.js";
import type { Conditional, Plan, PlannedRule, PlanStep } from "../plan/plan.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { allowedWhen } from "../plan/walk.js";
import { Residuals } from "./conditions.js";
import type { LayerInquiry } from "./inquiry.js";
import { all, any } from "./join.js";
import type { Truths } from "./logic.js";
import { isEvery, isNo, type Outline } from "./outline.js";
import { TruthMaker } from "./truths.js";

export interface AllowedRows {
  readonly outline: Outline;
  /** The verdict on rows for which whatever depends on the row is as good as it can be. */
  readonly best: LayerVerdict;
  /** The rules whose conditions depend on the row. */
  readonly open: readonly PlannedRule[];
  /** Whether what is evaluated for rows reads the clock. */
  readonly readsClock: boolean;
}

export function allowedRows(plan: Plan, defaultReason: string, inquiry: LayerInquiry): AllowedRows {
  const residuals = new Residuals(inquiry);
  const truths = new TruthMaker(inquiry);
  const truthsOf: TruthsOf = (what, step) => truths.of(residuals.condition(what, step));
  const outline = allowedWhen(plan, { all, any }, { truthsOf });
  const best = new BestCase(plan, truthsOf);
  const { verdict } = evaluatePlan(plan, defaultReason, (what, step) => best.finding(what, step));
  const open = plan.rules.filter((rule) => best.open.has(rule));
  return { outline, best: verdict, open, readsClock: truths.readsClock };
}

type TruthsOf = (what: Conditional, step: PlanStep) => Truths;

/** What depends on the row allows, and does not deny. */
class BestCase {
  /** The rules that depend on the row, and those that a derived role which does makes depend on it. */
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

/** Whether a condition holds of every row, or of none, or errs for each. */
function isSettled({ holds, fails }: Truths): boolean {
  return isEvery(holds) || isEvery(fails) || (isNo(holds) && isNo(fails));
}
