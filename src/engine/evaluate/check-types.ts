/** Checks as the Cerbos server has them: many actions of one principal on one resource. */

import type { JsonValue } from "../../cel/json.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { PlannedRule } from "../plan/plan.js";
import type { EvaluationError } from "../plan/verdict.js";
import type { Walked } from "../plan/walk.js";
import type { ValidationError } from "./attribute-schemas.js";

export interface CheckPrincipal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonMap;
  /** `""`: the default version. */
  readonly policyVersion: string;
  /** `""`: the default scope; `.`: the root although there is a default. */
  readonly scope: string;
}

export interface CheckResource {
  readonly kind: string;
  readonly id: string;
  readonly attr: JsonMap;
  readonly policyVersion: string;
  readonly scope: string;
}

export interface CheckInput {
  readonly principal: CheckPrincipal;
  readonly resource: CheckResource;
  readonly actions: readonly string[];
  /** The claims of the request's token. */
  readonly jwt: JsonMap;
  /** Those of its named tokens: `{ name: { claims } }`. */
  readonly jwts?: JsonMap;
  readonly now: Timestamp | undefined;
}

/** What the server takes from its configuration. */
export interface CheckOptions {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  /** `warn` reports what does not satisfy the schemas; `reject` denies it as well. */
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly globals: JsonMap;
}

/** What an `output` expression of a rule came to: a value, or why there is none. */
export interface CheckOutput {
  /** `<policy>#<rule>`. */
  readonly src: string;
  readonly action: string;
  readonly val?: JsonValue;
  readonly error?: string;
}

export interface ActionResult {
  readonly effect: "allow" | "deny";
  /** The policy as the server names it, `NO_MATCH` where there is none. */
  readonly policy: string;
  readonly scope: string;
  /** The rules that decided, as far as rules did. */
  readonly rules: ReadonlySet<PlannedRule>;
  /** How it came about; undefined where schemas denied before any rule was looked at. */
  readonly walked: Walked | undefined;
}

export interface CheckResult {
  readonly actions: ReadonlyMap<string, ActionResult>;
  /** Sorted by name. */
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly CheckOutput[];
  /** Whether a condition or an output asked for the clock. */
  readonly readsClock: boolean;
  /** Conditions of rules and outputs that erred, whether that denied (strictly) or counted as false. */
  readonly errors: readonly EvaluationError[];
  readonly validationErrors: readonly ValidationError[];
}
