/** Resolves policies that requests are checked against: resolves references and checks expressions. */

import { isGlob } from "../glob.js";
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
  RawRoleRule,
  RawRule,
} from "../read/raw.js";
import { namesLikePatterns } from "../role-names.js";
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
  const rules = policy.rules.map((rule) => roleRuleOf(rule, resolving));
  return { ...head, kind: "role", role: name, parentRoles: policy.parentRoles, rules };
}

/** A rule as its level means it. Cerbos 0.56 changed how role policies match kinds, and 0.57 how they match actions. */
function roleRuleOf(rule: RawRoleRule, { expressions, log }: ResolveContext): RolePolicyRule {
  const { resource } = rule;
  if (expressions.level === "0.55") return { ...rule, resourceName: resource, allowsByGlobs: true };
  for (const { at, what } of namesLikePatterns(rule)) log.warning("shape", at, `${what}. List the actions`);
  return { ...rule, resourceName: isGlob(resource) ? resource : sanitise(resource), allowsByGlobs: false };
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
