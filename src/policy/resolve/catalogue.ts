/** All policies of a set by name, each once. */

import type { IssueLog } from "../issue-log.js";
import { resourcePolicyKey } from "../names.js";
import type {
  RawDerivedRoles,
  RawExportConstants,
  RawExportVariables,
  RawPolicy,
  RawResourcePolicy,
} from "../read/raw.js";
import { Library, placeOf, type RefusedNames } from "./library.js";

export interface Catalogue {
  /** In the order of the files. */
  readonly resourcePolicies: readonly RawResourcePolicy[];
  readonly derivedRoles: Library<RawDerivedRoles>;
  readonly exportVariables: Library<RawExportVariables>;
  readonly exportConstants: Library<RawExportConstants>;
}

/** Files the policies by name. A name that is there already (for a resource kind: once sanitised) is an issue. */
export function catalogueOf(policies: readonly RawPolicy[], refused: RefusedNames, log: IssueLog): Catalogue {
  const resourcePolicies = new Map<string, RawResourcePolicy>();
  const derivedRoles = new Library<RawDerivedRoles>("derivedRoles", "derived roles", refused);
  const exportVariables = new Library<RawExportVariables>("exportVariables", "exported variables", refused);
  const exportConstants = new Library<RawExportConstants>("exportConstants", "exported constants", refused);
  for (const policy of policies) {
    switch (policy.kind) {
      case "resourcePolicy": {
        const key = resourcePolicyKey(policy.name, policy.version, "");
        const first = resourcePolicies.get(key);
        if (first === undefined) resourcePolicies.set(key, policy);
        else log.error("duplicate", policy.at, `the policy "${key}" is defined twice: first at ${placeOf(first)}`);
        break;
      }
      case "derivedRoles":
        derivedRoles.add(policy, log);
        break;
      case "exportVariables":
        exportVariables.add(policy, log);
        break;
      case "exportConstants":
        exportConstants.add(policy, log);
        break;
    }
  }
  return { resourcePolicies: [...resourcePolicies.values()], derivedRoles, exportVariables, exportConstants };
}
