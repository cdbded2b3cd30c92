/** The names that a policy set knows: kinds, their operations and schemas, roles, reasons. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { INVALID_ATTRIBUTES } from "../../engine/evaluate/attribute-schemas.js";
import { IndexedPolicy } from "../../engine/plan/policy-index.js";
import { actionsOn, namedKinds } from "../../engine/plan/questions.js";
import type { IndexedPlanRule } from "../../engine/plan/rules.js";
import { targetsOf } from "../../engine/plan/targets.js";
import { isEverything, isGlob } from "../../policy/glob.js";
import { compareText } from "../../policy/issue-log.js";
import type { SchemaUse } from "../../policy/model.js";
import { writtenRoles } from "../../policy/written-roles.js";
import { type PoliciesOfLayer, policiesOf } from "../../space/deciding-rules.js";
import { LAYERS, type SpaceLayer } from "../../space/dimension.js";
import { rolesSought } from "../findings/mentions.js";

/** Names, and globs of names. */
export interface NamesAndPatterns {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
}

/**
 * The schemas of a subject, by reference: one for each policy that may judge it, `undefined` for a policy without one.
 * Empty: no policy judges it.
 */
export type SchemaRefs = readonly (string | undefined)[];

export interface KindNames {
  /** As a policy writes it. */
  readonly kind: string;
  readonly operations: NamesAndPatterns;
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

export interface RoleNames extends NamesAndPatterns {
  /** Any other name is a role too: a rule for any role (`*`) allows something, and no annotation lists the roles. */
  readonly isOpen: boolean;
}

export interface Vocabulary {
  readonly roles: RoleNames;
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
 * The annotation with which a permission policy can name roles, separated by commas, that no rule mentions: keys have
 * these roles, but they grant nothing beyond rules for any role. With the annotation, keys have no roles but those that
 * policies name.
 *     metadata:
 *       annotations:
 *         keyward.roles: custom
 */
const ROLES_ANNOTATION = "keyward.roles";

function rolesOf({ resources, all }: PoliciesOfLayer): RoleNames {
  const annotated = all.flatMap(({ annotations }) => annotations.get(ROLES_ANNOTATION)?.split(",") ?? []);
  const derived = resources.flatMap(({ derivedRoles }) => [...derivedRoles.values()]);
  const written = [
    ...writtenRoles(all),
    ...rolesSought(all).map(({ role }) => role),
    ...annotated.map((name) => name.trim()).filter((name) => name !== ""),
  ];
  const allowed = [
    ...resources.flatMap(({ rules }) => rules.flatMap((rule) => (rule.effect === "allow" ? rule.roles : []))),
    ...derived.flatMap(({ parentRoles }) => parentRoles),
  ];
  return {
    names: sorted(written.filter((role) => !isGlob(role))),
    patterns: sorted(written.filter(isGlob)),
    isOpen: annotated.length === 0 && allowed.some(isEverything),
  };
}

/** In a set of references, for a policy that has none. */
const NO_SCHEMA = "";

function kindsOf(layers: readonly (readonly [SpaceLayer, PoliciesOfLayer])[]): readonly KindNames[] {
  const policies = layers.flatMap(([, { all }]) => all);
  const targets = targetsOf(policies);
  const all = [...namedKinds(policies)].flatMap(([name, spellings]) => {
    const { names, patterns } = actionsOn(targets, name);
    const operations = { names: sorted(names), patterns: sorted(patterns) };
    const schemasIn = (layer: SpaceLayer, field: "principalSchema" | "resourceSchema") => {
      const resources = layers.flatMap(([one, ofLayer]) => (one === layer ? ofLayer.resources : []));
      return refsOf(resources.flatMap((policy) => (policy.resource === name ? [refOf(policy[field])] : [])));
    };
    const schemas = {
      key: schemasIn("permission", "principalSchema"),
      account: schemasIn("platform", "principalSchema"),
      resource: LAYERS.map((layer) => schemasIn(layer, "resourceSchema")),
    };
    return spellings.map((kind) => ({ kind, operations, ...schemas }));
  });
  return all.sort((a, b) => compareText(a.kind, b.kind));
}

function refOf(use: SchemaUse | undefined): string {
  return use?.ref ?? NO_SCHEMA;
}

function refsOf(refs: readonly string[]): SchemaRefs {
  return sorted(refs).map((ref) => (ref === NO_SCHEMA ? undefined : ref));
}

/** See docs/verdicts.md: reasons of rules by effect, of rules that can err, and those that need no rule. */
function reasonsOf({ all }: PoliciesOfLayer, defaultReason: string): LayerReasons {
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
