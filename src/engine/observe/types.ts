/** The types of traces: one layer's evaluation of one request, step by step, as plain data. */

import type { SourcePosition } from "../../policy/issue.js";
import type { PolicyEffect } from "../../policy/model.js";
import type { LayerEffect, LayerVerdict } from "../plan/verdict.js";

/** The state of a condition. It is `not_evaluated` if the condition was not needed or not reached. */
export type ConditionState = "true" | "false" | "error" | "not_evaluated";

/** A part of an expression and its value. */
export interface ExpressionTrace {
  /** The part as written. */
  readonly text: string;
  /** Where it stands in the expression's source, in UTF-16 code units; `end` is the offset after the last. */
  readonly start: number;
  readonly end: number;
  /** `value`: it has a non-boolean value. */
  readonly state: ConditionState | "value";
  /** The value in CEL's notation (`"u1"`, `3`, `["a"]`), cut short if it is long; absent if there is no value. */
  readonly value?: string;
  /** Why there is no value. */
  readonly error?: string;
  /** The absent attribute that causes the error, up to the first absent name of its path: `R.attr.limits.keys`. */
  readonly missing?: string;
  /** The operator, for `&&`, `||`, `!` and `?:`. Its value follows from those of its parts. */
  readonly logic?: "and" | "or" | "not" | "if";
  /** For `V.name`: the index of its definition in {@link PolicyTrace.variables}. */
  readonly variable?: number;
  /** The parts that have values of their own, in the order of the text. Constants are left out. */
  readonly parts: readonly ExpressionTrace[];
}

/** A node of `condition.match`. */
export type ConditionTrace =
  | {
      readonly kind: "expr";
      readonly state: ConditionState;
      readonly at: SourcePosition;
      readonly expression: ExpressionTrace;
    }
  | {
      readonly kind: "all" | "any" | "none";
      readonly state: ConditionState;
      readonly of: readonly ConditionTrace[];
    };

export interface VariableTrace {
  readonly name: string;
  readonly at: SourcePosition;
  /** Absent if nothing read the variable. */
  readonly expression: ExpressionTrace | undefined;
}

export interface DerivedRoleTrace {
  readonly name: string;
  readonly at: SourcePosition;
  readonly parentRoles: readonly string[];
  /** Of the principal's roles, and the roles that they include, those that are parent roles. */
  readonly matched: readonly string[];
  /** `inactive`: no parent role, or the condition does not hold. `not_evaluated`: no rule for the action lists it. */
  readonly state: "active" | "inactive" | "error" | "not_evaluated";
  readonly condition: ConditionTrace | undefined;
}

export interface OutputTrace {
  readonly when: "rule_activated" | "condition_not_met";
  readonly expression: ExpressionTrace;
}

/**
 * The state of a rule. The last four say why the rule has no effect, in the order in which they are tested. It is about
 * other resource kinds (principal and role policies), other actions or other roles; or the evaluation ended before it.
 */
export type RuleState = "met" | "unmet" | "error" | "other_kind" | "other_action" | "other_role" | "not_reached";

export interface RuleTrace {
  /** The rule's name, `""` in role policies. */
  readonly name: string;
  /** The reason that it gives when it decides: see `Reason.reason`. */
  readonly reason: string;
  readonly at: SourcePosition;
  /** The effect of the rule when it holds. A rule of a role policy restricts: it denies where it does not hold. */
  readonly effect: PolicyEffect | "restrict";
  /** An ALLOW rule of a scope that requires its parents' consent: it denies where its condition does not hold. */
  readonly vetoes: boolean;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly derivedRoles: readonly string[];
  /** The principal's roles that make the rule apply, directly or through an active derived role. */
  readonly matched: readonly string[];
  readonly state: RuleState;
  readonly condition: ConditionTrace | undefined;
  readonly outputs: readonly OutputTrace[];
  /** The verdict rests on this rule: it is among the verdict's reasons. */
  readonly decided: boolean;
}

export interface PolicyTrace {
  /** `resource.api.vdefault`. */
  readonly policy: string;
  readonly kind: "resource" | "principal" | "role";
  readonly scope: string;
  readonly at: SourcePosition;
  readonly variables: readonly VariableTrace[];
  readonly derivedRoles: readonly DerivedRoleTrace[];
  /** In the order of the file. */
  readonly rules: readonly RuleTrace[];
}

/** The result for one role of the principal. */
export interface RoleTrace {
  readonly role: string;
  /** The roles that it includes by role policies. */
  readonly includes: readonly string[];
  /** `none`: no rule allows or denies it. */
  readonly effect: LayerEffect | "error" | "none";
  /** The scope that decided; absent if no scope did. */
  readonly scope?: string;
}

export interface LayerTrace {
  readonly version: string;
  /** The engine's verdict. */
  readonly verdict: LayerVerdict;
  /**
   * The effect that follows from the rules in this trace; `deny` if the attributes do not satisfy the policies'
   * schemas.
   */
  readonly effect: LayerEffect;
  /** The policies consulted, in that order. */
  readonly policies: readonly PolicyTrace[];
  /** Empty if a principal policy decided. */
  readonly roles: readonly RoleTrace[];
}
