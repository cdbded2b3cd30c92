/**
 * Checked policies: every reference is resolved, every expression is parsed and checked. The loader passes them to the
 * engine, and nothing in them can fail to compile.
 *
 * Terms and rules are those of the Cerbos documentation, https://docs.cerbos.dev/cerbos/latest/policies/.
 */

import type { Expr } from "../cel/ast.js";
import type { JsonValue } from "../cel/json.js";
import type { CerbosLevel } from "../cel/levels.js";
import type { PolicyConfiguration } from "./configuration/configuration.js";
import type { PolicyIssue, SourcePosition } from "./issue.js";

export type PolicyEffect = "allow" | "deny";

/** A CEL expression of a policy file. */
export interface Expression {
  readonly source: string;
  readonly expr: Expr;
  /** The place in the file of the character at `offset` (UTF-16 units) of `source`. */
  position(offset: number): SourcePosition;
}

/** `condition.match`, as written. */
export type Condition =
  | { readonly kind: "expr"; readonly expr: Expression }
  | { readonly kind: "all" | "any" | "none"; readonly of: readonly Condition[] };

/**
 * The constants and variables that the expressions of one policy (or one set of derived roles) can read. Imported and
 * local ones share a namespace. Only those in use are listed, each variable after those it reads.
 */
export interface Definitions {
  readonly constants: ReadonlyMap<string, JsonValue>;
  /** A variable is evaluated when first read, at most once a decision. */
  readonly variables: ReadonlyMap<string, Expression>;
}

export const NO_DEFINITIONS: Definitions = { constants: new Map(), variables: new Map() };

/** `output.when`: the values to report when a rule's condition holds, and when it does not. */
export interface OutputExpressions {
  readonly ruleActivated: Expression | undefined;
  readonly conditionNotMet: Expression | undefined;
  /**
   * An expression that is written but has no effect: `output.expr`, or the expression that it replaces. It is still
   * checked.
   */
  readonly ignored?: Expression | undefined;
}

export interface Rule {
  /** As written, or the generated `rule-001`. */
  readonly name: string;
  /** Whether the name was written in the file. */
  readonly named: boolean;
  /** The reason that takes the place of a generated name (`rule-reason.ts`); undefined for a rule with a written name. */
  readonly derivedReason: string | undefined;
  readonly actions: readonly string[];
  /** The position of each entry of `actions`, in the same order. Absent in bundles. */
  readonly actionPositions?: readonly SourcePosition[];
  readonly effect: PolicyEffect;
  readonly condition: Condition | undefined;
  readonly output: OutputExpressions | undefined;
  readonly at: SourcePosition;
}

export interface ResourceRule extends Rule {
  /** `["*"]` if any entry was `*`. */
  readonly roles: readonly string[];
  /** Names that {@link ResourcePolicy.derivedRoles} resolves. */
  readonly derivedRoles: readonly string[];
  /** The position of each entry of `roles`, in the same order. Absent in bundles. */
  readonly rolePositions?: readonly SourcePosition[];
}

/** One entry of `actions` in a principal policy's rule for a resource. */
export interface PrincipalRule extends Rule {
  /** The resource kind, or a pattern of kinds, as written. */
  readonly resource: string;
  /**
   * The pattern or name to match against a request's sanitised kind: a pattern as written, a name in its sanitised form.
   */
  readonly resourceName: string;
}

/** The actions that a role policy allows on one resource kind, or on a pattern of kinds. */
export interface RolePolicyRule {
  /** As written; `""` if it has none. */
  readonly name: string;
  /** The resource kind, or a pattern of kinds, as written. */
  readonly resource: string;
  /**
   * The pattern or name to match against a request's sanitised kind: as written at level 0.55; a name in its sanitised
   * form at level 0.58.
   */
  readonly resourceName: string;
  readonly allowActions: readonly string[];
  /** Level 0.55: each of `allowActions` is a glob. Level 0.58: each is a name, except for `*`. */
  readonly allowsByGlobs: boolean;
  /** The position of each entry of `allowActions`, in the same order. Absent in bundles. */
  readonly actionPositions?: readonly SourcePosition[];
  readonly condition: Condition | undefined;
  readonly output: OutputExpressions | undefined;
  readonly at: SourcePosition;
}

/** A derived role, with the definitions of its set. */
export interface DerivedRole {
  readonly name: string;
  /** `["*"]` if any entry was `*`. */
  readonly parentRoles: readonly string[];
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  readonly at: SourcePosition;
}

export type ScopePermissions = "override_parent" | "require_parental_consent_for_allows";

/** A reference to a JSON Schema, resolved. */
export interface SchemaUse {
  readonly ref: string;
  readonly ignoreActions: readonly string[];
  readonly at: SourcePosition;
}

interface PolicyBase {
  /** Name as the server shows it: `resource.leave_request.v20210210/acme`. Unique in a set. */
  readonly key: string;
  readonly version: string;
  /** The position of the version, or of the name if no version is written. */
  readonly versionAt: SourcePosition;
  readonly scope: string;
  /** `metadata.annotations`: notes of the author for readers. They affect no decision. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly definitions: Definitions;
  readonly at: SourcePosition;
}

/** A resource policy. Without rules it only makes its scope exist. */
export interface ResourcePolicy extends PolicyBase {
  readonly kind: "resource";
  /** The resource kind, as written. */
  readonly name: string;
  /** The resource kind in the form that requests are matched by (see `names.ts`). */
  readonly resource: string;
  readonly scopePermissions: ScopePermissions;
  readonly rules: readonly ResourceRule[];
  /** The derived roles that some rule lists. */
  readonly derivedRoles: ReadonlyMap<string, DerivedRole>;
  /** The schemas that requests at this scope must satisfy: those of the root-most policy of this kind and version. */
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

/** Restricts a role in a scope to the listed actions, and gives the role the permissions of its parent roles. */
export interface RolePolicy extends PolicyBase {
  readonly kind: "role";
  readonly role: string;
  readonly parentRoles: readonly string[];
  readonly rules: readonly RolePolicyRule[];
}

export type AnyPolicy = ResourcePolicy | PrincipalPolicy | RolePolicy;

export type AnyRule = AnyPolicy["rules"][number];

/** A definition that nothing reads. */
export interface Unused {
  readonly kind: "variable" | "constant" | "derived_role" | "import" | "set";
  readonly name: string;
  readonly at: SourcePosition;
}

export interface PolicyModel {
  /** The level of the policy language that the policies are written in. */
  readonly level: CerbosLevel;
  readonly resourcePolicies: readonly ResourcePolicy[];
  readonly principalPolicies: readonly PrincipalPolicy[];
  readonly rolePolicies: readonly RolePolicy[];
  /** The scope permissions of each scope with a resource or principal policy. All policies of a scope agree. */
  readonly scopePermissions: ReadonlyMap<string, ScopePermissions>;
  /** The JSON Schemas in use, by reference (`cerbos:///key.json`). */
  readonly schemas: ReadonlyMap<string, JsonValue>;
  /** By kind, then in the order of files. */
  readonly unused: readonly Unused[];
  readonly warnings: readonly PolicyIssue[];
  /** The set's `keyward.yaml`. Undefined: the set has no such file, or the model comes from a bundle. */
  readonly configuration?: PolicyConfiguration | undefined;
}
