/** What a policy compiles to: for each action a plan, for each role the rows of the plan that can apply to it. */

import type { Code } from "../cel/compile.js";
import type { Glob } from "../policy/glob.js";
import type { DerivedRole, Effect, Expression, ResourcePolicy, ResourceRule } from "../policy/model.js";
import type { Cell } from "./cell.js";
import type { Check } from "./condition.js";
import type { NameTable } from "./name-table.js";
import type { RoleRows } from "./role-rows.js";
import type { Reason } from "./verdict.js";

/** A rule within one plan. */
export interface PlannedRule {
  readonly source: ResourceRule;
  readonly effect: Effect;
  /** Index into `Activation.states`. */
  readonly state: number;
  readonly check: Check | undefined;
  readonly whenActivated: PlannedOutput | undefined;
  readonly whenNotMet: PlannedOutput | undefined;
  readonly reason: Reason;
  readonly errorReason: Reason;
  /** In the plan for actions that no rule names: whether the rule's globs match the action. */
  readonly matches: Glob | undefined;
}

/** An output expression of a rule. */
export interface PlannedOutput {
  readonly source: Expression;
  readonly code: Code;
}

/** A derived role within one plan. */
export interface PlannedDerivedRole {
  readonly source: DerivedRole;
  readonly state: number;
  readonly check: Check | undefined;
}

/** A rule as it applies to one role: directly, or through a derived role. */
export interface Row {
  readonly rule: PlannedRule;
  readonly derived: PlannedDerivedRole | undefined;
  /** The rule's condition. */
  readonly check: Check | undefined;
  /** 2 ** `rule.state`: the rule in a set of rules written as a number. */
  readonly bit: number;
}

/** The rules for one action (or several that the same rules name), by role. */
export interface Plan {
  /** The policy's key. */
  readonly policy: string;
  readonly rules: readonly PlannedRule[];
  readonly derivedRoles: readonly PlannedDerivedRole[];
  /** The roles that rules or derived roles of the policy name, and the rows for each. */
  readonly roles: NameTable;
  readonly byRole: readonly RoleRows[];
  /** Rows for every other role. */
  readonly anyRole: RoleRows;
  readonly slots: number;
  readonly states: number;
  /**
   * Whether the set of rules that hold says all of a verdict for a principal with one role. It does not where there
   * are derived roles, where an output carries values of the request, or where the set is too large for a number.
   */
  readonly repeatable: boolean;
}

export interface CompiledPolicy {
  readonly key: string;
  /** The actions that rules name literally, and the plan for each. */
  readonly actions: NameTable;
  readonly plans: readonly Plan[];
  /** The roles that rules or derived roles name. */
  readonly roles: NameTable;
  /**
   * What decides for a principal with one role: for each action a cell for each role, and one for all other roles. A
   * hole is where the plan must be asked.
   */
  readonly cells: readonly (Cell | undefined)[];
  /** The plan for all other actions, of the rules with globs; each row is still to be matched. */
  readonly otherActions: Plan | undefined;
  readonly source: ResourcePolicy;
}
