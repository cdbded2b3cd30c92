/** The rules of a layer that a question can come to, whatever kind of policy they stand in. */

import type { PolicySet } from "../decisions/policy-set.js";
import { compileGlob, isGlob } from "../policy/glob.js";
import type {
  Condition,
  Definitions,
  DerivedRole,
  PrincipalPolicy,
  ResourcePolicy,
  RolePolicy,
  Rule,
} from "../policy/model.js";
import { sanitise } from "../policy/names.js";
import type { Layer } from "./dimension.js";

/** An operation on a kind of resource. */
export interface Question {
  readonly kind: string;
  readonly operation: string;
}

/** The policies of one layer: none, if the set has no such layer. */
export interface LayerPolicies {
  readonly resources: readonly ResourcePolicy[];
  readonly principals: readonly PrincipalPolicy[];
  readonly roles: readonly RolePolicy[];
}

export function policiesOf(set: PolicySet, layer: Layer): LayerPolicies {
  const { model } = set;
  const compiled = set[layer];
  const isIn = ({ version }: { readonly version: string }) => version === compiled?.version;
  return {
    resources: model.resourcePolicies.filter(isIn),
    principals: model.principalPolicies.filter(isIn),
    roles: model.rolePolicies.filter(isIn),
  };
}

/** A rule that can decide, as every kind of policy has it. */
export interface Decider {
  /** A role policy's rule allows what it lists. */
  readonly allows: boolean;
  /** Roles by which it applies; `*` is any. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly DerivedRole[];
  /** Whom alone it is about: the id of a principal policy. */
  readonly principal: string | undefined;
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
  /** A role policy's rules have no reasons and no outputs. */
  readonly rule: Rule | undefined;
}

export function resourcePoliciesOn({ resources }: LayerPolicies, { kind }: Question): readonly ResourcePolicy[] {
  return resources.filter(({ resource }) => resource === kind || resource === sanitise(kind));
}

export function decidersOf(policies: LayerPolicies, question: Question): readonly Decider[] {
  const { kind, operation } = question;
  const about = (actions: readonly string[]) => actions.some((pattern) => matches(pattern, operation));
  const ofKind = resourcePoliciesOn(policies, question).flatMap(({ rules, derivedRoles, definitions }) =>
    rules
      .filter(({ actions }) => about(actions))
      .map((rule) => ({
        ...ruleOf(rule, definitions),
        roles: rule.roles,
        derivedRoles: rule.derivedRoles.flatMap((name) => derivedRoles.get(name) ?? []),
        principal: undefined,
      })),
  );
  const ofPrincipals = policies.principals.flatMap(({ rules, name, definitions }) =>
    rules
      .filter(({ actions, resourceName }) => about(actions) && matches(resourceName, sanitise(kind)))
      .map((rule) => ({ ...ruleOf(rule, definitions), roles: ["*"], derivedRoles: [], principal: name })),
  );
  const ofRoles = policies.roles.flatMap(({ rules, role, definitions }) =>
    rules
      .filter(({ allowActions, resource }) => about(allowActions) && matches(resource, sanitise(kind)))
      .map(({ condition }) => ({
        allows: true,
        roles: [role],
        derivedRoles: [],
        principal: undefined,
        condition,
        definitions,
        rule: undefined,
      })),
  );
  return [...ofKind, ...ofPrincipals, ...ofRoles];
}

function ruleOf(rule: Rule, definitions: Definitions): Pick<Decider, "allows" | "condition" | "definitions" | "rule"> {
  return { allows: rule.effect === "allow", condition: rule.condition, definitions, rule };
}

function matches(pattern: string, text: string): boolean {
  return isGlob(pattern) ? compileGlob(pattern)?.(text) === true : pattern === text;
}
