/**
 * Policy files as plain data: the result of a YAML or JSON parser, before validation. Field names are in camelCase; the
 * naive evaluator and the generators know no other spelling.
 */

import type { JsonValue } from "../../src/cel/json.js";

export interface PolicyDocument {
  readonly apiVersion: string;
  readonly description?: string;
  readonly disabled?: boolean;
  /** The deprecated top-level form of `variables.local` (docs/cerbos-semantics.md §2.2). */
  readonly variables?: Named<string>;
  readonly resourcePolicy?: ResourcePolicyDocument;
  readonly principalPolicy?: PrincipalPolicyDocument;
  readonly rolePolicy?: RolePolicyDocument;
  readonly derivedRoles?: DerivedRolesDocument;
  readonly exportVariables?: { readonly name: string; readonly definitions: Named<string> };
  /** Not a policy: a JSON Schema that policies reference as `cerbos:///key.json`. */
  readonly schema?: { readonly ref: string; readonly value: Named<JsonValue> };
  readonly exportConstants?: { readonly name: string; readonly definitions: Named<JsonValue> };
}

export type PolicyDocuments = readonly PolicyDocument[];

export type Named<T> = { readonly [name: string]: T };

export interface ImportsAndLocals<T> {
  readonly import?: readonly string[];
  readonly local?: Named<T>;
}

/** Fields that resource policies and sets of derived roles share. */
export interface Definitions {
  readonly variables?: ImportsAndLocals<string>;
  readonly constants?: ImportsAndLocals<JsonValue>;
}

/** Fields that resource and principal policies share. Without a scope a policy is in the root. */
interface Scoped {
  readonly version: string;
  readonly scope?: string;
  readonly scopePermissions?: ScopePermissions;
}

export type ScopePermissions =
  | "SCOPE_PERMISSIONS_OVERRIDE_PARENT"
  | "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";

export interface ResourcePolicyDocument extends Definitions, Scoped {
  readonly resource: string;
  readonly importDerivedRoles?: readonly string[];
  readonly schemas?: {
    readonly principalSchema?: { readonly ref: string };
    readonly resourceSchema?: { readonly ref: string };
  };
  readonly rules?: readonly RuleDocument[];
}

/** Fields that rules of resource policies and actions of principal policies share. */
export interface RulingDocument {
  readonly name?: string;
  readonly effect: "EFFECT_ALLOW" | "EFFECT_DENY";
  readonly condition?: ConditionDocument;
  readonly output?: OutputDocument;
}

export interface ConditionDocument {
  readonly match: Match;
}

export interface RuleDocument extends RulingDocument {
  readonly actions: readonly string[];
  readonly roles?: readonly string[];
  readonly derivedRoles?: readonly string[];
}

export interface PrincipalPolicyDocument extends Definitions, Scoped {
  readonly principal: string;
  readonly rules?: readonly PrincipalRuleDocument[];
}

export interface PrincipalRuleDocument {
  readonly resource: string;
  readonly actions: readonly (RulingDocument & { readonly action: string })[];
}

export interface RolePolicyDocument extends Definitions {
  readonly role: string;
  /** Default: `default`. */
  readonly version?: string;
  readonly scope?: string;
  readonly parentRoles?: readonly string[];
  readonly rules?: readonly RolePolicyRuleDocument[];
}

export interface RolePolicyRuleDocument {
  readonly name?: string;
  readonly resource: string;
  readonly allowActions: readonly string[];
  readonly condition?: ConditionDocument;
  readonly output?: OutputDocument;
}

export interface OutputDocument {
  /** The deprecated form of `when.ruleActivated`. */
  readonly expr?: string;
  readonly when?: { readonly ruleActivated?: string; readonly conditionNotMet?: string };
}

export interface DerivedRolesDocument extends Definitions {
  readonly name: string;
  readonly definitions: readonly DerivedRoleDocument[];
}

export interface DerivedRoleDocument {
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition?: ConditionDocument;
}

export type Match =
  | { readonly expr: string }
  | { readonly all: { readonly of: readonly Match[] } }
  | { readonly any: { readonly of: readonly Match[] } }
  | { readonly none: { readonly of: readonly Match[] } };
