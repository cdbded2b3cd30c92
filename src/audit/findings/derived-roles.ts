/** Mistakes in the lists of roles and derived roles of rules. */

import { compileGlob, isGlob } from "../../policy/glob.js";
import type { PolicyModel, ResourcePolicy } from "../../policy/model.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";
import type { RoleMention } from "./mentions.js";

const ANY = "*";

/**
 * Conditional derived roles beside a role that they narrow down. A rule applies to keys with one of its roles or one of its
 * derived roles, so the condition of the derived role changes nothing for that role.
 */
export function besideParents(policy: ResourcePolicy): readonly Finding[] {
  return policy.rules.flatMap((rule, i) =>
    rule.derivedRoles.flatMap((name): readonly Finding[] => {
      const derived = policy.derivedRoles.get(name);
      if (derived?.condition === undefined) return [];
      const isListed = (parent: string) => rule.roles.some((role) => covers(role, parent));
      const [parent, ...others] = derived.parentRoles.filter(isListed);
      if (parent === undefined) return [];
      const whom = parent === ANY ? "every role" : `the role ${[parent, ...others].join(", ")}`;
      const message = `rule ${rule.name} is for ${whom}, so the condition of the derived role ${name} changes nothing there`;
      const hint =
        "a rule is for its roles or its derived roles: if it is meant for the derived role alone, remove the role";
      return [
        {
          code: "idle_derived_role",
          severity: "warning",
          message,
          hint,
          ...rule.at,
          rule: ruleId(policy, i),
        },
      ];
    }),
  );
}

/** Does an entry of `roles` match all roles that a parent role matches? False negatives are possible for two globs. */
function covers(role: string, parent: string): boolean {
  if (role === ANY || role === parent) return true;
  return isGlob(role) && !isGlob(parent) && compileGlob(role)?.(parent) === true;
}

/** The mentions, under `roles`, of names that only derived roles have. `known`: the existing roles, if listed. */
export function derivedAmong(
  mentions: readonly RoleMention[],
  { resourcePolicies, unused }: PolicyModel,
  known: ReadonlySet<string> | undefined,
): readonly RoleMention[] {
  const derived = new Set([
    ...resourcePolicies.flatMap(({ derivedRoles }) => [...derivedRoles.keys()]),
    ...unused.flatMap(({ kind, name }) => (kind === "derived_role" ? [name] : [])),
  ]);
  const real = known ?? new Set(resourcePolicies.flatMap(parentsIn));
  return mentions.filter(({ role }) => derived.has(role) && !real.has(role));
}

export function derivedAsRole({ role, ...at }: RoleMention): Finding {
  const message = `${role} is a derived role, and this list is of roles that keys have`;
  const hint = "list it under derivedRoles, or name it in the roles of keyward.yaml if keys have a role of this name";
  return { code: "derived_role_as_role", severity: "warning", message, hint, ...at };
}

/** The roles that derived roles are made of. */
function parentsIn({ derivedRoles }: ResourcePolicy): readonly string[] {
  return [...derivedRoles.values()].flatMap(({ parentRoles }) => parentRoles);
}
