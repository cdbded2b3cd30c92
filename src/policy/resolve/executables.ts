/** Resolves policies that requests are checked against: resolves references and checks expressions. */

import { DEFAULT_LEVEL } from "../../cel/levels.js";
import { looksLikeGlob } from "../glob.js";
import type { SourcePosition } from "../issue.js";
import type {
  Expression,
  PrincipalPolicy,
  ResourcePolicy,
  ResourceRule,
  RolePolicy,
  RolePolicyRule,
  Rule,
} from "../model.js";
import { sanitise } from "../names.js";
import type {
  RawDefinitions,
  RawHead,
  RawPrincipalPolicy,
  RawResourcePolicy,
  RawRolePolicy,
  RawRule,
} from "../read/raw.js";
import type { SchemaFiles } from "../schemas.js";
import { type DerivedRoleSets, expressionsOf } from "./derived-roles.js";
import { Namespace, type ResolveContext } from "./namespace.js";
import { schemasFor } from "./schemas.js";

export function resolveResourcePolicy(
  policy: RawResourcePolicy,
  sets: DerivedRoleSets,
  schemas: SchemaFiles,
  resolving: ResolveContext,
): ResourcePolicy {
  const head = resolveHead(policy, policy.definitions, policy.rules.flatMap(expressionsOfRule), resolving);
  return {
    kind: "resource",
    resource: sanitise(policy.name),
    scopePermissions: policy.scopePermissions.value,
    rules: policy.rules.map(toRule),
    derivedRoles: sets.rolesOf(policy),
    ...schemasFor(policy, resolving.catalogue, schemas, resolving.log),
    ...head,
  };
}

export function resolvePrincipalPolicy(policy: RawPrincipalPolicy, resolving: ResolveContext): PrincipalPolicy {
  const head = resolveHead(policy, policy.definitions, policy.rules.flatMap(expressionsOfRule), resolving);
  return { kind: "principal", scopePermissions: policy.scopePermissions.value, rules: policy.rules, ...head };
}

export function resolveRolePolicy(policy: RawRolePolicy, resolving: ResolveContext): RolePolicy {
  const { name, ...head } = resolveHead(policy, policy.definitions, policy.rules.flatMap(expressionsOfRule), resolving);
  if (resolving.level !== DEFAULT_LEVEL) for (const rule of policy.rules) refuseChanged(rule, resolving);
  return { ...head, kind: "role", role: name, parentRoles: policy.parentRoles, rules: policy.rules };
}

/** Refuses what the rules of role policies mean otherwise since Cerbos 0.56 and 0.57. */
function refuseChanged(
  { resource, at, allowActions, actionPositions }: RolePolicyRule,
  resolving: ResolveContext,
): void {
  const { level, log } = resolving;
  const changed = (where: SourcePosition, what: string, hint: string) =>
    log.error("unsupported", where, `${what} has another meaning in Cerbos ${level}, which is not supported`, hint);
  for (const [i, action] of allowActions.entries()) {
    if (looksLikeGlob(action) && action !== "*")
      changed(actionPositions[i] ?? at, `the pattern "${action}"`, "list the actions, or write `*`");
  }
  if (sanitise(resource) !== resource)
    changed(at, `"${resource}" in a role policy`, "use a kind of letters, digits and _");
}

/**
 * The fields that all kinds share. Reports the problems of the policy's definitions and of `expressions`, its other
 * expressions.
 *
 * Callers spread the result after their own fields: V8 gives an object that begins with this many spread fields a hidden
 * class of its own.
 */
function resolveHead(
  { name, key, version, versionAt, scope, annotations, at, faults }: RawHead,
  definitions: RawDefinitions,
  expressions: readonly Expression[],
  resolving: ResolveContext,
) {
  resolving.log.addAll(faults.issues);
  const namespace = new Namespace(definitions, resolving);
  for (const expression of expressions) namespace.check(expression);
  const read = namespace.definitionsFor(expressions);
  return { name, key, version, versionAt, scope, annotations, at, definitions: read };
}

function expressionsOfRule({ condition, output }: Pick<Rule, "condition" | "output">): readonly Expression[] {
  const outputs = [output?.ruleActivated, output?.conditionNotMet, output?.ignored].filter(
    (each) => each !== undefined,
  );
  return [...expressionsOf(condition), ...outputs];
}

function toRule({ derivedRoleReferences: _, ...rule }: RawRule): ResourceRule {
  return rule;
}
