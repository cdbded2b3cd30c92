/** The questions that policies answer, and for each what they read to answer it. */

import { factsOf } from "../cel/facts.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { compileGlob, isGlob } from "../policy/glob.js";
import type { DerivedRole, PolicyModel, ResourcePolicy } from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import { expressionsOf } from "../policy/walk.js";
import { Collector } from "./collect.js";
import type { Layer, Space } from "./dimension.js";
import { SchemaView } from "./schemas.js";

/** An operation on a kind of resource. */
export interface Question {
  readonly kind: string;
  readonly operation: string;
}

/** A name that no policy has: what is decided about anything else. */
export const UNNAMED = "unnamed";
/** A role that no policy names. */
export const UNNAMED_ROLE = "unnamed_role";

export const LAYERS: readonly Layer[] = ["permission", "platform"];

/** Every kind, with every operation that some rule names, and one of each that none does. */
export function questionsOf(sets: readonly PolicySet[]): readonly Question[] {
  const kinds = new Map<string, Set<string>>();
  const everywhere = new Set<string>([UNNAMED]);
  for (const set of sets) {
    const versions = LAYERS.map((layer) => set[layer].version);
    for (const { version, resource, name, rules } of set.model.resourcePolicies) {
      if (!versions.includes(version)) continue;
      const known = [...kinds.keys()].find((kind) => sanitise(kind) === resource) ?? name;
      kinds.set(known, new Set([...(kinds.get(known) ?? []), ...rules.flatMap(({ actions }) => named(actions))]));
    }
    for (const policy of set.model.principalPolicies) {
      if (!versions.includes(policy.version)) continue;
      for (const { resource, actions } of policy.rules) {
        if (!isGlob(resource)) kinds.set(resource, kinds.get(resource) ?? new Set());
        for (const action of named(actions)) everywhere.add(action);
      }
    }
    for (const policy of set.model.rolePolicies) {
      if (!versions.includes(policy.version)) continue;
      for (const { resource, allowActions } of policy.rules) {
        if (!isGlob(resource)) kinds.set(resource, kinds.get(resource) ?? new Set());
        for (const action of named(allowActions)) everywhere.add(action);
      }
    }
  }
  kinds.set(UNNAMED, new Set());
  return [...kinds].flatMap(([kind, operations]) =>
    [...new Set([...operations, ...everywhere])].map((operation) => ({ kind, operation })),
  );
}

/** Operations as rules name them; for a pattern, one that it matches. */
function named(actions: readonly string[]): readonly string[] {
  return actions.flatMap((action) => {
    if (!isGlob(action)) return [action];
    const example = action.replaceAll(/\*+|\?/g, UNNAMED).replaceAll(/\{([^,{}]*)[^{}]*\}/g, "$1");
    return compileGlob(action)?.(example) === true ? [example] : [];
  });
}

/** A layer's rules on one question, each with what its conditions can read. */
export interface Relevant {
  readonly model: PolicyModel;
  readonly policies: readonly ResourcePolicy[];
  /** The indexes of the rules, by policy. */
  readonly rules: ReadonlyMap<ResourcePolicy, readonly ResourcePolicy["rules"][number][]>;
  readonly derivedRoles: readonly DerivedRole[];
}

export function relevantRules(set: PolicySet, layer: Layer, { kind, operation }: Question): Relevant {
  const { model } = set;
  const { version } = set[layer];
  const policies = model.resourcePolicies.filter(
    (policy) => policy.version === version && (policy.resource === kind || policy.resource === sanitise(kind)),
  );
  const rules = new Map(
    policies.map((policy) => [policy, policy.rules.filter(({ actions }) => matches(actions, operation))] as const),
  );
  const derivedRoles = policies.flatMap((policy) => {
    const listed = new Set(rules.get(policy)?.flatMap((rule) => rule.derivedRoles));
    // Expressions can read which derived roles are active, whichever rules list them.
    const isRead = readsActiveRoles(policy);
    return [...policy.derivedRoles.values()].filter((role) => isRead || listed.has(role.name));
  });
  return { model, policies, rules, derivedRoles };
}

function readsActiveRoles(policy: ResourcePolicy): boolean {
  return expressionsOf(policy).some(({ expr }) => factsOf(expr).reads.some(({ root }) => root.startsWith("runtime")));
}

function matches(actions: readonly string[], operation: string): boolean {
  return actions.some((action) => (isGlob(action) ? compileGlob(action)?.(operation) === true : action === operation));
}

/** What the rules of all `sets` on a question distinguish in one layer. */
export interface Asked {
  readonly question: Question;
  readonly space: Space;
  /** Roles that some rule names, and one that none does; in the platform layer the one role that there is. */
  readonly roles: readonly string[];
  /** Of the principal's attributes and of the resource's. */
  readonly schemas: { readonly principal: SchemaView | undefined; readonly resource: SchemaView | undefined };
}

export function ask(sets: readonly PolicySet[], layer: Layer, question: Question): Asked {
  const collector = new Collector(layer, Object.assign({}, ...sets.map((set) => set[layer].globals)));
  const roles = new Set<string>();
  const subject = layer === "permission" ? "key" : "account";
  let principal: SchemaView | undefined;
  let resource: SchemaView | undefined;
  for (const set of sets) {
    const { model } = set;
    const { version, index } = set[layer];
    const { policies, rules, derivedRoles } = relevantRules(set, layer, question);
    for (const policy of policies) {
      for (const rule of rules.get(policy) ?? []) {
        collector.condition(rule.condition, policy.definitions);
        for (const role of rule.roles) roles.add(role);
      }
      const { principalSchema, resourceSchema } = policy;
      // The newer policies come last: theirs are the schemas that requests will satisfy.
      if (principalSchema !== undefined) principal = new SchemaView(model.schemas, principalSchema.ref);
      if (resourceSchema !== undefined) resource = new SchemaView(model.schemas, resourceSchema.ref);
    }
    for (const role of derivedRoles) {
      collector.condition(role.condition, role.definitions);
      for (const parent of role.parentRoles) roles.add(parent);
    }
    for (const policy of model.principalPolicies) {
      if (policy.version !== version) continue;
      const { constants } = collector.dimension(subject, ["id"]);
      constants.set(JSON.stringify(policy.name), policy.name);
      for (const rule of policy.rules) {
        if (matches(rule.actions, question.operation)) collector.condition(rule.condition, policy.definitions);
      }
    }
    for (const policy of model.rolePolicies) {
      for (const role of [policy.role, ...policy.parentRoles]) roles.add(role);
      if (policy.version !== version) continue;
      for (const rule of policy.rules) collector.condition(rule.condition, policy.definitions);
    }
    for (const [who, scopes] of [
      [subject, index.principalScopes],
      ["resource", index.resourceScopes],
    ] as const) {
      if ([...scopes].every((scope) => scope === "")) continue;
      const { constants } = collector.dimension(who, ["scope"]);
      for (const scope of ["", ...scopes]) constants.set(JSON.stringify(scope), scope);
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
