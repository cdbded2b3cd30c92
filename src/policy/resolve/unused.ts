/** Finds definitions that nothing reads. They affect no decision, so their author may have meant to use them. */

import type { Unused } from "../model.js";
import type { NamedReference, RawDefinitions } from "../read/raw.js";
import type { DerivedRoleSets } from "./derived-roles.js";
import type { ResolveContext } from "./namespace.js";

/** Call this after all policies are resolved, and before the sets that nothing imports are resolved. */
export function unusedIn({ catalogue, namespaces }: ResolveContext, sets: DerivedRoleSets): readonly Unused[] {
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
  const of = (kind: Unused["kind"], references: readonly NamedReference[]) =>
    references.map(({ name, at }): Unused => ({ kind, name, at }));
  const notUsed = (definitions: readonly NamedReference[]) => definitions.filter((one) => !used.has(one));
  return [
    ...of("variable", notUsed(variables)),
    ...of("constant", notUsed(constants)),
    ...of("derived_role", sets.unlisted),
    ...of("import", [...imports.map(({ reference }) => reference), ...sets.unusedImports]),
    ...of("set", [...exportVariables.unused, ...exportConstants.unused, ...derivedRoles.unused]),
  ];
}
