/**
 * Measures what checks and decisions reach of policies. Each is made once more, by tables that are compiled with an
 * observer: the engine that gives the answers is not slowed down by it, and says the same.
 */

import type { Result } from "../../cel/evaluation.js";
import { RequestIssue, readAccount, readKey, readNow, readResource } from "../../decisions/request.js";
import type { DecisionRequest } from "../../decisions/types.js";
import { check } from "../../engine/evaluate/check.js";
import { scopedCheck } from "../../engine/check/layer.js";
import { compileTable, type RuleTable } from "../../engine/check/table.js";
import type { CheckInput, CheckOptions, CheckResult } from "../../engine/evaluate/check-types.js";
import type { Observer } from "../../engine/evaluate/observer.js";
import type { Position } from "../../policy/issue.js";
import type { Expression, PolicyModel } from "../../policy/model.js";
import { type DerivedRolePoint, PointIndex, type RulePoint } from "./points.js";
import { type CoverageReport, reportOf } from "./report.js";

/** Which policies are the layers, and what they read as globals: as in `CompileOptions`. */
export interface Layers {
  readonly permissionVersion: string;
  readonly platformVersion: string;
  readonly globals: CheckOptions["globals"];
}

export class CoverageCollector implements Observer {
  private readonly model: PolicyModel;
  private readonly layers: Layers;
  private readonly index: PointIndex;
  private readonly tables = new Map<"error" | "false", RuleTable>();
  /** The rules of role policies that the present check has considered. */
  private restrictions: { readonly rule: RulePoint; readonly holds: boolean | undefined }[] = [];

  constructor(model: PolicyModel, layers: Layers) {
    this.model = model;
    this.layers = layers;
    this.index = new PointIndex(model);
  }

  /** Takes a check into account. Each of its actions is checked by itself, so that what decided it is known. */
  check(input: CheckInput, options: CheckOptions): void {
    const table = this.table(options.strict ? "error" : "false");
    for (const action of input.actions) this.settle(check(table, { ...input, actions: [action] }, options));
  }

  /** Takes a decision into account: the verdicts of both layers. */
  decision({ key, operation, resource, account, now }: DecisionRequest): void {
    const { permissionVersion, platformVersion, globals } = this.layers;
    const target = readResource(resource);
    const clock = readNow(now);
    if (target instanceof RequestIssue || clock instanceof RequestIssue) return;
    const table = this.table("error");
    for (const [principal, version] of [
      [readKey(key), permissionVersion],
      [readAccount(account), platformVersion],
    ] as const) {
      if (principal instanceof RequestIssue) continue;
      this.settle(scopedCheck({ table, version, globals }, principal, target, operation, clock));
    }
  }

  report(): CoverageReport {
    return reportOf(this.index.points);
  }

  evaluated(expression: Expression, value: Result): void {
    const point = this.index.of(expression);
    if (point === undefined) return;
    if (value === true) point.trues++;
    else if (value === false) point.falses++;
    else if (value === undefined) point.errors++;
    else point.others++;
  }

  considered(at: Position, holds: boolean | undefined): void {
    const point = this.index.at(at);
    if (point?.kind === "derivedRole") count(point, holds);
    else if (point !== undefined) {
      point.reached++;
      if (point.effect === "restrict") this.restrictions.push({ rule: point, holds });
    }
  }

  private table(onError: "error" | "false"): RuleTable {
    const table = this.tables.get(onError) ?? compileTable(this.model, onError, this);
    this.tables.set(onError, table);
    return table;
  }

  /** Notes which rules decided. Those of role policies decide where they refuse, and where they let a role through. */
  private settle({ actions }: CheckResult): void {
    for (const { effect, policy, rules } of actions.values()) {
      const decisive = new Set(rules.flatMap(({ at }) => this.index.at(at) ?? []));
      for (const { rule, holds } of this.restrictions) {
        if (effect === "allow" ? holds === true : holds !== true && rule.policy === policy) decisive.add(rule);
      }
      for (const point of decisive) if (point.kind === "rule") point.decisive++;
    }
    this.restrictions = [];
  }
}

function count(point: DerivedRolePoint, holds: boolean | undefined): void {
  if (holds === true) point.trues++;
  else if (holds === false) point.falses++;
  else point.errors++;
}
