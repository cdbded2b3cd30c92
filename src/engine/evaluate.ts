/**
 * One layer's verdict on one request (reference §2.6, strict).
 *
 * Every applicable row of every role is examined, whatever the rows before it said, so the verdict does not depend
 * on the order of rules, roles or files. Within one role DENY wins over ALLOW; across roles any role that is allowed
 * suffices; a condition that was reached and erred denies all.
 */

import type { Timestamp } from "../cel/values.js";
import { Activation, ERRED, HOLDS, type PrincipalInput, type ResourceInput, type State, UNMET } from "./activation.js";
import { type Cell, UNKNOWN } from "./cell.js";
import { type ScopedLayer, scopedVerdict } from "./check/layer.js";
import type { Check } from "./condition.js";
import { noteFailure } from "./errors.js";
import type { CompiledPolicy, Plan, PlannedRule, Row } from "./plan.js";
import type { RoleRows } from "./role-rows.js";
import { type LayerTable, policyFor } from "./table.js";
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
  if (table.scoped !== undefined) return scoped(table.scoped, principal, resource, action, now);
  const policy = isRoot(resource.scope) ? policyFor(table, resource.kind) : undefined;
  if (policy === undefined) return defaultVerdict(table, NO_MATCH);
  const { roles } = principal;
  const number = policy.actions.indexOf(action);
  const role = roles.length === 1 ? roles[0] : undefined;
  const cell = role === undefined ? undefined : cellFor(policy, number, role);
  if (cell?.needsActivation === false) {
    const verdict = cell.verdict(cell.holding(principal, resource, undefined));
    if (verdict !== undefined) return verdict;
  }
  const plan = cell?.plan ?? policy.plans[number] ?? policy.otherActions;
  if (plan === undefined) return defaultVerdict(table, policy.key);
  const activation = spare.busy ? new Activation() : spare;
  activation.busy = true;
  try {
    activation.begin(principal, resource, now, plan.slots);
    return (
      (cell === undefined ? undefined : known(cell, principal, resource, activation)) ??
      fresh(table, plan, cell, roles, action, activation)
    );
  } catch {
    // A getter that throws, or data nested deeper than the stack. What was thrown may itself be hostile: it is
    // not looked at.
    return refusedVerdict(UNREADABLE);
  } finally {
    activation.end();
    activation.busy = false;
  }
}

/** The root scope, with or without the `.` that says so. */
function isRoot(scope: string): boolean {
  return scope === "" || scope === ".";
}

function scoped(
  layer: ScopedLayer,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
  now: Timestamp | undefined,
): LayerVerdict {
  try {
    return scopedVerdict(layer, principal, resource, action, now);
  } catch {
    return refusedVerdict(UNREADABLE);
  }
}

const UNREADABLE = "the request cannot be read to its end, or is nested too deep";

/** Reused from one evaluation to the next; an evaluation within another (an attribute's getter) makes its own. */
const spare = new Activation();

/** What decides for one role; `action` is the number of the action. */
function cellFor({ cells, roles }: CompiledPolicy, action: number, role: string): Cell | undefined {
  if (action < 0) return undefined;
  const { size } = roles;
  const number = roles.indexOf(role);
  return cells[action * (size + 1) + (number < 0 ? size : number)];
}

/** The verdict, if it was given before: with one role, which rules hold decides everything there is to say. */
function known(
  cell: Cell,
  principal: PrincipalInput,
  resource: ResourceInput,
  activation: Activation,
): LayerVerdict | undefined {
  const { rows, plan } = cell;
  if (cell.needsActivation) {
    const holding = cell.holding(principal, resource, activation);
    if (holding !== UNKNOWN) return cell.verdict(holding);
    activation.restart(plan.slots);
  }
  const holding = holdingRules(rows.rows, activation);
  return holding === undefined ? undefined : cell.verdict(holding);
}

function fresh(
  table: LayerTable,
  plan: Plan,
  cell: Cell | undefined,
  roles: readonly string[],
  action: string,
  activation: Activation,
): LayerVerdict {
  activation.again(plan.slots, plan.states);
  const allowing = examine(plan, roles, action, activation);
  const verdict = finishedVerdict(table, plan, action, activation, allowing);
  if (cell !== undefined && verdict.errors.length === 0) cell.keep(heldRules(plan, activation), shared(verdict));
  return verdict;
}

/** The rules that were found to hold, as a sum of their bits. */
function heldRules(plan: Plan, { states }: Activation): number {
  let held = 0;
  for (const { state } of plan.rules) if (states[state] === HOLDS) held += 2 ** state;
  return held;
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

function rowsOf(plan: Plan, role: string): RoleRows {
  return plan.byRole[plan.roles.indexOf(role)] ?? plan.anyRole;
}

/** Examines every row of one role: whether it is allowed by some rule and denied by none. */
function examineRole(plan: Plan, role: string, action: string, activation: Activation): boolean {
  let allow = false;
  let deny = false;
  for (const row of rowsOf(plan, role).rows) {
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
  const holding = rowsOf(plan, role).rows.filter(
    ({ rule, derived }) =>
      rule.effect === "allow" &&
      activation.states[rule.state] === HOLDS &&
      (derived === undefined || activation.states[derived.state] === HOLDS),
  );
  return new Set(holding.map(({ rule }) => rule));
}
