/** One check under way: its state, and the evaluation of conditions and outputs in it. */

import { toJson } from "../../cel/json.js";
import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import { positionText } from "../../policy/issue.js";
import type { Expression } from "../../policy/model.js";
import { Activation } from "../activation.js";
import type { Check } from "../condition.js";
import type { EvaluationError, Output, Reason } from "../verdict.js";
import type { Place } from "./place.js";
import { placeKey } from "./place.js";
import type { CompiledOutput, CompiledRow } from "./rows.js";
import { type ValidationError, validateAttributes } from "./schema.js";
import type { RuleTable } from "./table.js";
import type { CheckInput, CheckOptions } from "./types.js";

/** What an evaluation belongs to: rows of one policy share an activation, and so the values of their variables. */
interface Unit {
  readonly key: string;
  readonly slots: number;
}

/** What a condition belongs to. */
interface Named {
  readonly rule: string;
  readonly reason: string;
}

/** The active derived roles of a scope; undefined, an error for whoever reads it, if one of them errs (strictly). */
export type Runtime = readonly string[] | undefined;

const NO_ROLES: readonly string[] = Object.freeze([]);

export class Session {
  readonly table: RuleTable;
  readonly input: CheckInput;
  readonly options: CheckOptions;
  readonly place: Place;
  readonly effectiveDerivedRoles = new Set<string>();
  readonly outputs: Output[] = [];
  readonly failedOutputs = new Set<Output>();
  readonly failures: Reason[] = [];
  readonly errors: EvaluationError[] = [];
  private readonly activations = new Map<Unit, Activation>();
  private steps: number | undefined;
  /** Whether something in the latest condition erred. */
  private hasFailed = false;

  constructor(table: RuleTable, input: CheckInput, options: CheckOptions, place: Place) {
    this.table = table;
    this.input = input;
    this.options = options;
    this.place = place;
  }

  /**
   * What the request's attributes lack of the schemas of the resource's policy: the one at the most specific scope
   * that exists. If that scope exists through other policies only, nothing is asked of the attributes.
   */
  validate(): readonly ValidationError[] {
    const { table, place, input, options } = this;
    if (options.schemaEnforcement === "none") return [];
    const [scope] = place.resourceChain;
    const schemas = scope === undefined ? undefined : table.schemas.get(placeKey(place.version, scope, place.kind));
    if (schemas === undefined) return [];
    return validateAttributes(schemas, input.principal.attr, input.resource.attr, input.actions);
  }

  sortedDerivedRoles(): readonly string[] {
    return this.effectiveDerivedRoles.size === 0 ? NO_ROLES : [...this.effectiveDerivedRoles].sort();
  }

  get readsClock(): boolean {
    for (const activation of this.activations.values()) if (activation.readsClock) return true;
    return false;
  }

  /** Whether a condition holds; undefined if it errs (under strict evaluation alone: otherwise it is then false). */
  holds(unit: Unit, row: Named, check: Check | undefined, runtime: Runtime): boolean | undefined {
    const holds = this.evaluate(unit, row.rule, check, runtime);
    if (this.hasFailed) this.fail({ kind: "error", reason: row.reason, rule: row.rule, policy: unit.key });
    return holds;
  }

  private fail(reason: Reason): void {
    if (!this.failures.some(({ rule, policy }) => rule === reason.rule && policy === reason.policy)) {
      this.failures.push(reason);
    }
  }

  /** {@link holds} for a derived role by itself: that it errs is reported, and fails the rules that list it. */
  active(unit: Unit, role: string, check: Check | undefined): boolean | undefined {
    return this.evaluate(unit, role, check, []);
  }

  private evaluate(unit: Unit, rule: string, check: Check | undefined, runtime: Runtime): boolean | undefined {
    this.hasFailed = false;
    if (check === undefined) return true;
    const activation = this.resume(unit, runtime);
    activation.failed = undefined;
    const value = check(activation);
    this.steps = activation.steps;
    const { failed } = activation;
    this.hasFailed = failed !== undefined;
    if (failed !== undefined) note(this.errors, unit.key, rule, failed, activation);
    return value;
  }

  /** Reports a rule's output, if it has one for this turn of events. */
  emit(unit: Unit, row: CompiledRow, output: CompiledOutput | undefined, action: string, runtime: Runtime): void {
    if (output === undefined) return;
    const activation = this.resume(unit, runtime);
    const value = output.code(activation);
    const val = value === undefined ? undefined : toJson(activation, value);
    if (val === undefined) note(this.errors, unit.key, row.rule, output.source, activation);
    this.steps = activation.steps;
    const reported = { src: row.src, action, val: val ?? output.failed };
    this.outputs.push(reported);
    if (val === undefined) this.failedOutputs.add(reported);
  }

  /** The activation of a policy, with what is left of the check's step budget. */
  private resume(unit: Unit, runtime: Runtime): Activation {
    let activation = this.activations.get(unit);
    if (activation === undefined) {
      activation = this.start(unit);
      this.activations.set(unit, activation);
    }
    if (this.steps !== undefined) activation.steps = this.steps;
    activation.roots[ROOT.effectiveDerivedRoles] = runtime;
    if (runtime === undefined) activation.fault = "the effective derived roles cannot be computed";
    return activation;
  }

  private start(unit: Unit): Activation {
    const { principal, resource, jwt, now } = this.input;
    const activation = new Activation();
    activation.begin(principal, resource, now, unit.slots);
    activation.roots[ROOT.principalPolicyVersion] = principal.policyVersion;
    activation.roots[ROOT.principalScope] = withoutDot(principal.scope);
    activation.roots[ROOT.resourcePolicyVersion] = resource.policyVersion;
    activation.roots[ROOT.resourceScope] = withoutDot(resource.scope);
    activation.attributes[ATTRIBUTES.jwt] = jwt;
    activation.attributes[ATTRIBUTES.globals] = this.options.globals;
    return activation;
  }
}

/** Notes the activation's latest fault, once for each rule and place. */
function note(
  errors: EvaluationError[],
  policy: string,
  rule: string,
  expression: Expression,
  activation: Activation,
): void {
  const position = positionText(expression.position(Math.max(activation.faultAt, 0)));
  if (errors.some((error) => error.rule === rule && error.position === position)) return;
  errors.push({ policy, rule, expression: expression.source, message: activation.fault, position });
}

function withoutDot(scope: string): string {
  return scope.startsWith(".") ? scope.slice(1) : scope;
}
