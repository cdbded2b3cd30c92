/** The policies of a set by name, without duplicates. */

import type { IssueLog } from "../issue-log.js";
import type { MissingDefinitions } from "../read/missing-definitions.js";
import type {
  RawDerivedRoles,
  RawExecutable,
  RawExportConstants,
  RawExportVariables,
  RawPolicy,
  RawPrincipalPolicy,
  RawResourcePolicy,
  RawRolePolicy,
} from "../read/raw.js";
import { ImportableSets, importLocationText } from "./importable-sets.js";

/** Policies are in the order of their files. */
export interface Catalogue {
  /** Policies that requests are checked against, of every kind, by key. */
  readonly byKey: ReadonlyMap<string, RawExecutable>;
  readonly resourcePolicies: readonly RawResourcePolicy[];
  readonly principalPolicies: readonly RawPrincipalPolicy[];
  readonly rolePolicies: readonly RawRolePolicy[];
  readonly derivedRoles: ImportableSets<RawDerivedRoles>;
  readonly exportVariables: ImportableSets<RawExportVariables>;
  readonly exportConstants: ImportableSets<RawExportConstants>;
}

/** Indexes the policies by name. A repeated name is an issue; policies with a key are compared after sanitising. */
export function catalogueOf(policies: readonly RawPolicy[], absent: MissingDefinitions, log: IssueLog): Catalogue {
  const byKey = new Map<string, RawExecutable>();
  const derivedRoles = new ImportableSets<RawDerivedRoles>("derivedRoles", "derived roles", absent);
  const exportVariables = new ImportableSets<RawExportVariables>("exportVariables", "exported variables", absent);
  const exportConstants = new ImportableSets<RawExportConstants>("exportConstants", "exported constants", absent);
  for (const policy of policies) {
    switch (policy.kind) {
      case "resourcePolicy":
      case "principalPolicy":
      case "rolePolicy": {
        const { key, at } = policy;
        const first = byKey.get(key);
        if (first === undefined) byKey.set(key, policy);
        else log.error("duplicate", at, `the policy "${key}" is defined twice: first at ${importLocationText(first)}`);
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
  const all = [...byKey.values()];
  return {
    byKey,
    resourcePolicies: all.filter((policy) => policy.kind === "resourcePolicy"),
    principalPolicies: all.filter((policy) => policy.kind === "principalPolicy"),
    rolePolicies: all.filter((policy) => policy.kind === "rolePolicy"),
    derivedRoles,
    exportVariables,
    exportConstants,
  };
}
