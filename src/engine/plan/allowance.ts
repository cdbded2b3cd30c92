/**
 * The walk of a plan, said of truths that are not known yet and of roles that the principal may have: for a solver.
 * `allowedWhen` of the walk says it without negations, for the filters of rows; both are held against `walk` by tests.
 */

import type { Plan, Row, Step } from "./plan.js";

/** How truths are combined that are not known yet. */
export interface Logic<T> {
  readonly yes: T;
  readonly no: T;
  and(...parts: readonly T[]): T;
  or(...parts: readonly T[]): T;
  not(part: T): T;
}

/** When a row holds, and when it errs. */
export interface Chance<T> {
  readonly holds: T;
  readonly errs: T;
}

/** Who finds out when rows hold. */
export interface Foresight<T> {
  chance(row: Row, step: Step): Chance<T>;
  /** When the principal has a role of the plan. */
  has(role: string): T;
}

/**
 * When a plan that is walked as a whole allows: what {@link walk} says, where it is not known yet which rows hold, nor
 * which roles of the plan the principal has.
 */
export function allowance<T>(plan: Plan, foresight: Foresight<T>, logic: Logic<T>): T {
  if (!plan.isKnown) return logic.no;
  const personal = rulingWhen(plan.personal, foresight, logic);
  const roles = plan.roles.map(({ role, steps }) => ({
    has: foresight.has(role),
    ...rulingWhen(steps, foresight, logic),
  }));
  const allowed = logic.or(...roles.map(({ has, allows }) => logic.and(has, allows)));
  const erred = logic.or(...roles.map(({ has, errs }) => logic.and(has, errs)));
  return logic.or(personal.allows, logic.and(personal.undecided, allowed, logic.not(erred)));
}

/** When {@link rulingOf} of steps is to allow, when it is a denial because of errors, and when there is none. */
function rulingWhen<T>(
  steps: readonly Step[],
  foresight: Foresight<T>,
  logic: Logic<T>,
): { readonly allows: T; readonly errs: T; readonly undecided: T } {
  let undecided = logic.yes;
  const allowing: T[] = [];
  const erring: T[] = [];
  for (const step of steps) {
    const rows = step.rows.map((row) => ({ effect: row.rule.effect, ...foresight.chance(row, step) }));
    const errs = logic.or(...rows.map((row) => row.errs));
    const denies = logic.or(...rows.map(({ effect, holds }) => (effect === "deny" ? holds : logic.no)));
    const allows = step.asksParents
      ? logic.no
      : logic.or(...rows.map(({ effect, holds }) => (effect === "allow" ? holds : logic.no)));
    erring.push(logic.and(undecided, errs));
    const isOpen = logic.and(undecided, logic.not(errs), logic.not(denies));
    allowing.push(logic.and(isOpen, allows));
    undecided = logic.and(isOpen, logic.not(allows));
  }
  return { allows: logic.or(...allowing), errs: logic.or(...erring), undecided };
}
