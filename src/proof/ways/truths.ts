/** Evaluates statements on a request. */

import { readsActiveRoleNames } from "../../cel/expression-usage.js";
import type { JsonMap } from "../../cel/values.js";
import { withoutDot } from "../../engine/plan/scopes.js";
import { reachable } from "../../policy/policy-expressions.js";
import { PRINCIPALS, type SpaceLayer } from "../../space/dimension.js";
import { Draft, type RequestJson, requestOf } from "../../space/draft.js";
import { DraftEvaluator } from "../../space/evaluator.js";
import type { SchemaEnforcement } from "../schema-formulas.js";
import type { About, ConditionStatement, Requirement } from "./statements.js";

/** Unknown globals are absent in every evaluation. */
const NO_GLOBALS: JsonMap = {};

export class StatementEvaluator {
  private readonly evaluators = new Map<SpaceLayer, Map<JsonMap, DraftEvaluator>>();

  /** Does a request meet all requirements that can be evaluated? */
  meets(request: RequestJson, required: readonly Requirement[]): boolean {
    return required.every(({ statement: { about }, is }) => {
      if (!this.isByItself(about)) return true;
      const value = this.value(about, request);
      return isMetBy(value, is);
    });
  }

  /** Undefined: the evaluation errs. */
  private value(about: About, request: RequestJson): boolean | undefined {
    switch (about.kind) {
      case "part":
        return this.part(about, request);
      case "role":
        return request.key.roles.some((role) => about.role.has(role));
      case "field": {
        const subject = { key: request.key, resource: request.resource, account: request.account }[about.subject];
        const value = subject?.[about.field] ?? "";
        return (about.field === "scope" ? withoutDot(value) : value) === about.value;
      }
      case "schemas":
        return about.enforcement !== undefined && isAccepted(about.enforcement, request);
    }
  }

  private part({ layer, expr, definitions, reading }: ConditionStatement, request: RequestJson): boolean | undefined {
    const { globals = NO_GLOBALS } = reading;
    const ofLayer = this.evaluators.get(layer) ?? new Map<JsonMap, DraftEvaluator>();
    this.evaluators.set(layer, ofLayer);
    const evaluator = ofLayer.get(globals) ?? new DraftEvaluator(layer, globals);
    ofLayer.set(globals, evaluator);
    const value = evaluator.value(expr, definitions, Draft.from(requestOf(request)), reading.types);
    return typeof value === "boolean" ? value : undefined;
  }

  /** Can a statement be evaluated on its own? A request alone does not tell which derived roles are active. */
  isByItself(about: About): boolean {
    if (about.kind === "schemas") return about.enforcement !== undefined;
    if (about.kind !== "part") return true;
    const expressions = reachable({ expressions: [about], definitions: about.definitions });
    return !expressions.some(({ expr }) => readsActiveRoleNames(expr));
  }
}

/** Do the attributes satisfy the schemas of a layer? */
function isAccepted({ layer, compiled }: SchemaEnforcement, request: RequestJson): boolean {
  const principal = request[PRINCIPALS[layer]] ?? { attr: {} };
  return compiled.schemaFaults(principal, { scope: "", ...request.resource }, request.operation).length === 0;
}

/** `value`: of the statement; undefined if its evaluation errs. */
function isMetBy(value: boolean | undefined, is: Requirement["is"]): boolean {
  switch (is) {
    case "so":
      return value === true;
    case "not so":
      return value === false;
    case "either":
      return value !== undefined;
    case "errs":
      return value === undefined;
    case "so or errs":
      return value !== false;
    case "not so or errs":
      return value !== true;
  }
}
