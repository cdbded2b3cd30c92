/** A checked resource policy to plans. */

import { type CompileEnv, compile, ReadCounter, Slots, variableKey } from "../cel/compile.js";
import { compileGlob, type Glob, isGlob } from "../policy/glob.js";
import type { Definitions, DerivedRole, Expression, ResourcePolicy, ResourceRule } from "../policy/model.js";
import { expressionsOfCondition, expressionsOfRule } from "../policy/walk.js";
import { Cell } from "./cell.js";
import { compileCondition } from "./condition.js";
import { compileDefinitions } from "./definitions.js";
import type { GenerationLimit } from "./generate/limit.js";
import type { NameTable, NameTables } from "./name-table.js";
import type { CompiledPolicy, Plan, PlannedDerivedRole, PlannedOutput, PlannedRule, Row } from "./plan.js";
import { reasonOf } from "./reason.js";
import { RoleRows } from "./role-rows.js";

/** A rule with its actions sorted into names and globs. */
interface Matcher {
  readonly index: number;
  readonly rule: ResourceRule;
  readonly names: ReadonlySet<string>;
  readonly glob: Glob | undefined;
}

/**
 * `limit`: how much may be generated; undefined where nothing may. `names`: the tables of names that the policies of a
 * layer share.
 */
export function compilePolicy(
  source: ResourcePolicy,
  limit: GenerationLimit | undefined,
  names: NameTables,
): CompiledPolicy {
  const matchers = source.rules.map(matcherOf);
  const roles = names.of(rolesOf(source));
  const byAction = new Map<string, Plan>();
  const made = new Map<string, Plan>();
  for (const action of new Set(matchers.flatMap((m) => [...m.names]))) {
    const applicable = matchers.filter((m) => m.names.has(action) || m.glob?.(action) === true);
    // Actions that the same rules name share a plan.
    const key = applicable.map((m) => m.index).join();
    const plan = made.get(key) ?? compilePlan(source, applicable, roles, false, limit);
    made.set(key, plan);
    byAction.set(action, plan);
  }
  const actions = names.of(byAction.keys());
  const plans = new Array<Plan | undefined>(actions.size).fill(undefined);
  for (const [action, plan] of byAction) plans[actions.indexOf(action)] = plan;
  const globbed = matchers.filter((m) => m.glob !== undefined);
  // Any text can be an action here, so nothing is kept by action.
  const otherActions = globbed.length === 0 ? undefined : compilePlan(source, globbed, roles, true, undefined);
  return {
    key: source.key,
    actions,
    plans: plans.filter(isThere),
    roles,
    cells: cellsOf(plans.filter(isThere)),
    otherActions,
    source,
  };
}

/** More cells than this are not made: their plans decide, a little slower. */
const MAX_CELLS = 4_096;

function cellsOf(plans: readonly Plan[]): readonly (Cell | undefined)[] {
  const width = (plans[0]?.roles.size ?? 0) + 1;
  if (plans.length * width > MAX_CELLS) return [];
  return plans.flatMap((plan) => {
    // Roles with the same rows share a cell.
    const cells = new Map<RoleRows, Cell>();
    return [...plan.byRole, plan.anyRole].map((rows) => {
      if (!plan.repeatable) return undefined;
      const cell = cells.get(rows) ?? new Cell(plan, rows);
      cells.set(rows, cell);
      return cell;
    });
  });
}

/** The roles that rows can be for. */
function rolesOf({ rules, derivedRoles }: ResourcePolicy): ReadonlySet<string> {
  const roles = new Set(rules.flatMap((rule) => rule.roles));
  for (const { parentRoles } of derivedRoles.values()) for (const role of parentRoles) roles.add(role);
  roles.delete(ANY);
  return roles;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function matcherOf(rule: ResourceRule, index: number): Matcher {
  const globs = rule.actions
    .filter(isGlob)
    .map(compileGlob)
    .filter((glob) => glob !== undefined);
  const [first] = globs;
  const glob = globs.length <= 1 ? first : (text: string) => globs.some((g) => g(text));
  return { index, rule, names: new Set(rule.actions.filter((action) => !isGlob(action))), glob };
}

/** `matchLater`: the plan serves actions not known yet, so each rule keeps its glob. */
function compilePlan(
  policy: ResourcePolicy,
  matchers: readonly Matcher[],
  names: NameTable,
  matchLater: boolean,
  limit: GenerationLimit | undefined,
): Plan {
  const derived = new Set(matchers.flatMap((m) => m.rule.derivedRoles));
  const roles = [...policy.derivedRoles.values()].filter((role) => derived.has(role.name));
  const unit = new Unit(policy, new Slots(sharedReads(policy, matchers, roles)));
  const rules = matchers.map((m) => unit.rule(m.rule, matchLater ? m.glob : undefined));
  const derivedRoles = new Map(roles.map((role) => [role.name, unit.derivedRole(role)]));
  const rows = rules.flatMap((rule) => rowsOf(rule, derivedRoles));
  const repeatable = roles.length === 0 && rules.length <= MAX_BITS && rules.every(hasFixedOutputs);
  const generator = repeatable ? limit?.generator(policy.definitions, unit.slots) : undefined;
  const lists = new Map<string, RoleRows>();
  // Roles that the same rows apply to share them, and what is generated for them.
  const roleRows = (role: string): RoleRows => {
    const list = rowsFor(rows, role);
    const key = list.map(({ rule, derived }) => `${rule.state} ${derived?.state}`).join();
    const made = lists.get(key) ?? new RoleRows(list, generator);
    lists.set(key, made);
    return made;
  };
  return {
    policy: policy.key,
    rules,
    derivedRoles: [...derivedRoles.values()],
    roles: names,
    byRole: names.names.map(roleRows),
    anyRole: roleRows(ANY),
    slots: unit.slots.count,
    states: unit.states,
    repeatable,
  };
}

/** What the expressions of a plan read more than once. */
function sharedReads(
  policy: ResourcePolicy,
  matchers: readonly Matcher[],
  roles: readonly DerivedRole[],
): ReadonlySet<string> {
  const counter = new ReadCounter();
  const counted = new Set<string>();
  const count = (expression: Expression, definitions: Definitions): void => {
    const unit = unitOf(policy, definitions);
    const variables = counter.add(expression.expr, unit);
    for (const { name, expr } of definitions.variables) {
      const key = variableKey(unit, name);
      if (!variables.has(name) || counted.has(key)) continue;
      counted.add(key);
      count(expr, definitions);
    }
  };
  for (const { rule } of matchers) for (const e of expressionsOfRule(rule)) count(e, policy.definitions);
  for (const role of roles) for (const e of expressionsOfCondition(role.condition)) count(e, role.definitions);
  return counter.shared;
}

/** A name for a namespace of a policy: its own, or that of a set of derived roles. */
function unitOf(policy: ResourcePolicy, definitions: Definitions): string {
  if (definitions === policy.definitions) return "";
  const roles = [...policy.derivedRoles.values()];
  return String(roles.findIndex((role) => role.definitions === definitions));
}

/** Members of a set that a double can write exactly. */
const MAX_BITS = 50;

function hasFixedOutputs(rule: PlannedRule): boolean {
  return rule.whenNotMet === undefined && (rule.whenActivated?.source.expr.kind ?? "literal") === "literal";
}

const ANY = "*";

interface RoledRow extends Pick<Row, "rule" | "derived"> {
  readonly roles: readonly string[];
}

function rowsOf(rule: PlannedRule, derivedRoles: ReadonlyMap<string, PlannedDerivedRole>): readonly RoledRow[] {
  const direct = { rule, derived: undefined, roles: rule.source.roles };
  const derived = rule.source.derivedRoles.flatMap((name) => {
    const role = derivedRoles.get(name);
    return role === undefined ? [] : [{ rule, derived: role, roles: role.source.parentRoles }];
  });
  return direct.roles.length === 0 ? derived : [direct, ...derived];
}

function rowsFor(rows: readonly RoledRow[], role: string): readonly Row[] {
  return rows
    .filter((row) => row.roles.includes(ANY) || row.roles.includes(role))
    .map(({ rule, derived }) => ({ rule, derived, check: rule.check, bit: 2 ** rule.state }));
}

/** Compiles the rules of one plan: they share slots, and each has its place among the states. */
class Unit {
  readonly slots: Slots;
  states = 0;
  private readonly policy: ResourcePolicy;
  private readonly envs = new Map<Definitions, CompileEnv>();

  constructor(policy: ResourcePolicy, slots: Slots) {
    this.policy = policy;
    this.slots = slots;
  }

  rule(source: ResourceRule, matches: Glob | undefined): PlannedRule {
    const env = this.env(this.policy.definitions);
    const output = (expression: Expression | undefined): PlannedOutput | undefined =>
      expression === undefined ? undefined : { source: expression, code: compile(expression.expr, env) };
    const state = this.states++;
    const place = { reason: reasonOf(source), rule: source.name, policy: this.policy.key };
    return {
      source,
      effect: source.effect,
      state,
      check: source.condition === undefined ? undefined : compileCondition(source.condition, env),
      whenActivated: output(source.output?.ruleActivated),
      whenNotMet: output(source.output?.conditionNotMet),
      reason: Object.freeze({ kind: "rule", ...place }),
      errorReason: Object.freeze({ kind: "error", ...place }),
      matches,
    };
  }

  derivedRole(source: DerivedRole): PlannedDerivedRole {
    const env = this.env(source.definitions);
    const state = this.states++;
    const check = source.condition === undefined ? undefined : compileCondition(source.condition, env);
    return { source, state, check };
  }

  private env(definitions: Definitions): CompileEnv {
    const known = this.envs.get(definitions);
    if (known !== undefined) return known;
    const env = compileDefinitions(definitions, this.slots, unitOf(this.policy, definitions));
    this.envs.set(definitions, env);
    return env;
  }
}
