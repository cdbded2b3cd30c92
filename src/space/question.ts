/** What policies read to answer a question. */

import type { PolicySet } from "../decisions/policy-set.js";
import { expressionsOfRule, readsActiveRoles } from "../policy/walk.js";
import { Collector } from "./collect.js";
import { decidersOf, policiesOf, type Question, resourcePoliciesOn } from "./deciders.js";
import { type Layer, PRINCIPALS, type Space } from "./dimension.js";
import { UNNAMED_ROLE } from "./questions.js";
import { SchemaView } from "./schemas.js";

/** What the rules of all `sets` on a question distinguish in one layer. */
export interface Asked {
  readonly question: Question;
  readonly space: Space;
  /** Roles that some rule names, and one that none does; in the platform layer the one role that there is. */
  readonly roles: readonly string[];
  /** Of the principal's attributes and of the resource's. */
  readonly schemas: { readonly principal: SchemaView | undefined; readonly resource: SchemaView | undefined };
}

/** `outputs`: what the rules say when they hold counts as well, not only whether they hold. */
export function ask(sets: readonly PolicySet[], layer: Layer, question: Question, outputs = false): Asked {
  const collector = new Collector(layer, Object.assign({}, ...sets.map((set) => set[layer]?.globals)));
  const roles = new Set<string>();
  const subject = PRINCIPALS[layer];
  let principal: SchemaView | undefined;
  let resource: SchemaView | undefined;
  for (const set of sets) {
    const index = set[layer]?.index;
    if (index === undefined) continue;
    const policies = policiesOf(set, layer);
    for (const policy of resourcePoliciesOn(policies, question)) {
      const { principalSchema, resourceSchema } = policy;
      // The newer policies come last: theirs are the schemas that requests will satisfy.
      if (principalSchema !== undefined) principal = new SchemaView(set.model.schemas, principalSchema.ref);
      if (resourceSchema !== undefined) resource = new SchemaView(set.model.schemas, resourceSchema.ref);
    }
    const deciders = decidersOf(policies, question);
    const derivedRoles = new Set(deciders.flatMap((decider) => decider.derivedRoles));
    // Expressions can read which derived roles are active, whichever rules list them.
    for (const policy of resourcePoliciesOn(policies, question).filter(readsActiveRoles)) {
      for (const role of policy.derivedRoles.values()) derivedRoles.add(role);
    }
    for (const { condition, definitions, rule, roles: own } of deciders) {
      collector.condition(condition, definitions);
      for (const output of outputs && rule !== undefined ? expressionsOfRule({ ...rule, condition: undefined }) : []) {
        collector.value(output, definitions);
      }
      for (const role of own) roles.add(role);
    }
    for (const role of derivedRoles) {
      collector.condition(role.condition, role.definitions);
      for (const parent of role.parentRoles) roles.add(parent);
    }
    for (const { role, parentRoles } of set.model.rolePolicies)
      for (const one of [role, ...parentRoles]) roles.add(one);
    const named = (who: typeof subject | "resource", field: string, values: Iterable<string>) => {
      const { constants } = collector.dimension({ subject: who, path: [field] });
      for (const value of values) constants.set(JSON.stringify(value), value);
    };
    if (policies.principals.length > 0)
      named(
        subject,
        "id",
        policies.principals.map(({ name }) => name),
      );
    for (const [who, scopes] of [
      [subject, index.principalScopes],
      ["resource", index.resourceScopes],
    ] as const) {
      if ([...scopes].some((scope) => scope !== "")) named(who, "scope", ["", ...scopes]);
    }
  }
  roles.delete("*");
  roles.add(UNNAMED_ROLE);
  return {
    question,
    space: collector,
    roles: layer === "permission" ? [...roles] : ["account"],
    schemas: { principal, resource },
  };
}

/** Each role by itself, and all of them together: whoever is allowed in one of its roles is allowed. */
export function roleSets(roles: readonly string[]): readonly (readonly string[])[] {
  const single = roles.map((role) => [role]);
  return roles.length > 1 ? [...single, roles] : single;
}
