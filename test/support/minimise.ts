/** Minimizes a policy set and a request on which two evaluators differ, for a person to read. */

import type { PlainRequest } from "../property/arbitraries/index.js";
import type {
  PolicyDocument,
  PolicyDocuments,
  PrincipalPolicyDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
  RuleDocument,
} from "../reference/documents.js";

export interface Case {
  readonly documents: PolicyDocuments;
  readonly request: PlainRequest;
}

/** Leaves out documents, rules, parts of rules and attributes while `differs` still holds. */
export function minimise(start: Case, differs: (candidate: Case) => boolean): Case {
  let smallest = start;
  for (;;) {
    const smaller = [...smallerCases(smallest)].find((candidate) => holds(differs, candidate));
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

/** False if the remaining documents are not a valid policy set. */
function holds(differs: (candidate: Case) => boolean, candidate: Case): boolean {
  try {
    return differs(candidate);
  } catch {
    return false;
  }
}

function* smallerCases({ documents, request }: Case): Generator<Case> {
  for (let i = 0; i < documents.length; i++) yield { documents: documents.toSpliced(i, 1), request };
  for (const [i, document] of documents.entries()) {
    for (const smaller of smallerDocuments(document)) yield { documents: documents.toSpliced(i, 1, smaller), request };
  }
  for (const subject of ["key", "resource", "account"] as const) {
    for (const attr of without(request[subject].attr)) {
      yield { documents, request: { ...request, [subject]: { ...request[subject], attr } } };
    }
  }
  for (const subject of ["key", "resource", "account"] as const) {
    const { scope, ...rest } = request[subject];
    if (scope !== undefined) yield { documents, request: { ...request, [subject]: rest } };
  }
  for (const roles of withoutOne(request.key.roles)) {
    yield { documents, request: { ...request, key: { ...request.key, roles } } };
  }
}

function* smallerDocuments(document: PolicyDocument): Generator<PolicyDocument> {
  const { resourcePolicy, principalPolicy, rolePolicy, derivedRoles: set } = document;
  if (set !== undefined) {
    for (const definitions of withoutOne(set.definitions)) yield { ...document, derivedRoles: { ...set, definitions } };
    for (const smaller of withoutAny(set, ["variables", "constants"])) yield { ...document, derivedRoles: smaller };
  }
  if (resourcePolicy !== undefined) {
    for (const smaller of smallerResourcePolicies(resourcePolicy)) yield { ...document, resourcePolicy: smaller };
  }
  if (principalPolicy !== undefined) {
    for (const smaller of smallerPrincipalPolicies(principalPolicy)) yield { ...document, principalPolicy: smaller };
  }
  if (rolePolicy !== undefined) {
    for (const smaller of smallerRolePolicies(rolePolicy)) yield { ...document, rolePolicy: smaller };
  }
}

function* smallerResourcePolicies(policy: ResourcePolicyDocument): Generator<ResourcePolicyDocument> {
  yield* withoutAny(policy, ["variables", "constants", "importDerivedRoles", "scopePermissions"]);
  yield* withSmaller(policy.rules ?? [], smallerRules, (rules) => ({ ...policy, rules }));
}

function* smallerRules(rule: RuleDocument): Generator<RuleDocument> {
  yield* withoutAny(rule, ["condition", "output", "derivedRoles", "roles"]);
  for (const actions of withoutOne(rule.actions)) yield { ...rule, actions };
  for (const derivedRoles of withoutOne(rule.derivedRoles ?? [])) yield { ...rule, derivedRoles };
}

function* smallerPrincipalPolicies(policy: PrincipalPolicyDocument): Generator<PrincipalPolicyDocument> {
  yield* withoutAny(policy, ["variables", "constants", "scopePermissions"]);
  yield* withSmaller(
    policy.rules ?? [],
    function* (rule) {
      yield* withSmaller(
        rule.actions,
        (action) => withoutAny(action, ["condition", "output"]),
        (actions) => ({ ...rule, actions }),
      );
    },
    (rules) => ({ ...policy, rules }),
  );
}

function* smallerRolePolicies(policy: RolePolicyDocument): Generator<RolePolicyDocument> {
  yield* withoutAny(policy, ["parentRoles"]);
  for (const parentRoles of withoutOne(policy.parentRoles ?? [])) yield { ...policy, parentRoles };
  yield* withSmaller(
    policy.rules ?? [],
    (rule) => withoutAny(rule, ["condition"]),
    (rules) => ({ ...policy, rules }),
  );
}

/** For each item, the results of `make` for the items without it, and with it made smaller. */
function* withSmaller<T, R>(
  items: readonly T[],
  smaller: (item: T) => Iterable<T>,
  make: (items: readonly T[]) => R,
): Generator<R> {
  for (const fewer of withoutOne(items)) yield make(fewer);
  for (const [i, item] of items.entries()) for (const one of smaller(item)) yield make(items.toSpliced(i, 1, one));
}

/** Copies of the object, each without one of the given fields that it has. */
function* withoutAny<T extends object>(value: T, fields: readonly (keyof T)[]): Generator<T> {
  for (const field of fields) {
    if (value[field] === undefined) continue;
    const copy = { ...value };
    Reflect.deleteProperty(copy, field);
    yield copy;
  }
}

function withoutOne<T>(items: readonly T[]): T[][] {
  return items.length < 2 ? [] : items.map((_, i) => items.toSpliced(i, 1));
}

function without<T extends object>(value: T): T[] {
  return Object.keys(value).map((key) => {
    const copy = { ...value };
    Reflect.deleteProperty(copy, key);
    return copy;
  });
}
