/** Makes a policy set and a request on which two evaluators differ as small as it can, for a person to look at. */

import type { PlainRequest } from "../property/arbitraries/index.js";
import type { PolicyDocument, PolicyDocuments } from "../reference/documents.js";

export interface Case {
  readonly documents: PolicyDocuments;
  readonly request: PlainRequest;
}

/** Leaves out documents, rules, parts of rules and attributes, as long as `differs` still holds. */
export function minimise(start: Case, differs: (candidate: Case) => boolean): Case {
  let smallest = start;
  for (;;) {
    const smaller = [...smallerCases(smallest)].find((candidate) => holds(differs, candidate));
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

/** What is left may not be a policy set any more. */
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
  for (const roles of withoutOne(request.key.roles)) {
    yield { documents, request: { ...request, key: { ...request.key, roles } } };
  }
}

function* smallerDocuments(document: PolicyDocument): Generator<PolicyDocument> {
  const { resourcePolicy: policy, derivedRoles: set } = document;
  if (set !== undefined) {
    for (const definitions of withoutOne(set.definitions)) yield { ...document, derivedRoles: { ...set, definitions } };
  }
  if (policy === undefined) return;
  for (const field of ["variables", "constants", "importDerivedRoles"] as const) {
    const { [field]: left, ...rest } = policy;
    if (left !== undefined) yield { ...document, resourcePolicy: rest };
  }
  const rules = policy.rules ?? [];
  for (const fewer of withoutOne(rules)) yield { ...document, resourcePolicy: { ...policy, rules: fewer } };
  for (const [i, rule] of rules.entries()) {
    for (const field of ["condition", "output", "derivedRoles", "roles"] as const) {
      const { [field]: left, ...rest } = rule;
      if (left !== undefined) {
        yield { ...document, resourcePolicy: { ...policy, rules: rules.toSpliced(i, 1, rest) } };
      }
    }
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
