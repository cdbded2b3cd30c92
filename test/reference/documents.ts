/**
 * Policy files as plain data: what a YAML or JSON parser makes of them, before anything is checked. Field names are
 * the camelCase ones; the naive evaluator and the generators know no others.
 */

import type { JsonValue } from "../../src/cel/json.js";

export interface PolicyDocument {
  readonly apiVersion: string;
  readonly description?: string;
  readonly disabled?: boolean;
  /** The deprecated top-level form of `variables.local` (cerbos.md §2.2). */
  readonly variables?: Named<string>;
  readonly resourcePolicy?: ResourcePolicyDocument;
  readonly derivedRoles?: DerivedRolesDocument;
  readonly exportVariables?: { readonly name: string; readonly definitions: Named<string> };
  readonly exportConstants?: { readonly name: string; readonly definitions: Named<JsonValue> };
}

export type PolicyDocuments = readonly PolicyDocument[];

export type Named<T> = { readonly [name: string]: T };

export interface ImportsAndLocals<T> {
  readonly import?: readonly string[];
  readonly local?: Named<T>;
}

/** The part that resource policies and sets of derived roles share. */
export interface Definitions {
  readonly variables?: ImportsAndLocals<string>;
  readonly constants?: ImportsAndLocals<JsonValue>;
}

export interface ResourcePolicyDocument extends Definitions {
  readonly resource: string;
  readonly version: string;
  readonly importDerivedRoles?: readonly string[];
  readonly rules?: readonly RuleDocument[];
}

export interface RuleDocument {
  readonly name?: string;
  readonly actions: readonly string[];
  readonly roles?: readonly string[];
  readonly derivedRoles?: readonly string[];
  readonly effect: "EFFECT_ALLOW" | "EFFECT_DENY";
  readonly condition?: { readonly match: Match };
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
  readonly condition?: { readonly match: Match };
}

export type Match =
  | { readonly expr: string }
  | { readonly all: { readonly of: readonly Match[] } }
  | { readonly any: { readonly of: readonly Match[] } }
  | { readonly none: { readonly of: readonly Match[] } };
