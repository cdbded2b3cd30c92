/** The actions that policies name, for searches of actions. */

import type { PolicySet } from "../decisions/policy-set.js";
import { isAboutKind, isPattern, targetsOf } from "../engine/plan/targets.js";
import { sanitise } from "../policy/names.js";

/** The names in the permission layer's rules about a kind, in the order of the policies. Patterns name no action. */
export function namedActions({ model, permission }: PolicySet, kind: string): readonly string[] {
  const policies = [...model.resourcePolicies, ...model.principalPolicies, ...model.rolePolicies].filter(
    ({ version }) => version === permission.version,
  );
  const targets = targetsOf(policies).filter((target) => isAboutKind(target, sanitise(kind)));
  return [...new Set(targets.flatMap((target) => target.actions.filter((action) => !isPattern(target, action))))];
}
