/** One check in progress. Conditions and outputs are evaluated as the walk reaches them. */

import { isExhausted } from "../../cel/evaluation.js";
import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import type { JsonMap } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";
import type { Conditional, PlannedRule, PlanRow, PlanStep } from "../plan/plan.js";
import type { EvaluationError } from "../plan/verdict.js";
import type { Examiner } from "../plan/walk.js";
import { Activation } from "./activation.js";
import type { CheckInput, CheckOutput, CheckResult } from "./check-types.js";
import type { Closures } from "./closures.js";
import { errorOf, faultIn, outputWhere, sourceOf } from "./examination.js";

/** The activation of a check, at its beginning. */
export function activationOf({ principal, resource, jwt, jwts, now }: CheckInput, globals: JsonMap): Activation {
  const activation = new Activation();
  activation.begin(principal, resource, now, globals);
  activation.roots[ROOT.principalPolicyVersion] = principal.policyVersion;
  activation.roots[ROOT.resourcePolicyVersion] = resource.policyVersion;
  activation.attributes[ATTRIBUTES.jwt] = jwt;
  if (jwts !== undefined) activation.attributes[ATTRIBUTES.jwts] = jwts;
  return activation;
}

export class Session implements Examiner {
  /** The action that is checked now. */
  action = "";
  private readonly closures: Closures;
  private readonly activation: Activation;
  private readonly effective = new Set<string>();
  private readonly outputs: CheckOutput[] = [];
  private readonly errors: EvaluationError[] = [];
  private readonly found = new Map<Conditional, boolean | undefined>();

  constructor(closures: Closures, input: CheckInput, globals: JsonMap) {
    this.closures = closures;
    this.activation = activationOf(input, globals);
  }

  /** The results of the check, effects apart. */
  report(): Omit<CheckResult, "actions" | "validationErrors"> {
    const { outputs, errors } = this;
    const effectiveDerivedRoles = [...this.effective].sort();
    return { effectiveDerivedRoles, outputs, errors, readsClock: this.activation.readsClock };
  }

  /** Reports why an action is denied without a look at the rules. */
  refuse(message: string): void {
    this.errors.push({ policy: "", rule: "", expression: "", message, position: "" });
  }

  /** The active derived roles of each scope that is visited are the check's effective ones. */
  enter(step: PlanStep): void {
    const roles = this.closures.activeRoles(step, this.activation);
    for (const name of roles.names) this.effective.add(name);
    this.activation.setActiveRoles(roles);
  }

  examine({ rule, guard }: PlanRow): boolean | undefined {
    const active = guard === undefined ? true : this.holds(guard, rule);
    if (active !== true) return this.taken(active);
    const holds = this.holds(rule, rule);
    const output = outputWhere(rule, holds);
    if (output !== undefined) this.emit(rule, output);
    return this.taken(holds);
  }

  /** The server skips a rule with a condition that it cannot plan, and reports no output of it. */
  private taken(holds: boolean | undefined): boolean | undefined {
    const isPassedOver = holds === undefined && this.closures.mode === "lenient" && !isExhausted(this.activation);
    return isPassedOver ? false : holds;
  }

  private holds(what: Conditional, rule: PlannedRule): boolean | undefined {
    const known = this.found.get(what);
    if (known !== undefined || this.found.has(what)) return known;
    const { activation, errors } = this;
    activation.forgetFailure();
    const holds = this.closures.check(what)(activation);
    const { failed } = activation;
    if (failed !== undefined) errors.push(errorOf(rule, faultIn(failed.expression, failed)));
    this.found.set(what, holds);
    return holds;
  }

  private emit(rule: PlannedRule, expression: Expression): void {
    const { activation, action } = this;
    const src = sourceOf(rule);
    const val = this.closures.output(expression, rule.definitions)(activation);
    if (val !== undefined) {
      this.outputs.push({ src, action, val });
      return;
    }
    this.outputs.push({ src, action, error: activation.fault });
    this.errors.push(errorOf(rule, faultIn(expression, activation)));
  }
}
