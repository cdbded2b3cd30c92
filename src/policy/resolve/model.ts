/** Resolves raw policies into the model: resolves every reference and checks every expression. */

import type { ExpressionCache } from "../expressions.js";
import { IssueLog } from "../issue-log.js";
import type { PolicyModel } from "../model.js";
import type { MissingDefinitions } from "../read/missing-definitions.js";
import type { RawPolicy } from "../read/raw.js";
import type { SchemaFiles } from "../schemas.js";
import { catalogueOf } from "./catalogue.js";
import { DerivedRoleSets } from "./derived-roles.js";
import { resolvePrincipalPolicy, resolveResourcePolicy, resolveRolePolicy } from "./executables.js";
import type { ResolveContext } from "./namespace.js";
import { checkScopePermissions, scopePermissionsOf } from "./scope-permissions.js";
import { checkScopes } from "./scopes.js";
import { unusedIn } from "./unused.js";

export type ResolvedPolicies = Omit<PolicyModel, "schemas" | "warnings">;

/** The policies of a set. Problems go to `log`; the result is unusable if there are errors. */
export function resolvePolicies(
  policies: readonly RawPolicy[],
  absent: MissingDefinitions,
  schemas: SchemaFiles,
  expressions: ExpressionCache,
  log: IssueLog,
): ResolvedPolicies {
  const catalogue = catalogueOf(policies, absent, log);
  const resolving: ResolveContext = { catalogue, expressions, log, namespaces: [] };
  const sets = new DerivedRoleSets(resolving);
  checkScopePermissions(catalogue, log);
  const leftOut = checkScopes(catalogue, absent, log);
  const resourcePolicies = catalogue.resourcePolicies.map((policy) => ({
    resolved: resolveResourcePolicy(policy, sets, schemas, resolving),
    policy,
  }));
  const principalPolicies = catalogue.principalPolicies.map((policy) => resolvePrincipalPolicy(policy, resolving));
  const rolePolicies = catalogue.rolePolicies.map((policy) => resolveRolePolicy(policy, resolving));
  const unused = unusedIn(resolving, sets);
  warnOfUnused(resolving);
  const inUse = resourcePolicies.filter(({ policy }) => !leftOut.has(policy));
  return {
    level: expressions.level,
    resourcePolicies: inUse.map(({ resolved }) => resolved),
    principalPolicies,
    rolePolicies,
    unused,
    scopePermissions: scopePermissionsOf([...inUse.map(({ policy }) => policy), ...catalogue.principalPolicies]),
  };
}

/**
 * Checks sets that nothing imports. Their problems are warnings, because they affect no decision. A missing import of
 * such a set is still an error, because the server looks for it when it indexes the store.
 */
function warnOfUnused(resolving: ResolveContext): void {
  const { derivedRoles, exportVariables, exportConstants } = resolving.catalogue;
  const log = new IssueLog();
  const sets = new DerivedRoleSets({ ...resolving, log });
  for (const set of derivedRoles.unused) sets.resolve(set);
  for (const set of [...exportVariables.unused, ...exportConstants.unused]) log.addAll(set.faults.issues);
  for (const issue of log.issues) {
    resolving.log.add(issue.code === "missing_import" ? issue : { ...issue, severity: "warning" });
  }
}
