/** Policies to rows. Rows of one policy share their constants, variables and slots. */

import { type CompileEnv, compile, Slots } from "../../cel/compile.js";
import type { Position } from "../../policy/issue.js";
import type { Condition, Definitions, DerivedRole, Expression, OutputExpressions, Rule } from "../../policy/model.js";
import { type Check, compileCondition, type OnError } from "../condition.js";
import { compileDefinitions } from "../definitions.js";
import { type Observer, observed } from "../observer.js";
import { reasonOf } from "../reason.js";
import { matchers } from "./actions.js";
import { compileForgivingDefinitions } from "./definitions.js";
import type { CompiledDerivedRole, CompiledOutput, CompiledRow } from "./rows.js";

const ANY = "*";

/** Everything is remembered: a check evaluates the expressions of a policy many times over. */
const EVERYTHING = { has: () => true };

/** Compiles what stands in one policy. */
export class PolicyCompiler {
  readonly slots = new Slots(EVERYTHING);
  private readonly onError: OnError;
  private readonly observer: Observer | undefined;
  private readonly envs = { unset: new Map<Definitions, CompileEnv>(), null: new Map<Definitions, CompileEnv>() };
  private units = 0;

  constructor(onError: OnError, observer: Observer | undefined) {
    this.onError = onError;
    this.observer = observer;
  }

  /** The condition of a rule or a derived role, which stands at `at`. */
  condition(
    condition: Condition | undefined,
    definitions: Definitions,
    at: Position,
    erring: "unset" | "null" = "unset",
  ): Check | undefined {
    const { observer } = this;
    const check =
      condition === undefined
        ? undefined
        : compileCondition(condition, this.env(definitions, erring), this.onError, observer);
    if (observer === undefined) return check;
    return (activation) => {
      const holds = check === undefined ? true : check(activation);
      observer.considered(at, holds);
      return holds;
    };
  }

  output(expression: Expression | undefined, definitions: Definitions): CompiledOutput | undefined {
    if (expression === undefined) return undefined;
    const code = compile(expression.expr, this.env(definitions, "unset"));
    // What cannot be planned fails before it is evaluated, which the server says in another way.
    const failed = expression.expr.doom === undefined ? null : "<failed to evaluate expression>";
    return { source: expression, code: observed(expression, code, this.observer), failed };
  }

  derivedRole(role: DerivedRole): CompiledDerivedRole {
    const check = this.condition(role.condition, role.definitions, role.at);
    return {
      name: role.name,
      parentRoles: new Set(role.parentRoles),
      anyParent: role.parentRoles.includes(ANY),
      check,
      activeCheck: this.onError === "error" ? check : this.condition(role.condition, role.definitions, role.at, "null"),
    };
  }

  /** The row of a rule, for the roles and derived roles that it lists. */
  row(
    policy: string,
    rule: Rule,
    definitions: Definitions,
    roles: readonly string[],
    derivedRoles: readonly CompiledDerivedRole[],
  ): CompiledRow {
    const output: OutputExpressions | undefined = rule.output;
    return {
      src: `${policy}#${rule.name}`,
      policy,
      rule: rule.name,
      reason: reasonOf(rule),
      at: rule.at,
      effect: rule.effect,
      ...matchers(rule.actions),
      roles: new Set(roles),
      anyRole: roles.includes(ANY),
      derivedRoles,
      check: this.condition(rule.condition, definitions, rule.at),
      whenActivated: this.output(output?.ruleActivated, definitions),
      whenNotMet: this.output(output?.conditionNotMet, definitions),
    };
  }

  private env(definitions: Definitions, erring: "unset" | "null"): CompileEnv {
    const known = this.envs[erring].get(definitions);
    if (known !== undefined) return known;
    const unit = String(this.units++);
    const env =
      this.onError === "error"
        ? compileDefinitions(definitions, this.slots, unit, this.observer)
        : compileForgivingDefinitions(definitions, this.slots, unit, erring, this.observer);
    this.envs[erring].set(definitions, env);
    return env;
  }
}
