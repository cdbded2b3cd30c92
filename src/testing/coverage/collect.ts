/**
 * Measures which parts of the policies the tests reach. Each check and decision is repeated by policies compiled with
 * an observer. So the engine that gives the test results is not slowed down, and both give the same results.
 */

import type { Expr } from "../../cel/ast.js";
import type { EvaluationResult } from "../../cel/evaluation.js";
import type { OperandValue } from "../../cel/operand-tree.js";
import { layerOptionsOf, type SetConfiguration } from "../../decisions/configuration.js";
import { RequestIssue } from "../../decisions/request-issue.js";
import { validated } from "../../decisions/request-validation.js";
import type { PermissionRequest } from "../../decisions/types.js";
import { CheckPolicies, check } from "../../engine/evaluate/check.js";
import type { ActionResult, CheckInput, CheckOptions } from "../../engine/evaluate/check-types.js";
import { FULL_EQUIPMENT } from "../../engine/evaluate/full-equipment.js";
import { Layer } from "../../engine/evaluate/layer.js";
import type { Observer } from "../../engine/evaluate/observer.js";
import type { Conditional } from "../../engine/plan/plan.js";
import { decidingRules } from "../../engine/plan/walk.js";
import type { Condition, Expression, PolicyModel } from "../../policy/model.js";
import { type DerivedRolePoint, PointIndex, type RulePoint } from "./points.js";
import { OperandSearch } from "./reachable.js";
import { type CoverageReport, reportOf } from "./report.js";

export class CoverageCollector implements Observer {
  private readonly model: PolicyModel;
  private readonly configuration: SetConfiguration;
  private readonly index: PointIndex;
  /** Compiled at the first check or decision. */
  private checks: CheckPolicies | undefined = undefined;
  private decisions: readonly [permission: Layer, platform: Layer | undefined] | undefined = undefined;
  /** The role policy rules that the current check has considered. */
  private restrictions: { readonly rule: RulePoint; readonly lets: boolean | undefined }[] = [];

  constructor(model: PolicyModel, configuration: SetConfiguration) {
    this.model = model;
    this.configuration = configuration;
    this.index = new PointIndex(model);
  }

  /** Counts a check. Repeats it with one action at a time, so that the deciding rules of each action are known. */
  check(input: CheckInput, options: CheckOptions): void {
    this.checks ??= new CheckPolicies(this.model, "lenient", FULL_EQUIPMENT, this);
    for (const action of input.actions) {
      for (const result of check(this.checks, { ...input, actions: [action] }, options).actions.values()) {
        this.settle(result);
      }
    }
  }

  /** Counts a decision: the verdicts of both layers. */
  decision(request: PermissionRequest): void {
    const { key, account, resource, action, now } = validated(request);
    this.decisions ??= this.observedLayers();
    const [permission, platform] = this.decisions;
    for (const [layer, asking] of [
      [permission, key],
      [platform, account],
    ] as const) {
      if (layer === undefined || asking instanceof RequestIssue || resource instanceof RequestIssue) continue;
      if (action instanceof RequestIssue || now instanceof RequestIssue) continue;
      const { walked, verdict } = layer.account(asking, resource, action, now);
      this.settle({ effect: verdict.effect, policy: verdict.policy, rules: decidingRules(walked) });
    }
  }

  report(): CoverageReport {
    const declarations = this.configuration.typedReads ? FULL_EQUIPMENT.types?.(this.model) : undefined;
    this.index.operands.findUnreachable(new OperandSearch(declarations));
    return reportOf(this.index.points);
  }

  evaluated(expression: Expression, value: EvaluationResult): void {
    const point = this.index.of(expression);
    if (point === undefined) return;
    if (value === true) point.trues++;
    else if (value === false) point.falses++;
    else if (value === undefined) point.errors++;
    else point.others++;
  }

  considered(what: Conditional, holds: boolean | undefined): void {
    const point = this.index.at(what.at);
    if (point?.kind === "derivedRole") count(point, holds);
    else if (point !== undefined) {
      point.reached++;
      // A role policy's rule denies where its written condition does not hold.
      if (point.effect === "restrict")
        this.restrictions.push({ rule: point, lets: holds === undefined ? holds : !holds });
    }
  }

  probedCondition(condition: Condition, values: readonly OperandValue[]): void {
    this.index.operands.condition(condition, values);
  }

  probedJunction(expression: Expression, root: Expr, values: readonly OperandValue[]): void {
    this.index.operands.junction(expression, root, values);
  }

  private observedLayers(): readonly [permission: Layer, platform: Layer | undefined] {
    const { permissionVersion, platformVersion } = this.configuration;
    // Coverage is of rules, so a denial for the attributes alone must not hide the rules that decided.
    const unenforced: SetConfiguration = { ...this.configuration, schemaEnforcement: "none" };
    const options = { ...layerOptionsOf(unenforced, FULL_EQUIPMENT, false), observer: this };
    const layer = (version: string) => new Layer(this.model, version, "", options);
    return [layer(permissionVersion), platformVersion === null ? undefined : layer(platformVersion)];
  }

  /** Counts the rules that decided. Role policy rules decide both where they deny and where they let a role through. */
  private settle({ effect, policy, rules }: Pick<ActionResult, "effect" | "policy" | "rules">): void {
    const decisive = new Set([...rules].flatMap(({ kind, at }) => (kind === "role" ? [] : (this.index.at(at) ?? []))));
    for (const { rule, lets } of this.restrictions) {
      if (effect === "allow" ? lets === true : lets !== true && rule.policy === policy) decisive.add(rule);
    }
    for (const point of decisive) if (point.kind === "rule") point.decisive++;
    this.restrictions = [];
  }
}

function count(point: DerivedRolePoint, holds: boolean | undefined): void {
  if (holds === true) point.trues++;
  else if (holds === false) point.falses++;
  else point.errors++;
}
