/** Conditions and outputs of policies as closures, each compiled when it is first needed. */

import { Slots } from "../../cel/compile.js";
import { isExhausted } from "../../cel/evaluation.js";
import { readsActiveRoleNames } from "../../cel/expression-usage.js";
import type { FunctionSet } from "../../cel/functions/functions.js";
import { type JsonValue, toJson } from "../../cel/json.js";
import { ROOT } from "../../cel/roots.js";
import type { Definitions, Expression } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import type { Conditional, PlannedRole, PlanStep } from "../plan/plan.js";
import { type Activation, type ActiveRoles, NO_ACTIVE_ROLES } from "./activation.js";
import { type ConditionCode, compileWhole, type Mode } from "./condition.js";
import { compileDefinitions, type VariableErrorMode } from "./definitions.js";
import { compileObserved, type ObservedEnv, type Observer } from "./observer.js";

/** The code of an output expression. Undefined if it errs, or its value has no JSON form. */
export type OutputCode = (activation: Activation) => JsonValue | undefined;

export class Closures {
  readonly slots = new Slots();
  readonly functions: FunctionSet;
  readonly mode: Mode;
  readonly observer: Observer | undefined;
  private readonly envs = new Map<Definitions, ObservedEnv>();
  private readonly roleEnvs = new Map<Definitions, ObservedEnv>();
  private readonly checks = new Map<Conditional, ConditionCode>();
  private readonly roleChecks = new Map<PlannedRole, ConditionCode>();
  private readonly outputs = new Map<Expression, OutputCode>();
  /** The outputs that do not read which derived roles are active. */
  private readonly steady = new Set<Expression>();
  private readonly readers = new Map<Expression, boolean>();
  private units = 0;

  constructor(functions: FunctionSet, mode: Mode, observer?: Observer) {
    this.functions = functions;
    this.mode = mode;
    this.observer = observer;
  }

  /** Whether a rule or a derived role holds; undefined where it errs. */
  check(what: Conditional): ConditionCode {
    const known = this.checks.get(what);
    if (known !== undefined) return known;
    const made = this.condition(what, this.env(what.definitions));
    this.checks.set(what, made);
    return made;
  }

  /** {@link check}, with `runtime.effectiveDerivedRoles` set for a step. */
  checkAt(what: Conditional, step: PlanStep): ConditionCode {
    return this.readsActiveRoles(what) ? this.after(step, this.check(what)) : this.check(what);
  }

  /** The code of an output expression of a rule. */
  output(expression: Expression, definitions: Definitions): OutputCode {
    const known = this.outputs.get(expression);
    if (known !== undefined) return known;
    const code = compileObserved(expression, this.env(definitions), this.observer);
    const made: OutputCode = (activation) => {
      const result = code(activation);
      const json = result === undefined ? undefined : toJson(activation, result);
      return isExhausted(activation) ? undefined : json;
    };
    this.outputs.set(expression, made);
    return made;
  }

  /** {@link output}, with `runtime.effectiveDerivedRoles` set for a step. */
  outputAt(expression: Expression, definitions: Definitions, step: PlanStep): OutputCode {
    const output = this.output(expression, definitions);
    if (this.steady.has(expression)) return output;
    if (this.reads([expression], definitions)) return this.after(step, output);
    this.steady.add(expression);
    return output;
  }

  /**
   * Whether a derived role is active, for `runtime.effectiveDerivedRoles`. On the server, a variable that errs has
   * another value here than in conditions of rules: see {@link compileDefinitions}.
   */
  private activeCheck(role: PlannedRole): ConditionCode {
    const known = this.roleChecks.get(role);
    if (known !== undefined) return known;
    const made = this.condition(role, this.made(this.roleEnvs, role.definitions, ROLE_ERRING[this.mode]));
    this.roleChecks.set(role, made);
    return made;
  }

  /**
   * The derived roles that are active at a step. Their conditions see no active roles, so they cannot refer to
   * themselves.
   */
  activeRoles({ derivedRoles }: PlanStep, activation: Activation): ActiveRoles {
    const [first] = derivedRoles;
    if (first === undefined) return NO_ACTIVE_ROLES;
    const known = activation.active.get(first.policy);
    if (known !== undefined) return known;
    activation.roots[ROOT.effectiveDerivedRoles] = NO_ACTIVE_ROLES.names;
    const active: string[] = [];
    const erring: string[] = [];
    for (const role of derivedRoles) {
      const holds = this.activeCheck(role)(activation);
      if (holds === true) active.push(role.name);
      // Leniently, a role with a condition that errs is inactive, even if the condition always fails (its `doom`).
      if (holds === undefined && this.mode !== "lenient") erring.push(role.name);
    }
    const found = { names: active.sort(), erring: erring.sort() };
    activation.active.set(first.policy, found);
    return found;
  }

  /** Runs `code` with `runtime.effectiveDerivedRoles` set for a step. */
  private after<R>(step: PlanStep, code: (activation: Activation) => R): (activation: Activation) => R {
    return (activation) => {
      activation.setActiveRoles(this.activeRoles(step, activation));
      return code(activation);
    };
  }

  /** Whether the condition of a rule or a derived role may read which derived roles are active. */
  readsActiveRoles({ condition, definitions }: Conditional): boolean {
    return this.reads(expressionsOfCondition(condition), definitions);
  }

  private reads(expressions: readonly Expression[], { variables }: Definitions): boolean {
    return [...expressions, ...variables.values()].some((expression) => {
      const known = this.readers.get(expression);
      if (known !== undefined) return known;
      const reads = readsActiveRoleNames(expression.expr);
      this.readers.set(expression, reads);
      return reads;
    });
  }

  private condition(what: Conditional, env: ObservedEnv): ConditionCode {
    const { condition } = what;
    const { observer, mode } = this;
    const check = condition === undefined ? always : compileWhole(condition, env, mode, observer);
    if (observer?.considered === undefined) return check;
    return (activation) => {
      const holds = check(activation);
      observer.considered?.(what, holds);
      return holds;
    };
  }

  /** The names for conditions and outputs of rules, and for derived roles that rules list. */
  private env(definitions: Definitions): ObservedEnv {
    return this.made(this.envs, definitions, this.mode === "strict" ? "error" : "undefined");
  }

  private made(envs: Map<Definitions, ObservedEnv>, definitions: Definitions, erring: VariableErrorMode): ObservedEnv {
    const known = envs.get(definitions);
    if (known !== undefined) return known;
    const env = compileDefinitions(
      this.functions,
      definitions,
      this.slots,
      String(this.units++),
      erring,
      this.observer,
    );
    envs.set(definitions, env);
    return env;
  }
}

/** The value of a variable that errs, where the conditions of derived roles are evaluated for `runtime`. */
const ROLE_ERRING: { readonly [M in Mode]: VariableErrorMode } = {
  strict: "error",
  lenient: "null",
  "server-strict": "undefined",
};

function always(): boolean {
  return true;
}
