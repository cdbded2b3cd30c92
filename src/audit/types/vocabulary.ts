/** What a policy set knows by name: kinds, their operations and schemas, roles, reasons. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { INVALID_ATTRIBUTES } from "../../engine/evaluate/attribute-schemas.js";
import { IndexedPolicy } from "../../engine/plan/policy-index.js";
import type { IndexedPlanRule } from "../../engine/plan/rules.js";
import { isAboutKind, isPattern, targetsOf } from "../../engine/plan/targets.js";
import { isGlob } from "../../policy/glob.js";
import { compareText } from "../../policy/issue-log.js";
import type { SchemaUse } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { type LayerPolicies, policiesOf } from "../../space/deciders.js";
import { LAYERS, type Layer } from "../../space/dimension.js";

/** Names, and globs of names. */
export interface Names {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
}

/**
 * The schemas of a subject, by reference: one for each policy in whose scope it is looked at, `undefined` where that
 * policy has none. Empty: no policy looks at it.
 */
export type SchemaRefs = readonly (string | undefined)[];

export interface KindNames {
  /** As a policy writes it. */
  readonly kind: string;
  readonly operations: Names;
  /** Of the key, in the permission layer. */
  readonly key: SchemaRefs;
  /** Of the account, in the platform layer. */
  readonly account: SchemaRefs;
  /** Of the resource, in each layer. */
  readonly resource: readonly SchemaRefs[];
}

/** The words that can stand in the reasons of a verdict. */
export interface LayerReasons {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface Vocabulary {
  readonly roles: Names;
  /** By name. */
  readonly kinds: readonly KindNames[];
  readonly permission: LayerReasons;
  /** Undefined: the set is permission-only. */
  readonly platform: LayerReasons | undefined;
}

/** Everything is sorted, so that it does not depend on the order of files and rules. */
export function vocabularyOf(policies: PolicySet): Vocabulary {
  const layers = LAYERS.filter((layer) => policies[layer] !== undefined);
  return {
    roles: rolesOf(policiesOf(policies, "permission")),
    kinds: kindsOf(layers.map((layer) => [layer, policiesOf(policies, layer)])),
    permission: reasonsOf(policiesOf(policies, "permission"), policies.permission.defaultReason),
    platform: policies.platform && reasonsOf(policiesOf(policies, "platform"), policies.platform.defaultReason),
  };
}

/**
 * A policy of the permission layer can name roles that no rule does, with commas between them: those that keys have
 * and that give nothing, where rules are for any role.
 *
 *     metadata:
 *       annotations:
 *         keyward.roles: custom
 */
const ROLES_ANNOTATION = "keyward.roles";

function rolesOf({ resources, roles, all }: LayerPolicies): Names {
  const annotated = all.flatMap(({ annotations }) =>
    (annotations.get(ROLES_ANNOTATION) ?? "").split(",").map((name) => name.trim()),
  );
  const written = [
    ...resources.flatMap(({ rules }) => rules.flatMap((rule) => rule.roles)),
    ...resources.flatMap(({ derivedRoles }) => [...derivedRoles.values()].flatMap(({ parentRoles }) => parentRoles)),
    ...roles.flatMap(({ role, parentRoles }) => [role, ...parentRoles]),
    ...annotated.filter((name) => name !== ""),
  ];
  return { names: sorted(written.filter((role) => !isGlob(role))), patterns: sorted(written.filter(isGlob)) };
}

interface Kind {
  readonly names: Set<string>;
  readonly operations: string[];
  readonly patterns: string[];
  readonly schemas: { readonly [layer in Layer]: { principal: Set<string>; resource: Set<string> } };
}

/** In a set of references, for a policy that has none. */
const NO_SCHEMA = "";

function kindsOf(layers: readonly (readonly [Layer, LayerPolicies])[]): readonly KindNames[] {
  const kinds = new Map<string, Kind>();
  const kindOf = (name: string): Kind => {
    const known = kinds.get(sanitise(name));
    const subjects = () => ({ principal: new Set<string>(), resource: new Set<string>() });
    const kind = known ?? {
      names: new Set(),
      operations: [],
      patterns: [],
      schemas: { permission: subjects(), platform: subjects() },
    };
    if (known === undefined) kinds.set(sanitise(name), kind);
    kind.names.add(name);
    return kind;
  };
  for (const [layer, { resources, all }] of layers) {
    for (const { name, principalSchema, resourceSchema } of resources) {
      const kind = kindOf(name);
      kind.schemas[layer].principal.add(refOf(principalSchema));
      kind.schemas[layer].resource.add(refOf(resourceSchema));
    }
    for (const { written } of targetsOf(all)) if (!isGlob(written)) kindOf(written);
  }
  // Rules about a pattern of kinds are about the kinds that are known by now.
  for (const target of targetsOf(layers.flatMap(([, { all }]) => all))) {
    for (const [name, { operations, patterns }] of kinds) {
      if (!isAboutKind(target, name)) continue;
      for (const action of target.actions) (isPattern(target, action) ? patterns : operations).push(action);
    }
  }
  const all = [...kinds.values()].flatMap(({ names, operations, patterns, schemas: { permission, platform } }) =>
    [...names].map((kind) => ({
      kind,
      operations: { names: sorted(operations), patterns: sorted(patterns) },
      key: refsOf(permission.principal),
      account: refsOf(platform.principal),
      resource: [refsOf(permission.resource), refsOf(platform.resource)],
    })),
  );
  return all.sort((a, b) => compareText(a.kind, b.kind));
}

function refOf(use: SchemaUse | undefined): string {
  return use?.ref ?? NO_SCHEMA;
}

function refsOf(refs: ReadonlySet<string>): SchemaRefs {
  return sorted(refs).map((ref) => (ref === NO_SCHEMA ? undefined : ref));
}

/** See docs/verdicts.md: rules by what they do when they hold, those that can err, and what there is without any. */
function reasonsOf({ all }: LayerPolicies, defaultReason: string): LayerReasons {
  const rules = all.flatMap((policy) => new IndexedPolicy(policy).byAction.rows);
  const holding = (effect: string) =>
    rules.flatMap(({ rule }) => (rule.effect === effect && rule.kind !== "role" ? [rule.reason.reason] : []));
  return {
    allow: sorted(holding("allow")),
    deny: sorted([
      ...holding("deny"),
      ...rules.filter(canErr).map(({ rule }) => rule.errorReason.reason),
      ...[defaultReason, "invalid_request", "invalid_policies", INVALID_ATTRIBUTES],
    ]),
  };
}

function canErr({ rule, source, guards }: IndexedPlanRule): boolean {
  if (rule.kind === "role") return source.condition !== undefined;
  return rule.condition !== undefined || guards.some(({ role }) => role.condition !== undefined);
}

function sorted(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort(compareText);
}
