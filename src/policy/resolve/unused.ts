/** What is defined and never read: it decides nothing, so that whoever wrote it perhaps meant to use it. */

import type { Unused } from "../model.js";
import type { RawDefinitions, Reference } from "../read/raw.js";
import type { DerivedRoleSets } from "./derived-roles.js";
import type { Resolving } from "./namespace.js";

/** To be asked when all policies are resolved, and sets that nothing imports are not. */
export function unusedIn({ catalogue, namespaces }: Resolving, sets: DerivedRoleSets): readonly Unused[] {
  const used = new Set(namespaces.flatMap((namespace) => [...namespace.used]));
  const { exportVariables, exportConstants, derivedRoles } = catalogue;
  const owners: readonly { readonly definitions: RawDefinitions }[] = [
    ...catalogue.resourcePolicies,
    ...catalogue.principalPolicies,
    ...catalogue.rolePolicies,
    ...derivedRoles.imported,
  ];
  const variables = [
    ...owners.flatMap(({ definitions }) => definitions.variables),
    ...exportVariables.imported.flatMap((set) => set.variables),
  ];
  const constants = [
    ...owners.flatMap(({ definitions }) => definitions.constants),
    ...exportConstants.imported.flatMap((set) => set.constants),
  ];
  const imports = namespaces.flatMap((namespace) =>
    namespace.imports.filter(({ brings }) => !brings.some((one) => namespace.used.has(one))),
  );
  const of = (kind: Unused["kind"], references: readonly Reference[]) =>
    references.map(({ name, at }): Unused => ({ kind, name, at }));
  const notUsed = (definitions: readonly Reference[]) => definitions.filter((one) => !used.has(one));
  return [
    ...of("variable", notUsed(variables)),
    ...of("constant", notUsed(constants)),
    ...of("derived_role", sets.unlisted),
    ...of("import", [...imports.map(({ reference }) => reference), ...sets.unusedImports]),
    ...of("set", [...exportVariables.unused, ...exportConstants.unused, ...derivedRoles.unused]),
  ];
}
