/** Checks as the Cerbos server does them: many actions of one principal on one resource. */

import type { JsonValue } from "../../cel/json.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { PlannedRule } from "../plan/plan.js";
import type { EvaluationError } from "../plan/verdict.js";
import type { WalkResult } from "../plan/walk.js";
import type { ValidationError } from "./attribute-schemas.js";

export interface CheckPrincipal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonMap;
  /** `""`: the default version. */
  readonly policyVersion: string;
  /** `""`: the default scope; `.`: the root, even if there is a default. */
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
  /** The claims of the request's named tokens: `{ name: { claims } }`. */
  readonly jwts?: JsonMap;
  readonly now: Timestamp | undefined;
}

/** The settings of the server's configuration that checks use. */
export interface CheckOptions {
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  /** `warn` reports attributes that do not satisfy the schemas; `reject` also denies. */
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly globals: JsonMap;
}

/** The value of an `output` expression of a rule, or its error. */
export interface CheckOutput {
  /** `<policy>#<rule>`. */
  readonly src: string;
  readonly action: string;
  readonly val?: JsonValue;
  readonly error?: string;
}

export interface ActionResult {
  readonly effect: "allow" | "deny";
  /** The policy as the server names it; `NO_MATCH` if there is no policy. */
  readonly policy: string;
  readonly scope: string;
  /** The rules that decided; empty if no rule did. */
  readonly rules: ReadonlySet<PlannedRule>;
  /** The walk; undefined if schemas denied before any rule was examined. */
  readonly walked: WalkResult | undefined;
}

export interface CheckResult {
  readonly actions: ReadonlyMap<string, ActionResult>;
  /** Sorted by name. */
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly CheckOutput[];
  /** Whether a condition or an output read the clock. */
  readonly readsClock: boolean;
  /** Errors in the conditions of rules and in outputs. A condition that erred denied (strictly) or counted as false. */
  readonly errors: readonly EvaluationError[];
  readonly validationErrors: readonly ValidationError[];
}
