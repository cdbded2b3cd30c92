/** The parts of a page that are about one resource kind each, and a last part for everything that is about none. */

import { grouped } from "../../../policy/groups.js";
import { sanitise } from "../../../policy/names.js";
import type { DerivedRoleFacts, NameFacts, Review, ReviewedOperation, RuleFacts } from "../types.js";

export interface PageKind {
  /** Ids on the page begin with it: `k3`. */
  readonly anchor: string;
  /** Absent: rules of principal and role policies. */
  readonly kind?: string;
  readonly operations: readonly ReviewedOperation[];
  readonly rules: readonly RuleFacts[];
  readonly derivedRoles: readonly DerivedRoleFacts[];
  readonly names: readonly NameFacts[];
}

/** No resource kind has this name. */
const NO_KIND = "\0";

export function kindsOfPage({ operations, rules, derivedRoles, names }: Review): readonly PageKind[] {
  const kindOf = (rule: RuleFacts) => (rule.policyKind === "resource" ? sanitise(rule.kind) : NO_KIND);
  const byPolicy = new Map(rules.map((rule) => [rule.policy, kindOf(rule)]));
  const ofPolicy = (policy: string) => byPolicy.get(policy) ?? NO_KIND;
  const groups = {
    operations: grouped(operations, ({ kind }) => sanitise(kind)),
    rules: grouped(rules, kindOf),
    derivedRoles: grouped(derivedRoles, ({ policy }) => ofPolicy(policy)),
    names: grouped(names, ({ owner }) => ofPolicy(policyOf(owner))),
  };
  const kinds = new Set([...groups.operations.keys(), ...groups.rules.keys(), ...groups.names.keys()]);
  kinds.delete(NO_KIND);
  const all = [...kinds, ...(groups.rules.has(NO_KIND) || groups.names.has(NO_KIND) ? [NO_KIND] : [])];
  return all.map((kind, i) => {
    const of = {
      operations: groups.operations.get(kind) ?? [],
      rules: groups.rules.get(kind) ?? [],
      derivedRoles: groups.derivedRoles.get(kind) ?? [],
      names: groups.names.get(kind) ?? [],
    };
    const written = of.operations[0]?.kind ?? of.rules[0]?.kind ?? kind;
    return { anchor: `k${i + 1}`, ...(kind === NO_KIND ? {} : { kind: written }), ...of };
  });
}

/** The policy of the owner of a name: `resource.api.vdefault` of `resource.api.vdefault@owner`. */
function policyOf(owner: string): string {
  return owner.replace(/@[\w.-]+$/, "");
}
