/**
 * The walk: combines the rows of a plan.
 *
 * INVARIANT (one walk): only this file combines effects. Evaluators tell it which rows hold, as an {@link Examiner},
 * and get the result. Traces and comparisons read the values that are returned here. The server combines the effects of
 * its query plans by rules of its own: these are in `query-walk.ts`, and nowhere else.
 *
 * Within a scope DENY wins over ALLOW. The most specific scope that decides is final, unless it asks its parents. The
 * principal's own policies come first, and their ruling is final. After them each role is examined by itself: one role
 * that is allowed suffices. A whole walk examines every row of a scope and every role, and any error denies. Otherwise
 * the walk ends as the server's does: with the first DENY of a scope, the first role that is allowed, the first row
 * that errs.
 */

import { type Conditional, NO_MATCH, type Plan, type PlannedRule, type PlanRow, type PlanStep } from "./plan.js";
import { PlanContents } from "./plan-contents.js";

/** Finds out whether rows hold. */
export interface Examiner {
  /** Called when a scope is reached, before its rows are. */
  enter?(step: PlanStep): void;
  /** Whether a row holds; undefined if it errs. */
  examine(row: PlanRow, step: PlanStep): boolean | undefined;
}

/** The result of one list of steps. */
export interface Ruling {
  readonly effect: "allow" | "deny";
  /** The step that decided. */
  readonly step: PlanStep;
  /** The rows that decided: those that allow, or those that deny. */
  readonly rows: readonly PlanRow[];
  /** The rows that erred. If there are any, the ruling is a denial, and they are the reason. */
  readonly erred: readonly PlanRow[];
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * The ruling of the first step that decides; undefined if none does. `whole`: each step is examined to its last row.
 */
export function rulingOf(steps: readonly PlanStep[], examiner: Examiner, whole: boolean): Ruling | undefined {
  for (const step of steps) {
    examiner.enter?.(step);
    const found = examineStep(step, examiner, whole);
    if (found !== undefined) return found;
  }
  return undefined;
}

function examineStep(step: PlanStep, examiner: Examiner, whole: boolean): Ruling | undefined {
  let allowing: PlanRow[] | undefined;
  let denying: PlanRow[] | undefined;
  let erred: PlanRow[] | undefined;
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

function added(rows: PlanRow[] | undefined, row: PlanRow): PlanRow[] {
  if (rows === undefined) return [row];
  rows.push(row);
  return rows;
}

/** The result of a plan. */
export interface WalkResult {
  readonly effect: "allow" | "deny";
  /**
   * The ruling of the principal's own policies, or those of its roles, in their order, as far as they were examined.
   */
  readonly personal: Ruling | undefined;
  readonly roles: readonly (Ruling | undefined)[];
  /**
   * The rulings that make the effect: those that erred; without errors, those that allow; without these, those that
   * deny.
   */
  readonly decisive: readonly Ruling[];
}

/** Walks a plan: the whole of it, or as far as the server does. */
export function walk(plan: Plan, examiner: Examiner, whole: boolean): WalkResult {
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

/** Statements of any kind, and how to join them. Of an empty list, `all` is true and `any` is false. */
export interface StatementLogic<S> {
  all(parts: readonly S[]): S;
  any(parts: readonly S[]): S;
}

/** When a condition holds, when it fails, and when it does either. Otherwise it errs. */
export interface TruthsWhen<S> {
  readonly holds: S;
  readonly fails: S;
  readonly isDefined: S;
}

/** The statements about the conditions and the roles of a plan. */
export interface PlanStatements<S> {
  truthsOf(what: Conditional, step: PlanStep): TruthsWhen<S>;
  /** When the principal has a role of the plan, and when it does not; absent if it has them all. */
  has?(role: string): Pick<TruthsWhen<S>, "holds" | "fails">;
}

/** When a walk of the whole plan allows: {@link walk} for all requests at once. */
export function allowedWhen<S>(plan: Plan, logic: StatementLogic<S>, foresight: PlanStatements<S>): S {
  const { all, any } = logic;
  if (!plan.isKnown) return any([]);
  const found = (steps: readonly PlanStep[]) => rulingWhen(steps, logic, foresight);
  const counted = foresight.has === undefined ? new PlanContents().distinct(plan.roles) : plan.roles;
  const roles = counted.map(({ role, steps }) => ({ ...found(steps), has: foresight.has?.(role) }));
  const byRoles = () => {
    const isSound = roles.length > 1 ? roles.map(({ has, soundly }) => any([...only(has?.fails), soundly()])) : [];
    return any(
      roles.map(({ has, allows }, at) =>
        all([...only(has?.holds), allows(), ...isSound.filter((_, other) => other !== at)]),
      ),
    );
  };
  if (plan.personal.length === 0) return byRoles();
  const personal = found(plan.personal);
  return any([personal.allows(), all([personal.undecided(), byRoles()])]);
}

/** A logic with negation. */
export interface NegatedLogic<S> extends StatementLogic<S> {
  not(part: S): S;
}

/** When a walk of the whole plan denies because of an error alone: {@link undecidedRules} for all requests at once. */
export function erredWhen<S>(plan: Plan, logic: NegatedLogic<S>, foresight: PlanStatements<S>): S {
  const { all, any } = logic;
  if (!plan.isKnown) return any([]);
  const byRoles = any(
    plan.roles.map(({ role, steps }) =>
      all([...only(foresight.has?.(role)?.holds), rulingErredWhen(steps, logic, foresight)]),
    ),
  );
  if (plan.personal.length === 0) return byRoles;
  const isUndecided = rulingWhen(plan.personal, logic, foresight).undecided();
  return any([rulingErredWhen(plan.personal, logic, foresight), all([isUndecided, byRoles])]);
}

/** Selects rows: among those that hold, and among those that err. */
export interface RowChoice {
  held(row: PlanRow): boolean;
  erred(row: PlanRow): boolean;
}

/**
 * Where a walk of the whole plan denies: when a chosen row is among those that decide or err. {@link decidingRules} and
 * {@link erringRules} for all requests at once.
 */
export function deniedByWhen<S>(
  plan: Plan,
  logic: NegatedLogic<S>,
  foresight: PlanStatements<S>,
  choice: RowChoice,
): S {
  const { all, any } = logic;
  if (!plan.isKnown) return any([]);
  const found = (steps: readonly PlanStep[]) => rulingByWhen(steps, logic, foresight, choice);
  const byRoles = any(plan.roles.map(({ role, steps }) => all([...only(foresight.has?.(role)?.holds), found(steps)])));
  if (plan.personal.length === 0) return byRoles;
  const isUndecided = rulingWhen(plan.personal, logic, foresight).undecided();
  return any([found(plan.personal), all([isUndecided, byRoles])]);
}

function rulingByWhen<S>(
  [step, ...above]: readonly PlanStep[],
  logic: NegatedLogic<S>,
  foresight: PlanStatements<S>,
  choice: RowChoice,
): S {
  const { all, any, not } = logic;
  if (step === undefined) return any([]);
  const here = step.rows.flatMap((row) => {
    const when = rowWhen(row, step, logic, foresight);
    const isHeld = row.rule.effect !== "allow" && choice.held(row);
    return [...(isHeld ? [when.holds] : []), ...(choice.erred(row) ? [not(when.isDefined)] : [])];
  });
  const passes = rulingWhen([step], logic, foresight).undecided();
  return any([...here, all([passes, rulingByWhen(above, logic, foresight, choice)])]);
}

function rulingErredWhen<S>(
  [step, ...above]: readonly PlanStep[],
  logic: NegatedLogic<S>,
  foresight: PlanStatements<S>,
): S {
  const { all, any, not } = logic;
  if (step === undefined) return any([]);
  const rows = step.rows.map((row) => ({ row, when: rowWhen(row, step, logic, foresight) }));
  const denying = rows.filter(({ row }) => row.rule.effect !== "allow");
  const here = all([...denying.map(({ when }) => not(when.holds)), any(rows.map(({ when }) => not(when.isDefined)))]);
  // The walk goes on where this step by itself decides nothing.
  const passes = rulingWhen([step], logic, foresight).undecided();
  return any([here, all([passes, rulingErredWhen(above, logic, foresight)])]);
}

function only<S>(part: S | undefined): readonly S[] {
  return part === undefined ? NONE : [part];
}

/** Each statement is made when it is called for: most are never needed. */
interface RulingWhen<S> {
  allows(): S;
  /** No step decides. */
  undecided(): S;
  /** No row that is reached errs. */
  soundly(): S;
}

function rulingWhen<S>(
  steps: readonly PlanStep[],
  logic: StatementLogic<S>,
  foresight: PlanStatements<S>,
): RulingWhen<S> {
  const { all, any } = logic;
  const [step, ...above] = steps;
  if (step === undefined) return { allows: () => any([]), undecided: () => all([]), soundly: () => all([]) };
  const next = rulingWhen(above, logic, foresight);
  const allowing: TruthsWhen<S>[] = [];
  const denying: TruthsWhen<S>[] = [];
  for (const row of step.rows) {
    (row.rule.effect === "allow" ? allowing : denying).push(rowWhen(row, step, logic, foresight));
  }
  const noneDenies = () => denying.map(({ fails }) => fails);
  const noneErrsBut = (one?: TruthsWhen<S>) =>
    all(allowing.flatMap((other) => (other === one ? [] : [other.isDefined])));
  const passes = () =>
    all([...noneDenies(), step.asksParents ? noneErrsBut() : all(allowing.map(({ fails }) => fails))]);
  const here = () =>
    step.asksParents ? any([]) : all([...noneDenies(), any(allowing.map((row) => all([row.holds, noneErrsBut(row)])))]);
  return {
    allows: () => (above.length === 0 ? here() : any([here(), all([passes(), next.allows()])])),
    undecided: () => all([passes(), next.undecided()]),
    soundly: () => {
      const denied = all([
        any(denying.map(({ holds }) => holds)),
        all(denying.map(({ isDefined: isSaid }) => isSaid)),
        noneErrsBut(),
      ]);
      return any([denied, here(), all([passes(), next.soundly()])]);
    },
  };
}

/**
 * When a row holds, and when it fails. A derived role is evaluated before its rule. Where it is not active, the rule is
 * not evaluated.
 */
export function rowWhen<S>(
  { rule, guard }: PlanRow,
  step: PlanStep,
  { all, any }: StatementLogic<S>,
  foresight: PlanStatements<S>,
): TruthsWhen<S> {
  const own = foresight.truthsOf(rule, step);
  if (guard === undefined) return own;
  const active = foresight.truthsOf(guard, step);
  return {
    get holds() {
      return all([active.holds, own.holds]);
    },
    get fails() {
      return any([active.fails, all([active.holds, own.fails])]);
    },
    get isDefined() {
      return any([active.fails, all([active.holds, own.isDefined])]);
    },
  };
}

/** The rules that made the effect: those that allow, or those that deny for any role. */
export function decidingRules({ effect, decisive, roles }: WalkResult): ReadonlySet<PlannedRule> {
  const rulings = effect === "allow" || roles.length === 0 ? decisive : roles;
  const rows = rulings.flatMap((ruling) => (ruling?.effect === effect ? ruling.rows : NONE));
  return new Set(rows.map(({ rule }) => rule));
}

/** The rules that erred, if their errors are why the effect is a denial. */
export function erringRules({ personal, roles }: WalkResult): ReadonlySet<PlannedRule> {
  return new Set([personal, ...roles].flatMap((ruling) => ruling?.erred ?? NONE).map(({ rule }) => rule));
}

/** Those of {@link erringRules} that may have changed the effect. An error beside a DENY that holds has not. */
export function undecidedRules({ personal, roles }: WalkResult): ReadonlySet<PlannedRule> {
  const rulings = [personal, ...roles].filter((ruling) => ruling !== undefined && ruling.rows.length === 0);
  return new Set(rulings.flatMap((ruling) => ruling?.erred ?? NONE).map(({ rule }) => rule));
}

/** The policy that a ruling is named after. */
export function policyOf({ personal }: WalkResult, plan: Plan, ruling: Ruling): string {
  if (ruling.erred.length > 0) return (roleRule(ruling.erred) ?? ruling.erred[0]?.rule)?.policy ?? plan.policy;
  if (personal === ruling) return plan.personalPolicy;
  return roleRule(ruling.rows)?.policy ?? plan.policy;
}

function roleRule(rows: readonly PlanRow[]): PlannedRule | undefined {
  return rows.find(({ rule }) => rule.kind === "role")?.rule;
}

/** The policy and the scope that the server names: those of the first decisive ruling. */
export function attributionOf(walked: WalkResult, plan: Plan): { readonly policy: string; readonly scope: string } {
  const [first] = walked.decisive;
  if (!plan.isKnown) return { policy: NO_MATCH, scope: "" };
  return first === undefined
    ? { policy: plan.policy, scope: "" }
    : { policy: policyOf(walked, plan, first), scope: first.step.scope };
}

/** The same for any order of roles: the most specific scope, and the first by name of its policies. */
export function steadyAttributionOf(
  walked: WalkResult,
  plan: Plan,
): { readonly policy: string; readonly scope: string } {
  const ranked = walked.decisive
    .map((ruling) => ({ depth: ruling.step.depth, policy: policyOf(walked, plan, ruling), scope: ruling.step.scope }))
    .sort((a, b) => a.depth - b.depth || (a.policy < b.policy ? -1 : 1));
  const [first] = ranked;
  return first === undefined ? attributionOf(walked, plan) : { policy: first.policy, scope: first.scope };
}
