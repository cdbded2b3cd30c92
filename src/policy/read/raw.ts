/** Raw policies: typed and parsed, but with unresolved references. */

import type { JsonValue } from "../../cel/json.js";
import type { SourcePosition } from "../issue.js";
import type { IssueLog } from "../issue-log.js";
import type {
  Condition,
  Expression,
  PrincipalRule,
  ResourceRule,
  RolePolicyRule,
  Rule,
  ScopePermissions,
} from "../model.js";

/** A reference by name. */
export interface NamedReference {
  readonly name: string;
  readonly at: SourcePosition;
}

export interface RawVariable extends NamedReference {
  readonly expr: Expression;
}

export interface RawConstant extends NamedReference {
  readonly value: JsonValue;
}

export interface RawDefinitions {
  readonly variableImports: readonly NamedReference[];
  /** Local variables, then those of the deprecated top-level field. */
  readonly variables: readonly RawVariable[];
  readonly constantImports: readonly NamedReference[];
  readonly constants: readonly RawConstant[];
}

interface RawBase {
  readonly name: string;
  /** The position of the name. */
  readonly at: SourcePosition;
  /** Syntax errors of expressions. They count as errors only if something uses the policy. */
  readonly faults: IssueLog;
}

export interface RawRule extends Omit<ResourceRule, keyof Rule>, Rule {
  readonly derivedRoleReferences: readonly NamedReference[];
}

export interface RawSchemaUse {
  readonly ref: string;
  readonly ignoreActions: readonly string[];
  readonly at: SourcePosition;
}

/** The identifying fields of policies that requests are checked against. */
export interface RawHead extends RawBase {
  /** The policy's full name, with kind, version and scope (`names.ts`). */
  readonly key: string;
  readonly version: string;
  /** The position of the version, or of the name if no version is written. */
  readonly versionAt: SourcePosition;
  readonly scope: string;
  /** The position of the scope, or of the name if no scope is written. */
  readonly scopeAt: SourcePosition;
  readonly annotations: ReadonlyMap<string, string>;
}

/** `scopePermissions` and its position, or the position of the name if it is not written. */
export interface RawScopePermissions {
  readonly value: ScopePermissions;
  readonly isWritten: boolean;
  readonly at: SourcePosition;
}

export interface RawResourcePolicy extends RawHead {
  readonly kind: "resourcePolicy";
  readonly scopePermissions: RawScopePermissions;
  readonly imports: readonly NamedReference[];
  readonly definitions: RawDefinitions;
  readonly rules: readonly RawRule[];
  readonly principalSchema: RawSchemaUse | undefined;
  readonly resourceSchema: RawSchemaUse | undefined;
}

export interface RawPrincipalPolicy extends RawHead {
  readonly kind: "principalPolicy";
  readonly scopePermissions: RawScopePermissions;
  readonly definitions: RawDefinitions;
  readonly rules: readonly PrincipalRule[];
}

/** A rule of a role policy, before the level of the set gives it its meaning. */
export type RawRoleRule = Omit<RolePolicyRule, "resourceName" | "allowsByGlobs">;

export interface RawRolePolicy extends RawHead {
  readonly kind: "rolePolicy";
  readonly parentRoles: readonly string[];
  readonly definitions: RawDefinitions;
  readonly rules: readonly RawRoleRule[];
}

/** Policies that requests are checked against. */
export type RawExecutable = RawResourcePolicy | RawPrincipalPolicy | RawRolePolicy;

export interface RawDerivedRole extends NamedReference {
  readonly parentRoles: readonly string[];
  readonly condition: Condition | undefined;
}

export interface RawDerivedRoles extends RawBase {
  readonly kind: "derivedRoles";
  readonly definitions: RawDefinitions;
  readonly roles: readonly RawDerivedRole[];
}

export interface RawExportVariables extends RawBase {
  readonly kind: "exportVariables";
  readonly variables: readonly RawVariable[];
}

export interface RawExportConstants extends RawBase {
  readonly kind: "exportConstants";
  readonly constants: readonly RawConstant[];
}

export type RawPolicy = RawExecutable | RawDerivedRoles | RawExportVariables | RawExportConstants;
