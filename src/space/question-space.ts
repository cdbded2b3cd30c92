/** The request values that policies read to answer a question. */

import type { JsonObject } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { expressionsOfRule, readsActiveRoles } from "../policy/policy-expressions.js";
import { Collector } from "./collect.js";
import { decidingRulesOf, policiesOf, resourcePoliciesOn } from "./deciding-rules.js";
import { PRINCIPALS, type SpaceLayer, type ValueSpace } from "./dimension.js";
import { SchemaView } from "./schemas.js";

/** A role that no policy names. */
export const UNNAMED_ROLE = "unnamed_role";

/** The distinctions that the rules of all `sets` make for a question, in one layer. */
export interface QuestionSpace {
  readonly question: OperationQuestion;
  readonly space: ValueSpace;
  /** The roles that rules name, and one that no rule names. In the platform layer: the only role. */
  readonly roles: readonly string[];
  /** The schemas of the principal's and the resource's attributes. */
  readonly schemas: { readonly principal: SchemaView | undefined; readonly resource: SchemaView | undefined };
}

/** `outputs`: the outputs of rules count as well, not only whether the rules hold. */
export function questionSpaceOf(
  sets: readonly PolicySet[],
  layer: SpaceLayer,
  question: OperationQuestion,
  outputs = false,
): QuestionSpace {
  const collector = new Collector(layer, globalsOf(sets, layer));
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
      // The newer policies come last, so that requests satisfy their schemas.
      if (principalSchema !== undefined) principal = new SchemaView(set.model.schemas, principalSchema.ref);
      if (resourceSchema !== undefined) resource = new SchemaView(set.model.schemas, resourceSchema.ref);
    }
    const deciders = decidingRulesOf(policies, question);
    const derivedRoles = new Set(deciders.flatMap((decider) => decider.derivedRoles));
    // Expressions can read all active derived roles, not only those that rules of the question list.
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

/** The globals that are known in a layer of `sets`. */
export function globalsOf(sets: readonly PolicySet[], layer: SpaceLayer): JsonObject {
  return Object.assign({}, ...sets.map((set) => set[layer]?.globals));
}

/** Each role by itself, and all of them together: a principal is allowed if one of its roles is. */
export function roleSets(roles: readonly string[]): readonly (readonly string[])[] {
  const single = roles.map((role) => [role]);
  return roles.length > 1 ? [...single, roles] : single;
}
