/** Documents as files, and the same documents in other orders. */

import fc from "fast-check";
import { stringify } from "yaml";
import type { PolicyDocument, PolicyDocuments, RuleDocument } from "../../reference/documents.js";
import { type Shuffle, shuffler } from "./shuffle.js";

export interface PolicyText {
  readonly path: string;
  readonly text: string;
}

/** One file a document, every other one in YAML's block style and in JSON, both named `.yaml`. Paths are unique. */
export function toFiles(documents: PolicyDocuments): PolicyText[] {
  return documents.map((document, i) => ({
    path: `${folder(document)}/${String(i + 1).padStart(2, "0")}.yaml`,
    text: i % 2 === 0 ? stringify(document) : JSON.stringify(document, null, 2),
  }));
}

function folder(document: PolicyDocument): string {
  const policy = document.resourcePolicy;
  if (policy === undefined) return "shared";
  return policy.version === "platform" ? "platform" : "permissions";
}

/**
 * The same policies with files, rules, actions, roles, derived roles and imports in other orders. Rules get the names
 * that they have by their place, so that these stay the same. What is ordered by meaning is left: `all`, `any` and
 * `none` lists, whose later parts may not be reached, and everything inside expressions.
 */
export function permuted(documents: PolicyDocuments): fc.Arbitrary<PolicyDocuments> {
  return fc.nat().map((seed) => {
    const shuffle = shuffler(seed);
    return shuffle(documents).map((document) => permutedDocument(document, shuffle));
  });
}

function permutedDocument(document: PolicyDocument, shuffle: Shuffle): PolicyDocument {
  const { resourcePolicy: policy, derivedRoles: set } = document;
  if (policy !== undefined) {
    const rules = policy.rules?.map((rule, i) => permutedRule(rule, i, shuffle));
    return {
      ...document,
      resourcePolicy: {
        ...policy,
        ...(policy.importDerivedRoles && { importDerivedRoles: shuffle(policy.importDerivedRoles) }),
        ...(rules && { rules: shuffle(rules) }),
      },
    };
  }
  if (set === undefined) return document;
  const definitions = set.definitions.map((role) => ({ ...role, parentRoles: shuffle(role.parentRoles) }));
  return { ...document, derivedRoles: { ...set, definitions: shuffle(definitions) } };
}

function permutedRule(rule: RuleDocument, i: number, shuffle: Shuffle): RuleDocument {
  return {
    ...rule,
    name: rule.name ?? `rule-${String(i + 1).padStart(3, "0")}`,
    actions: shuffle(rule.actions),
    ...(rule.roles && { roles: shuffle(rule.roles) }),
    ...(rule.derivedRoles && { derivedRoles: shuffle(rule.derivedRoles) }),
  };
}
