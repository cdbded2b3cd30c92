/** Raw policies to the model: every reference resolved, every expression checked. */

import type { Expressions } from "../expressions.js";
import { IssueLog } from "../issue-log.js";
import type { Expression, ResourcePolicy, ResourceRule } from "../model.js";
import { resourcePolicyKey, sanitise } from "../names.js";
import type { RawPolicy, RawResourcePolicy, RawRule } from "../read/raw.js";
import type { SchemaFiles } from "../schemas.js";
import { catalogueOf } from "./catalogue.js";
import { DerivedRoleSets, expressionsOf } from "./derived-roles.js";
import type { RefusedNames } from "./library.js";
import { Namespace, type Resolving } from "./namespace.js";

/** The resource policies of a set; what is wrong goes to `log`, and then the result is of no use. */
export function resolvePolicies(
  policies: readonly RawPolicy[],
  refused: RefusedNames,
  schemas: SchemaFiles,
  expressions: Expressions,
  log: IssueLog,
): readonly ResourcePolicy[] {
  const catalogue = catalogueOf(policies, refused, log);
  const resolving = { catalogue, expressions, log };
  const sets = new DerivedRoleSets(resolving);
  const resolved = catalogue.resourcePolicies.map((policy) => resolve(policy, sets, schemas, resolving));
  warnOfUnused(resolving);
  return resolved;
}

function resolve(
  policy: RawResourcePolicy,
  sets: DerivedRoleSets,
  schemas: SchemaFiles,
  resolving: Resolving,
): ResourcePolicy {
  resolving.log.addAll(policy.faults.issues);
  const namespace = new Namespace(policy.definitions, resolving);
  const expressions = policy.rules.flatMap(expressionsOfRule);
  for (const expression of expressions) namespace.check(expression);
  return {
    kind: "resource",
    key: resourcePolicyKey(policy.name, policy.version, ""),
    name: policy.name,
    resource: sanitise(policy.name),
    version: policy.version,
    scope: "",
    scopePermissions: "override_parent",
    definitions: namespace.definitionsFor(expressions),
    rules: policy.rules.map(toRule),
    derivedRoles: sets.rolesOf(policy),
    principalSchema: schemas.use(policy.principalSchema),
    resourceSchema: schemas.use(policy.resourceSchema),
    at: policy.at,
  };
}

function expressionsOfRule({ condition, output }: RawRule): readonly Expression[] {
  const outputs = [output?.ruleActivated, output?.conditionNotMet].filter((each) => each !== undefined);
  return [...expressionsOf(condition), ...outputs];
}

function toRule({ derivedRoleReferences: _, ...rule }: RawRule): ResourceRule {
  return rule;
}

/** A set that nothing imports decides nothing, so what is wrong in it is a warning. */
function warnOfUnused(resolving: Resolving): void {
  const { derivedRoles, exportVariables, exportConstants } = resolving.catalogue;
  const log = new IssueLog();
  const sets = new DerivedRoleSets({ ...resolving, log });
  for (const set of derivedRoles.unused) sets.resolve(set);
  for (const set of [...exportVariables.unused, ...exportConstants.unused]) log.addAll(set.faults.issues);
  log.downgradeInto(resolving.log);
}
