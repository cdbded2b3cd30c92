/** Derived roles: their definitions, their candidates, and the active ones (docs/cerbos-semantics.md §2.9). */

import type { Definitions, DerivedRoleDocument, ResourcePolicyDocument } from "./documents.js";
import { environment, NO_ROLES, required } from "./environment.js";
import { actionMatches } from "./glob.js";
import { namesOf, type Question, resourcePolicyAt } from "./question.js";
import { matchHolds } from "./rules.js";

/** §2.8: the roles that match an entry of the list; entries with an asterisk are patterns. */
export function matchingRoles(listed: readonly string[], roles: readonly string[]): readonly string[] {
  return roles.filter((role) => listed.some((entry) => actionMatches(entry, role)));
}

/** §2.9: an active derived role requires its literal parent role, or any role for `*`. */
function isHeld({ parentRoles }: DerivedRoleDocument, held: readonly string[]): boolean {
  return held.length > 0 && parentRoles.some((parent) => parent === "*" || held.includes(parent));
}

export interface FoundRole {
  readonly set: Definitions;
  readonly role: DerivedRoleDocument;
}

/** A derived role by name, in the sets that the policy imports. */
export function derivedRole({ documents }: Question, policy: ResourcePolicyDocument, name: string): FoundRole {
  const sets = (policy.importDerivedRoles ?? []).map((imported) => {
    const found = documents.find((document) => document.derivedRoles?.name === imported);
    return required(found?.derivedRoles, imported);
  });
  const found = sets.flatMap((set) => set.definitions.map((role) => ({ set, role })));
  return required(
    found.find(({ role }) => role.name === name),
    name,
  );
}

/**
 * `runtime.effectiveDerivedRoles` at a scope: the derived roles that "some rule of that policy" lists, for any action,
 * and that the principal may have by any of its roles while their condition holds. "Inside a derived-role condition it
 * reflects the previous scope's set (normally empty) during activation": empty here.
 */
export function effectiveDerivedRoles(question: Question, scope: string): readonly string[] | "error" {
  const policy = resourcePolicyAt(question, scope)?.policy;
  if (policy === undefined) return [];
  const held = question.principal.roles.flatMap((role) => namesOf(question, role));
  const listed = new Set((policy.rules ?? []).flatMap((rule) => rule.derivedRoles ?? []));
  const roles = [...listed].map((name) => derivedRole(question, policy, name)).filter(({ role }) => isHeld(role, held));
  const answers = roles.map(({ set, role }) => ({
    name: role.name,
    holds: matchHolds(role.condition?.match, environment(question, set, undefined, NO_ROLES), () => {}),
  }));
  if (answers.some(({ holds }) => holds === "error")) return "error";
  return answers.filter(({ holds }) => holds === true).map(({ name }) => name);
}
