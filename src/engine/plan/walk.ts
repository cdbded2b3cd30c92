/**
 * The walk: what follows from the rows of a plan.
 *
 * INVARIANT (one walk): nothing but this file combines effects. Whoever evaluates says which rows hold, as an
 * {@link Examiner}, and is told what that comes to; whoever shows or compares reads what is returned here.
 *
 * Within a scope DENY wins over ALLOW; the most specific scope that says something decides, unless it asks its parents.
 * The principal's own policies come first, and what they say is final. After that each role is looked at by itself: any
 * role that is allowed suffices. Of a whole walk every row of a scope is examined, and every role, and any error denies.
 * Otherwise the walk ends as the server's does: with the first DENY of a scope, the first role that is allowed, the first
 * row that errs.
 */

import { NO_MATCH, type Plan, type PlannedRule, type Row, type Step } from "./plan.js";

/** Who finds out whether rows hold. */
export interface Examiner {
  /** A scope is reached, before its rows are. */
  enter?(step: Step): void;
  /** Whether a row holds; undefined if that cannot be said. */
  examine(row: Row, step: Step): boolean | undefined;
}

/** What one list of steps comes to. */
export interface Ruling {
  readonly effect: "allow" | "deny";
  /** Where it was decided. */
  readonly step: Step;
  /** The rows that decided: of an ALLOW, those that allow; of a denial, those that deny. */
  readonly rows: readonly Row[];
  /** The rows that erred. If there are any, the ruling is a denial, and they are why. */
  readonly erred: readonly Row[];
}

const NONE: readonly never[] = Object.freeze([]);

/** The ruling of the first step that decides; undefined if none does. `whole`: nothing ends a step before its last row. */
export function rulingOf(steps: readonly Step[], examiner: Examiner, whole: boolean): Ruling | undefined {
  for (const step of steps) {
    examiner.enter?.(step);
    const found = examineStep(step, examiner, whole);
    if (found !== undefined) return found;
  }
  return undefined;
}

function examineStep(step: Step, examiner: Examiner, whole: boolean): Ruling | undefined {
  let allowing: Row[] | undefined;
  let denying: Row[] | undefined;
  let erred: Row[] | undefined;
  for (const row of step.rows) {
    const holds = examiner.examine(row, step);
    if (holds === undefined) {
      erred = added(erred, row);
      if (!whole) return { effect: "deny", step, rows: NONE, erred };
    } else if (holds && row.rule.effect === "allow") allowing = added(allowing, row);
    else if (holds) {
      denying = added(denying, row);
      if (!whole) break;
    }
  }
  if (erred !== undefined || denying !== undefined) {
    return { effect: "deny", step, rows: denying ?? NONE, erred: erred ?? NONE };
  }
  if (allowing === undefined || step.asksParents) return undefined;
  return { effect: "allow", step, rows: allowing, erred: NONE };
}

function added(rows: Row[] | undefined, row: Row): Row[] {
  if (rows === undefined) return [row];
  rows.push(row);
  return rows;
}

/** What a plan comes to. */
export interface Walked {
  readonly effect: "allow" | "deny";
  /** The ruling of the principal's own policies, or those of its roles, in their order, as far as they were looked at. */
  readonly personal: Ruling | undefined;
  readonly roles: readonly (Ruling | undefined)[];
  /** The rulings that make the effect: those that erred, or else those that allow, or else those that deny. */
  readonly decisive: readonly Ruling[];
}

/** Walks a plan: the whole of it, or as far as the server does. */
export function walk(plan: Plan, examiner: Examiner, whole: boolean): Walked {
  if (!plan.isKnown) return { effect: "deny", personal: undefined, roles: NONE, decisive: NONE };
  const personal = rulingOf(plan.personal, examiner, whole);
  if (personal !== undefined) return { effect: personal.effect, personal, roles: NONE, decisive: [personal] };
  const roles: (Ruling | undefined)[] = [];
  for (const { steps } of plan.roles) {
    const ruling = rulingOf(steps, examiner, whole);
    roles.push(ruling);
    if (!whole && ruling !== undefined && (ruling.effect === "allow" || ruling.erred.length > 0)) break;
  }
  const erred = roles.filter((ruling) => ruling !== undefined && ruling.erred.length > 0);
  const allowed = roles.filter((ruling) => ruling?.effect === "allow");
  const isAllowed = allowed.length > 0 && erred.length === 0;
  const decisive = [erred, allowed, roles].find((some) => some.length > 0) ?? NONE;
  return {
    effect: isAllowed ? "allow" : "deny",
    personal: undefined,
    roles,
    decisive: decisive.filter((ruling) => ruling !== undefined),
  };
}

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

/** The rules that made the effect: those that allow, or those that deny in whichever role they do. */
export function decidingRules({ effect, decisive, roles }: Walked): ReadonlySet<PlannedRule> {
  const rulings = effect === "allow" || roles.length === 0 ? decisive : roles;
  const rows = rulings.flatMap((ruling) => (ruling?.effect === effect ? ruling.rows : NONE));
  return new Set(rows.map(({ rule }) => rule));
}

/** The rules that erred, where that is why the effect is a denial. */
export function erringRules({ personal, roles }: Walked): ReadonlySet<PlannedRule> {
  return new Set([personal, ...roles].flatMap((ruling) => ruling?.erred ?? NONE).map(({ rule }) => rule));
}

/** Of those, the rules without whose errors the effect might be another: what errs beside a DENY that holds is not. */
export function undecidedRules({ personal, roles }: Walked): ReadonlySet<PlannedRule> {
  const rulings = [personal, ...roles].filter((ruling) => ruling !== undefined && ruling.rows.length === 0);
  return new Set(rulings.flatMap((ruling) => ruling?.erred ?? NONE).map(({ rule }) => rule));
}

/** The policy that a ruling is named after. */
export function policyOf({ personal, roles }: Walked, plan: Plan, ruling: Ruling): string {
  if (ruling.erred.length > 0) return (roleRule(ruling.erred) ?? ruling.erred[0]?.rule)?.policy ?? plan.policy;
  if (personal === ruling) return plan.personalPolicy;
  return (roles.length > 0 ? roleRule(ruling.rows)?.policy : undefined) ?? plan.policy;
}

/** The first rule of a role policy. */
function roleRule(rows: readonly Row[]): PlannedRule | undefined {
  return rows.find(({ rule }) => rule.kind === "role")?.rule;
}

/** The policy and the scope that the server names: those of the first of the rulings that decide. */
export function attributionOf(walked: Walked, plan: Plan): { readonly policy: string; readonly scope: string } {
  const [first] = walked.decisive;
  if (!plan.isKnown) return { policy: NO_MATCH, scope: "" };
  return first === undefined
    ? { policy: plan.policy, scope: "" }
    : { policy: policyOf(walked, plan, first), scope: first.step.scope };
}

/** The same, whatever the order of roles: the most specific scope, and of its policies the first by name. */
export function steadyAttributionOf(walked: Walked, plan: Plan): { readonly policy: string; readonly scope: string } {
  const ranked = walked.decisive
    .map((ruling) => ({ depth: ruling.step.depth, policy: policyOf(walked, plan, ruling), scope: ruling.step.scope }))
    .sort((a, b) => a.depth - b.depth || (a.policy < b.policy ? -1 : 1));
  const [first] = ranked;
  return first === undefined ? attributionOf(walked, plan) : { policy: first.policy, scope: first.scope };
}
