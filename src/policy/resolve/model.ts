/** Raw policies to the model: every reference resolved, every expression checked. */

import type { Expressions } from "../expressions.js";
import { IssueLog } from "../issue-log.js";
import type { Expression, ResourcePolicy, ResourceRule } from "../model.js";
import { resourcePolicyKey, sanitise } from "../names.js";
import type { RawPolicy, RawResourcePolicy, RawRule } from "../read/raw.js";
import type { SchemaFiles } from "../schemas.js";
import { Catalogue, type RefusedNames } from "./catalogue.js";
import { type Resolving, Scope } from "./definitions.js";
import { DerivedRoleSets, expressionsOf } from "./derived-roles.js";

/** The resource policies of a set; what is wrong goes to `log`, and then the result is of no use. */
export function resolvePolicies(
  policies: readonly RawPolicy[],
  refused: RefusedNames,
  schemas: SchemaFiles,
  expressions: Expressions,
  log: IssueLog,
): readonly ResourcePolicy[] {
  const catalogue = new Catalogue(policies, refused, log);
  const resolving = { catalogue, expressions, log };
  const sets = new DerivedRoleSets(resolving);
  const resolved = [...catalogue.resourcePolicies.values()].map((policy) => resolve(policy, sets, schemas, resolving));
  warnOfUnused(policies, resolving);
  return resolved;
}

function resolve(
  policy: RawResourcePolicy,
  sets: DerivedRoleSets,
  schemas: SchemaFiles,
  resolving: Resolving,
): ResourcePolicy {
  resolving.log.addAll(policy.faults.issues);
  const scope = new Scope(policy.definitions, resolving);
  const expressions = policy.rules.flatMap(expressionsOfRule);
  for (const expression of expressions) scope.check(expression);
  return {
    kind: "resource",
    key: resourcePolicyKey(policy.name, policy.version, ""),
    name: policy.name,
    resource: sanitise(policy.name),
    version: policy.version,
    scope: "",
    scopePermissions: "override_parent",
    definitions: scope.definitionsFor(expressions),
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
function warnOfUnused(policies: readonly RawPolicy[], resolving: Resolving): void {
  const { catalogue, log } = resolving;
  const found = new IssueLog();
  const sets = new DerivedRoleSets({ ...resolving, log: found });
  for (const policy of policies) {
    if (policy.kind === "derivedRoles" && !catalogue.isImported(policy)) sets.resolve(policy);
  }
  for (const policy of policies) {
    if (policy.kind !== "resourcePolicy" && !catalogue.isImported(policy)) found.addAll(policy.faults.issues);
  }
  found.downgradeInto(log);
}
