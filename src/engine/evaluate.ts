/**
 * One layer's verdict on one request (reference §2.6, strict).
 *
 * Every applicable row of every role is examined, whatever the rows before it said, so the verdict does not depend
 * on the order of rules, roles or files. Within one role DENY wins over ALLOW; across roles any role that is allowed
 * suffices; a condition that was reached and erred denies all.
 */

import type { Timestamp } from "../cel/values.js";
import { Activation, ERRED, HOLDS, type PrincipalInput, type ResourceInput, type State, UNMET } from "./activation.js";
import type { Check } from "./condition.js";
import { noteFailure } from "./errors.js";
import type { ActionPlan, Plan, PlannedRule, Row } from "./plan.js";
import { type LayerTable, planFor, policyFor } from "./table.js";
import type { LayerVerdict } from "./verdict.js";
import { defaultVerdict, finishedVerdict, NO_MATCH, refusedVerdict, shared } from "./verdicts.js";

/** Whether `principal` may do `action` to `resource`. Never throws: what cannot be evaluated is denied. */
export function evaluate(
  table: LayerTable,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
  now: Timestamp | undefined,
): LayerVerdict {
  const policy = policyFor(table, resource.kind);
  if (policy === undefined) return defaultVerdict(table, NO_MATCH);
  const entry = planFor(policy, action);
  if (entry === undefined) return defaultVerdict(table, policy.key);
  const activation = spare.busy ? new Activation() : spare;
  activation.busy = true;
  try {
    activation.begin(principal, resource, now, entry.plan.slots);
    return known(entry, principal.roles, activation) ?? fresh(table, entry, principal.roles, action, activation);
  } catch {
    // A getter that throws, or data nested deeper than the stack. What was thrown may itself be hostile: it is
    // not looked at.
    return refusedVerdict("the request cannot be read to its end, or is nested too deep");
  } finally {
    activation.end();
    activation.busy = false;
  }
}

/** Reused from one evaluation to the next; an evaluation within another (an attribute's getter) makes its own. */
const spare = new Activation();

/** Verdicts kept for one action of one policy. There are rarely more than a dozen different ones. */
const MAX_VERDICTS = 1_024;

/**
 * The verdict, if it was given before: with one role, which rules hold decides everything there is to say. Otherwise
 * the set of those rules is left in `activation.holding`, for {@link fresh} to keep its verdict under.
 */
function known(
  { plan, verdicts }: ActionPlan,
  roles: readonly string[],
  activation: Activation,
): LayerVerdict | undefined {
  const [role] = roles;
  activation.holding = undefined;
  if (verdicts === undefined || role === undefined || roles.length !== 1) return undefined;
  const holding = holdingRules(rowsOf(plan, role), activation);
  activation.holding = holding;
  return holding === undefined ? undefined : verdicts.get(holding);
}

function fresh(
  table: LayerTable,
  { plan, verdicts }: ActionPlan,
  roles: readonly string[],
  action: string,
  activation: Activation,
): LayerVerdict {
  const { holding } = activation;
  activation.again(plan.slots, plan.states);
  const allowing = examine(plan, roles, action, activation);
  const verdict = finishedVerdict(table, plan, action, activation, allowing);
  if (verdicts !== undefined && holding !== undefined && verdict.errors.length === 0 && verdicts.size < MAX_VERDICTS) {
    verdicts.set(holding, shared(verdict));
  }
  return verdict;
}

/** The rules of a role's rows whose conditions hold, as a sum of their bits; undefined if one errs. */
function holdingRules(rows: readonly Row[], activation: Activation): number | undefined {
  let holding = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (row === undefined) continue;
    const holds = row.check === undefined ? true : row.check(activation);
    if (holds === undefined) return undefined;
    if (holds) holding += row.bit;
  }
  return holding;
}

/** Examines every role; the rules that allow in some role that is allowed, or undefined if none is. */
function examine(
  plan: Plan,
  roles: readonly string[],
  action: string,
  activation: Activation,
): ReadonlySet<PlannedRule> | undefined {
  const allowing = new Set<PlannedRule>();
  for (const role of roles) {
    if (examineRole(plan, role, action, activation)) {
      for (const rule of allowingRules(plan, role, activation)) allowing.add(rule);
    }
  }
  return allowing.size === 0 ? undefined : allowing;
}

function rowsOf(plan: Plan, role: string): readonly Row[] {
  return plan.byRole.get(role) ?? plan.anyRole;
}

/** Examines every row of one role: whether it is allowed by some rule and denied by none. */
function examineRole(plan: Plan, role: string, action: string, activation: Activation): boolean {
  let allow = false;
  let deny = false;
  for (const row of rowsOf(plan, role)) {
    if (row.rule.matches !== undefined && !row.rule.matches(action)) continue;
    if (!rowHolds(plan, row, activation)) continue;
    if (row.rule.effect === "deny") deny = true;
    else allow = true;
  }
  return allow && !deny;
}

function rowHolds(plan: Plan, { rule, derived }: Row, activation: Activation): boolean {
  if (derived !== undefined) {
    const state = decided(derived.state, derived.check, activation);
    if (state === ERRED) noteFailure(plan, rule, activation);
    if (state !== HOLDS) return false;
  }
  const state = decided(rule.state, rule.check, activation);
  if (state === ERRED) noteFailure(plan, rule, activation);
  return state === HOLDS;
}

/** Evaluates a condition unless it is decided. One that erred is evaluated again, for its fault. */
function decided(index: number, check: Check | undefined, activation: Activation): State {
  const before = activation.states[index];
  if (before === HOLDS || before === UNMET) return before;
  const value = check === undefined ? true : check(activation);
  const state = value === undefined ? ERRED : value ? HOLDS : UNMET;
  activation.states[index] = state;
  return state;
}

function allowingRules(plan: Plan, role: string, activation: Activation): ReadonlySet<PlannedRule> {
  const holding = rowsOf(plan, role).filter(
    ({ rule, derived }) =>
      rule.effect === "allow" &&
      activation.states[rule.state] === HOLDS &&
      (derived === undefined || activation.states[derived.state] === HOLDS),
  );
  return new Set(holding.map(({ rule }) => rule));
}
