/** What a policy set says of requests: the kinds, operations, roles, ids and scopes that it names, and the attributes. */

import { factsOf } from "../../cel/facts.js";
import { isObject } from "../../cel/json.js";
import type { JsonMap } from "../../cel/values.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { compileGlob, isGlob } from "../../policy/glob.js";
import type { PolicyModel, PrincipalPolicy, ResourcePolicy, RolePolicy, SchemaUse } from "../../policy/model.js";
import { expressionsOf, expressionsOfCondition } from "../../policy/walk.js";
import { ConstantIndex } from "./constants.js";
import type { SubjectName } from "./places.js";
import { type SchemaNode, SchemaTree } from "./schema-tree.js";
import { Usage } from "./usage.js";

export type LayerName = "permission" | "platform";

/** The policies of one layer. */
export interface LayerPolicies {
  readonly name: LayerName;
  readonly resources: readonly ResourcePolicy[];
  readonly principals: readonly PrincipalPolicy[];
  readonly roles: readonly RolePolicy[];
  readonly constants: ConstantIndex;
  readonly globals: JsonMap;
  /** Some condition reads the clock. */
  readonly readsTime: boolean;
}

export function layersOf(policies: PolicySet): { readonly [layer in LayerName]: LayerPolicies } {
  return { permission: layerOf(policies, "permission"), platform: layerOf(policies, "platform") };
}

function layerOf({ model, ...tables }: PolicySet, name: LayerName): LayerPolicies {
  const { version, globals } = tables[name];
  const inLayer = (policy: { readonly version: string }) => policy.version === version;
  const resources = model.resourcePolicies.filter(inLayer);
  const principals = model.principalPolicies.filter(inLayer);
  // A role policy without a version is for every version.
  const roles = model.rolePolicies.filter((policy) => inLayer(policy) || policy.version === "");
  const constants = new ConstantIndex();
  for (const policy of [...resources, ...principals, ...roles]) {
    for (const { expr } of expressionsOf(policy)) constants.add(expr, policy.definitions);
    if (policy.kind !== "resource") continue;
    for (const role of policy.derivedRoles.values()) {
      for (const { expr } of expressionsOfCondition(role.condition)) constants.add(expr, role.definitions);
    }
  }
  const readsTime = [...resources, ...principals, ...roles]
    .flatMap(expressionsOf)
    .some(({ expr }) => factsOf(expr).needsTime);
  return { name, resources, principals, roles, constants, globals, readsTime };
}

/** The layers that read a subject's attributes, and the name by which they read them. */
export const READERS: {
  readonly [subject in SubjectName]: { readonly layers: readonly LayerName[]; readonly root: "P" | "R" };
} = {
  key: { layers: ["permission"], root: "P" },
  resource: { layers: ["permission", "platform"], root: "R" },
  account: { layers: ["platform"], root: "P" },
};

/** The schemas that policies for a resource kind refer to, for one subject. */
export function schemaRefs(
  layers: ReturnType<typeof layersOf>,
  subject: SubjectName,
  resource: string,
): readonly string[] {
  const { layers: readers } = READERS[subject];
  const uses = readers.flatMap((layer) =>
    layers[layer].resources
      .filter((policy) => policy.resource === resource)
      .map((policy): SchemaUse | undefined =>
        subject === "resource" ? policy.resourceSchema : policy.principalSchema,
      ),
  );
  return [...new Set(uses.flatMap((use) => (use === undefined ? [] : [use.ref])))];
}

/**
 * The schema of a subject's attributes in requests about a resource kind: that of the policies, and for attributes that
 * they read and no schema has, a guess from what they do with them.
 */
export function subjectSchema(
  model: PolicyModel,
  layers: ReturnType<typeof layersOf>,
  subject: SubjectName,
  resource: string,
): { readonly tree: SchemaTree; readonly node: SchemaNode } {
  const { layers: readers, root } = READERS[subject];
  const usage = new Usage(`${root}.attr`);
  for (const layer of readers) {
    for (const policy of layers[layer].resources) if (policy.resource === resource) addUsage(usage, policy);
    for (const policy of [...layers[layer].principals, ...layers[layer].roles]) addUsage(usage, policy);
  }
  const refs = schemaRefs(layers, subject, resource);
  const guessed = usage.schema();
  const tree = new SchemaTree(new Map([...model.schemas, [GUESS, guessed]]));
  const declared = tree.flat({ schema: { allOf: refs.map((ref) => ({ $ref: ref })) }, base: undefined });
  if (refs.length === 0) return { tree, node: tree.at(GUESS) };
  const { properties = {}, required = [] } = guessed;
  // Whatever the declared schema has counts; the guess adds what it does not have.
  const known = isObject(declared.schema.properties) ? declared.schema.properties : {};
  const missing = Object.entries(isObject(properties) ? properties : {}).filter(
    ([name]) => !Object.hasOwn(known, name),
  );
  const names = missing.map(([name]) => name);
  const extra = Array.isArray(required) ? required.filter((name) => names.includes(String(name))) : [];
  const own = Array.isArray(declared.schema.required) ? declared.schema.required : [];
  const schema = {
    ...declared.schema,
    properties: { ...known, ...Object.fromEntries(missing) },
    required: [...own, ...extra],
  };
  return { tree, node: { schema, base: declared.base } };
}

const GUESS = "keyward:guess";

function addUsage(usage: Usage, policy: ResourcePolicy | PrincipalPolicy | RolePolicy): void {
  const conditions = [
    ...policy.rules.flatMap((rule) => expressionsOfCondition(rule.condition)),
    ...(policy.kind === "resource"
      ? [...policy.derivedRoles.values()].flatMap((role) => expressionsOfCondition(role.condition))
      : []),
  ];
  for (const { expr } of conditions) usage.add(expr, true);
  for (const { expr } of expressionsOf(policy)) usage.add(expr, false);
}

/** A resource kind and an operation that some policy is about. */
export interface Target {
  /** As the policies write it. */
  readonly kind: string;
  /** As requests are matched. */
  readonly resource: string;
  readonly operation: string;
  /** How many times rules name it. */
  readonly rules: number;
}

/** Every kind with every operation that a rule of one of its policies, in either layer, is about. */
export function targetsOf(layers: ReturnType<typeof layersOf>): readonly Target[] {
  const all = [layers.permission, layers.platform];
  const everywhere = all.flatMap(({ principals, roles }) => [
    ...principals.flatMap((policy) => policy.rules.flatMap((rule) => rule.actions)),
    ...roles.flatMap((policy) => policy.rules.flatMap((rule) => rule.allowActions)),
  ]);
  const resources = all.flatMap((layer) => layer.resources);
  const named = resources
    .flatMap((policy) => policy.rules.flatMap((rule) => rule.actions))
    .filter((one) => !isGlob(one));
  const targets = new Map<string, Target>();
  for (const { name: kind, resource, rules } of resources) {
    const patterns = [...rules.flatMap((rule) => rule.actions), ...everywhere];
    for (const operation of patterns.flatMap((pattern) => operationsOf(pattern, named))) {
      const key = JSON.stringify([resource, operation]);
      targets.set(key, { kind, resource, operation, rules: (targets.get(key)?.rules ?? 0) + 1 });
    }
  }
  return [...targets.values()];
}

/** The operations that a pattern stands for: of those that are named, or else one that is made up. */
function operationsOf(pattern: string, named: readonly string[]): readonly string[] {
  if (!isGlob(pattern)) return [pattern];
  const matches = compileGlob(pattern);
  if (matches === undefined) return [];
  const made = pattern
    .replaceAll(/\{([^,{}]*)[^{}]*\}/g, "$1")
    .replaceAll(/\[!?(.)[^\]]*\]/g, "$1")
    .replaceAll("?", "x")
    .replaceAll(/\*+/g, "anything");
  return [...new Set([...named.filter(matches), ...[made].filter(matches)])];
}
