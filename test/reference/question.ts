/**
 * The question to one layer, and the policies that apply to it: scopes, versions and roles (docs/cerbos-semantics.md
 * §2.4, §2.7 and §2.13).
 */

import type { PolicyDocument, PolicyDocuments, RolePolicyDocument } from "./documents.js";
import { policyKey, restrictedKindMatches, sanitised, scopeOf } from "./names.js";
import { type Request, requestNames, type Schemas, type Subject } from "./request.js";
import type { Val } from "./values.js";

export interface Question extends Request {
  /** Enabled documents: a disabled policy counts as absent (§2.1). */
  readonly documents: PolicyDocuments;
  /** The version of the layer's policies. */
  readonly version: string;
  /** The resource's kind, sanitized. */
  readonly kind: string;
  /** The scopes to search for principal policies, and for resource and role policies; the most specific first. */
  readonly principalChain: readonly string[];
  readonly resourceChain: readonly string[];
  /** The names for all expressions, except definitions, globals and `runtime`. */
  readonly names: ReadonlyMap<string, Val>;
}

export function questionOf(all: PolicyDocuments, version: string, request: Request): Question {
  const documents = all.filter((document) => document.disabled !== true);
  const question = {
    ...request,
    documents,
    version,
    kind: sanitised(request.resource.kind),
    principalChain: chain(principalScopes(documents), request.principal),
    resourceChain: chain(resourceScopes(documents), request.resource),
    names: new Map(),
  };
  return { ...question, names: requestNames(request, schemasOf(question)) };
}

/** §2.12: the schemas of the policy in the root, if the most specific scope has a policy for the kind. */
function schemasOf(question: Question): Schemas {
  const [scope] = question.resourceChain;
  const isUsed = scope !== undefined && resourcePolicyAt(question, scope) !== undefined;
  const uses = isUsed ? resourcePolicyAt(question, "")?.policy.schemas : undefined;
  const named = (use: { readonly ref: string } | undefined) =>
    question.documents.find(({ schema }) => schema !== undefined && schema.ref === use?.ref)?.schema?.value;
  return { principal: named(uses?.principalSchema), resource: named(uses?.resourceSchema) };
}

/** `a.b.c`, `a.b`, `a` and the root. */
function withParents(scope: string): readonly string[] {
  const parts = scope === "" ? [] : scope.split(".");
  return [...parts.map((_, i) => parts.slice(0, parts.length - i).join(".")), ""];
}

/** §2.7: for an unknown scope neither the scope nor its parents are searched; unknown parents are skipped. */
function chain(known: readonly string[], subject: Subject): readonly string[] {
  const scope = scopeOf(subject);
  return known.includes(scope) ? withParents(scope).filter((one) => known.includes(one)) : [];
}

function principalScopes(documents: PolicyDocuments): readonly string[] {
  return documents.flatMap(({ principalPolicy }) => (principalPolicy ? [scopeOf(principalPolicy)] : []));
}

/** §2.7: a resource policy, or a role policy with rules, of any kind and version makes its scope known. */
function resourceScopes(documents: PolicyDocuments): readonly string[] {
  return documents.flatMap(({ resourcePolicy, rolePolicy }) => {
    if (resourcePolicy) return [scopeOf(resourcePolicy)];
    return rolePolicy && restricts(rolePolicy) ? [scopeOf(rolePolicy)] : [];
  });
}

function restricts({ rules = [] }: RolePolicyDocument): boolean {
  return rules.length > 0;
}

/**
 * §2.7: scope permissions belong to the scope, and any of its policies may state them. The loader checks that they
 * agree.
 */
export function requiresConsent({ documents }: Question, scope: string): boolean {
  return documents.some(({ resourcePolicy, principalPolicy }) => {
    const policy = resourcePolicy ?? principalPolicy;
    if (policy === undefined || scopeOf(policy) !== scope) return false;
    return policy.scopePermissions === "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
  });
}

/** The scope and version of a policy. */
interface Placed {
  readonly version?: string;
  readonly scope?: string;
}

function at<P extends Placed>(
  { documents, version }: Question,
  scope: string,
  policyOf: (d: PolicyDocument) => P | undefined,
) {
  return documents.flatMap((document) => {
    const policy = policyOf(document);
    if (policy === undefined || (policy.version ?? "default") !== version || scopeOf(policy) !== scope) return [];
    return [{ document, policy }];
  });
}

export function resourcePolicyAt(question: Question, scope: string) {
  const policies = at(question, scope, (document) => document.resourcePolicy);
  return policies.find(({ policy }) => sanitised(policy.resource) === question.kind);
}

/** Ids are compared literally (§2.8). */
export function principalPolicyAt(question: Question, scope: string) {
  const policies = principalPoliciesAt(question, scope);
  return policies.find(({ policy }) => policy.principal === question.principal.id);
}

function principalPoliciesAt(question: Question, scope: string) {
  return at(question, scope, (document) => document.principalPolicy);
}

function rolePoliciesAt(question: Question, scope: string) {
  const policies = at(question, scope, (document) => document.rolePolicy);
  return policies.filter(({ policy }) => restricts(policy));
}

/** The role policies of a scope for the given roles, in the order of the roles. */
export function rolePoliciesFor(question: Question, scope: string, roles: readonly string[]) {
  const policies = rolePoliciesAt(question, scope);
  return roles.flatMap((role) => policies.filter(({ policy }) => policy.role === role));
}

/** Does a role policy of the scope, for a role that `isOf` accepts, have a rule about the kind? */
export function hasRoleRule(question: Question, scope: string, isOf: (role: string) => boolean = () => true): boolean {
  return rolePoliciesAt(question, scope).some(
    ({ policy }) =>
      isOf(policy.role) && policy.rules?.some((rule) => restrictedKindMatches(rule.resource, question.kind)),
  );
}

/** §2.6.1: do the principal's scopes have any principal policy, for any principal? */
export function hasPrincipalPolicy(question: Question): boolean {
  return question.principalChain.some((scope) => principalPoliciesAt(question, scope).length > 0);
}

/** §2.6.1: do the resource's scopes have a resource or role policy for the kind? */
export function hasResourcePolicy(question: Question): boolean {
  return question.resourceChain.some(
    (scope) => resourcePolicyAt(question, scope) !== undefined || hasRoleRule(question, scope),
  );
}

/** §2.6: the name of a resource policy in the most specific searched scope. */
export function resourceKey(question: Question): string {
  if (!hasResourcePolicy(question)) return "NO_MATCH";
  return policyKey("resource", question.kind, question.version, question.resourceChain[0] ?? "");
}

export function principalKey({ principal, version, principalChain }: Question): string {
  return policyKey("principal", principal.id, version, principalChain[0] ?? "");
}

/**
 * A role and all roles that it includes, the nearest first. Equally near roles are sorted by name, so the order in a
 * policy has no effect (§2.13: parents are looked up in exactly the scope of the request). Policies of the layer's
 * version state the included roles; without any, policies of other versions do.
 */
export function namesOf(question: Question, role: string): readonly string[] {
  const names: string[] = [];
  let nearest = [role];
  while (nearest.length > 0) {
    names.push(...nearest.sort());
    const parents = new Set(nearest.flatMap((name) => parentsOf(question, name)));
    nearest = [...parents].filter((name) => !names.includes(name));
  }
  return names;
}

function parentsOf({ documents, version, resource, resourceChain }: Question, role: string): readonly string[] {
  const scope = scopeOf(resource);
  if (!resourceChain.includes(scope)) return [];
  const policies = documents.flatMap(({ rolePolicy: policy }) =>
    policy?.role === role && scopeOf(policy) === scope ? [policy] : [],
  );
  const own = policies.filter((policy) => (policy.version ?? "default") === version);
  return (own.length > 0 ? own : policies).flatMap((policy) => policy.parentRoles ?? []);
}
