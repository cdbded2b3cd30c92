/**
 * Checked policies: every reference resolved, every expression parsed and checked. This is what the loader
 * hands to the engine; nothing in it can fail to compile.
 *
 * Terms and rules are those of the Cerbos documentation, https://docs.cerbos.dev/cerbos/latest/policies/.
 */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import type { PolicyIssue, Position } from "./issue.js";

export type Effect = "allow" | "deny";

/** A CEL expression of a policy file. */
export interface Expression {
  readonly source: string;
  readonly expr: Expr;
  /** The place in the file of the character at `offset` (UTF-16 units) of `source`. */
  position(offset: number): Position;
}

/** `condition.match`, as written. */
export type Condition =
  | { readonly kind: "expr"; readonly expr: Expression }
  | { readonly kind: "all" | "any" | "none"; readonly of: readonly Condition[] };

/** A variable: evaluated at most once a decision, when first read. */
export interface Variable {
  readonly name: string;
  readonly expr: Expression;
}

/**
 * The constants and variables that the expressions of one policy (or one set of derived roles) can read:
 * imported and local in one namespace, only those used, each variable after those it reads.
 */
export interface Definitions {
  readonly constants: ReadonlyMap<string, JsonValue>;
  readonly variables: readonly Variable[];
}

/** `output.when`: what to report when a rule's condition holds, and when it does not. */
export interface OutputExpressions {
  readonly ruleActivated: Expression | undefined;
  readonly conditionNotMet: Expression | undefined;
  /** What is written beside them and has no effect: `output.expr`, or what it replaces. It is checked all the same. */
  readonly ignored?: Expression | undefined;
}

export interface Rule {
  /** As written, or the generated `rule-001`. */
  readonly name: string;
  /** Whether the name was written in the file. */
  readonly named: boolean;
  readonly actions: readonly string[];
  /** Where each entry of `actions` stands, in their order. */
  readonly actionPositions: readonly Position[];
  readonly effect: Effect;
  readonly condition: Condition | undefined;
  readonly output: OutputExpressions | undefined;
  readonly at: Position;
}

export interface ResourceRule extends Rule {
  /** `["*"]` if any entry was `*`. */
  readonly roles: readonly string[];
  /** Names that {@link ResourcePolicy.derivedRoles} resolves. */
  readonly derivedRoles: readonly string[];
  /** Where each entry of `roles` stands, in their order. */
  readonly rolePositions: readonly Position[];
}

/** One entry of `actions` in a principal policy's rule for a resource. */
export interface PrincipalRule extends Rule {
  /** The resource kind, or a pattern of kinds, as written. */
  readonly resource: string;
  /** What a request's kind, sanitised, is matched against: a pattern as written, a name in its sanitised form. */
  readonly resourceName: string;
}

/** What a role policy allows on one resource kind, or on a pattern of kinds. */
export interface RolePolicyRule {
  /** As written; `""` if it has none. */
  readonly name: string;
  /** As written: role policies match a request's sanitised kind by it as it is. */
  readonly resource: string;
  /** Patterns of actions, each matched as a glob. */
  readonly allowActions: readonly string[];
  /** Where each entry of `allowActions` stands, in their order. */
  readonly actionPositions: readonly Position[];
  readonly condition: Condition | undefined;
  readonly output: OutputExpressions | undefined;
  readonly at: Position;
}

/** A derived role, with the definitions of the set that it comes from. */
export interface DerivedRole {
  readonly name: string;
  /** `["*"]` if any entry was `*`. */
  readonly parentRoles: readonly string[];
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  readonly at: Position;
}

export type ScopePermissions = "override_parent" | "require_parental_consent_for_allows";

/** A reference to a JSON Schema, resolved. */
export interface SchemaUse {
  readonly ref: string;
  readonly ignoreActions: readonly string[];
  readonly at: Position;
}

interface PolicyBase {
  /** Name as the server shows it: `resource.leave_request.v20210210/acme`. Unique in a set. */
  readonly key: string;
  readonly version: string;
  /** Where the version stands; where the name does if it is not written. */
  readonly versionAt: Position;
  readonly scope: string;
  /** `metadata.annotations`: what the author says of the policy to whoever reads it. It decides nothing. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly definitions: Definitions;
  readonly at: Position;
}

/** May have no rules: then it only makes its scope exist. */
export interface ResourcePolicy extends PolicyBase {
  readonly kind: "resource";
  /** The resource kind, as written. */
  readonly name: string;
  /** The resource kind in the form requests are matched by (see `names.ts`). */
  readonly resource: string;
  readonly scopePermissions: ScopePermissions;
  readonly rules: readonly ResourceRule[];
  /** The derived roles that some rule lists. */
  readonly derivedRoles: ReadonlyMap<string, DerivedRole>;
  /** The schemas that requests at this scope are held to: those of the root-most policy of this kind and version. */
  readonly principalSchema: SchemaUse | undefined;
  readonly resourceSchema: SchemaUse | undefined;
}

export interface PrincipalPolicy extends PolicyBase {
  readonly kind: "principal";
  /** The principal's id, as written; ids are matched exactly. */
  readonly name: string;
  readonly scopePermissions: ScopePermissions;
  /** One for each action entry, in the order of the file. */
  readonly rules: readonly PrincipalRule[];
}

/** Restricts a role in a scope to what it lists, and gives it the permissions of its parents. */
export interface RolePolicy extends PolicyBase {
  readonly kind: "role";
  readonly role: string;
  readonly parentRoles: readonly string[];
  readonly rules: readonly RolePolicyRule[];
}

export type AnyPolicy = ResourcePolicy | PrincipalPolicy | RolePolicy;

export type AnyRule = AnyPolicy["rules"][number];

/** Something that is defined, and that nothing reads. */
export interface Unused {
  readonly kind: "variable" | "constant" | "derived_role" | "import" | "set";
  readonly name: string;
  readonly at: Position;
}

export interface PolicyModel {
  readonly resourcePolicies: readonly ResourcePolicy[];
  readonly principalPolicies: readonly PrincipalPolicy[];
  readonly rolePolicies: readonly RolePolicy[];
  /** For each scope that has a resource or principal policy, what all of them say. */
  readonly scopePermissions: ReadonlyMap<string, ScopePermissions>;
  /** The JSON Schemas in use, by reference (`cerbos:///key.json`). */
  readonly schemas: ReadonlyMap<string, JsonValue>;
  /** By kind, then in the order of files. */
  readonly unused: readonly Unused[];
  readonly warnings: readonly PolicyIssue[];
}
