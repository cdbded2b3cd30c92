/** What a generated request is to make the policies do, and how it is brought to do it. */

import { compileGlob, isGlob } from "../../policy/glob.js";
import type { Condition, Definitions, DerivedRole, ResourceRule } from "../../policy/model.js";
import type { Choices } from "./choices.js";
import { Steering, type SteeringOptions } from "./steering.js";
import type { LayerPolicies, Target } from "./subjects.js";

/** What a layer is to say: allow, deny by one of its DENY rules, deny because nothing allows, or whatever it says. */
export type Aim = "allow" | "rule" | "nothing" | "any";

/** A rule that can decide about a target, as every kind of policy has it. */
interface Decider {
  readonly allows: boolean;
  /** Roles by which it applies; `*` is any. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly DerivedRole[];
  readonly condition: Condition | undefined;
  readonly definitions: Definitions;
}

/** Changes a request so that a layer says what is wanted, as far as it can be had. */
export function pursue(aim: Aim, layer: LayerPolicies, target: Target, options: SteeringOptions): void {
  if (aim === "any") return;
  const { choices } = options;
  const deciders = decidersOf(layer, target, options);
  const allowing = deciders.filter(({ allows }) => allows);
  const denying = deciders.filter(({ allows }) => !allows);
  const denied = aim === "rule" ? choices.of(denying) : undefined;
  const allowed = aim === "nothing" ? undefined : choices.of(allowing);
  // What one rule needs can undo what another one got: the second time around little is left to do.
  for (let round = 0; round < 2; round++) {
    if (allowed !== undefined) apply(allowed, true, options);
    for (const rule of denying) if (rule !== denied) apply(rule, false, options);
    if (denied !== undefined) apply(denied, true, options);
    if (aim === "nothing") for (const rule of allowing) apply(rule, false, options);
  }
}

function decidersOf(
  layer: LayerPolicies,
  { resource, kind, operation }: Target,
  { draft }: SteeringOptions,
): readonly Decider[] {
  const id = layer.name === "permission" ? draft.key.id : draft.account.id;
  const about = (actions: readonly string[]) => actions.some((pattern) => matches(pattern, operation));
  const resources = layer.resources
    .filter((policy) => policy.resource === resource)
    .flatMap((policy) =>
      policy.rules
        .filter((rule) => about(rule.actions))
        .map((rule) => ({
          allows: rule.effect === "allow",
          roles: rule.roles,
          derivedRoles: derivedRolesOf(rule, policy.derivedRoles),
          condition: rule.condition,
          definitions: policy.definitions,
        })),
    );
  const principals = layer.principals
    .filter(({ name }) => name === id)
    .flatMap((policy) =>
      policy.rules
        .filter((rule) => about(rule.actions) && (matches(rule.resource, kind) || matches(rule.resourceName, resource)))
        .map((rule) => ({
          allows: rule.effect === "allow",
          roles: ["*"],
          derivedRoles: [],
          condition: rule.condition,
          definitions: policy.definitions,
        })),
    );
  const roles = layer.roles.flatMap((policy) =>
    policy.rules
      .filter((rule) => about(rule.allowActions) && matches(rule.resource, resource))
      .map((rule) => ({
        allows: true,
        roles: [policy.role],
        derivedRoles: [],
        condition: rule.condition,
        definitions: policy.definitions,
      })),
  );
  return [...resources, ...principals, ...roles];
}

function derivedRolesOf(rule: ResourceRule, defined: ReadonlyMap<string, DerivedRole>): readonly DerivedRole[] {
  return rule.derivedRoles.flatMap((name) => defined.get(name) ?? []);
}

function matches(pattern: string, text: string): boolean {
  return isGlob(pattern) ? compileGlob(pattern)?.(text) === true : pattern === text;
}

/** Makes a rule hold, or not hold: by its roles, or by its condition. */
function apply(rule: Decider, holds: boolean, options: SteeringOptions): void {
  const { choices, draft, layer } = options;
  const byDerived = rule.roles.length === 0 || (rule.derivedRoles.length > 0 && choices.chance(50));
  const derived = byDerived ? choices.of(rule.derivedRoles) : undefined;
  if (holds) {
    haveRole(derived?.parentRoles ?? rule.roles, options);
    if (derived !== undefined) steer(derived.condition, derived.definitions, true, options);
    steer(rule.condition, rule.definitions, true, options);
    return;
  }
  // A rule for everybody, and in the platform layer any rule, can only be stopped by its condition.
  const mustHave = layer === "platform" || rule.roles.includes("*");
  const applies = mustHave || rule.roles.some((role) => draft.key.roles.includes(role)) || rule.derivedRoles.length > 0;
  if (!applies) return;
  if (!mustHave && rule.derivedRoles.length === 0 && (rule.condition === undefined || choices.chance(50))) {
    loseRoles(rule.roles, options);
  } else steer(rule.condition, rule.definitions, false, options);
}

/** Roles are of keys: an account has the one role `account`. */
function haveRole(roles: readonly string[], { layer, draft, choices }: SteeringOptions): void {
  if (layer === "platform" || roles.includes("*") || roles.some((role) => draft.key.roles.includes(role))) return;
  const role = choices.of(roles);
  if (role !== undefined) draft.key.roles = choices.chance(50) ? [...draft.key.roles, role] : [role];
}

/** A role that no policy knows. */
export const NOBODY = "nobody";

function loseRoles(roles: readonly string[], { draft }: SteeringOptions): void {
  const left = draft.key.roles.filter((role) => !roles.includes(role));
  draft.key.roles = left.length > 0 ? left : [NOBODY];
}

function steer(
  condition: Condition | undefined,
  definitions: Definitions,
  wanted: boolean,
  options: SteeringOptions,
): void {
  if (condition !== undefined) satisfyCondition(condition, wanted, new Steering(options, definitions), options.choices);
}

function satisfyCondition(condition: Condition, wanted: boolean, steering: Steering, choices: Choices): void {
  if (condition.kind === "expr") {
    steering.satisfy(condition.expr.expr, wanted);
    return;
  }
  const { kind, of } = condition;
  // `none` holds if no member does.
  const member = kind === "none" ? !wanted : wanted;
  const together = kind === "all" ? wanted : !member;
  const chosen = choices.of(of);
  const members = together ? of : chosen === undefined ? [] : [chosen];
  for (const one of members) satisfyCondition(one, member, steering, choices);
}
