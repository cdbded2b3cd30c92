/** Aims of a generated request, and how the request is changed to reach them. */

import type { Condition, Definitions } from "../../policy/model.js";
import type { DecidingRule } from "../../space/deciding-rules.js";
import { UNNAMED_ROLE } from "../../space/question-space.js";
import type { SeededChoices } from "./choices.js";
import { Steering, type SteeringOptions } from "./steering.js";

/** The intended verdict of a layer: allow, deny by one of its DENY rules, deny because nothing allows, or any. */
export type IntendedVerdict = "allow" | "rule" | "nothing" | "any";

/** Changes a request towards the intended verdict of a layer. Best effort. */
export function steerTowards(aim: IntendedVerdict, all: readonly DecidingRule[], options: SteeringOptions): void {
  if (aim === "any") return;
  const { choices, draft, layer } = options;
  const { id } = draft.draft.principal(layer);
  const deciders = all.filter(({ principal }) => principal === undefined || principal === id);
  const allowing = deciders.filter(({ allows }) => allows);
  const denying = deciders.filter(({ allows }) => !allows);
  const denied = aim === "rule" ? choices.of(denying) : undefined;
  const allowed = aim === "nothing" ? undefined : choices.of(allowing);
  // Changes for one rule can undo changes for another. The second round repairs most of that.
  for (let round = 0; round < 2; round++) {
    if (allowed !== undefined) apply(allowed, true, options);
    for (const rule of denying) if (rule !== denied) apply(rule, false, options);
    if (denied !== undefined) apply(denied, true, options);
    if (aim === "nothing") for (const rule of allowing) apply(rule, false, options);
  }
}

/** Makes a rule hold, or not hold, by its roles or by its condition. */
function apply(rule: DecidingRule, holds: boolean, options: SteeringOptions): void {
  const { choices, draft, layer } = options;
  const byDerived = rule.roles.length === 0 || (rule.derivedRoles.length > 0 && choices.chance(50));
  const derived = byDerived ? choices.of(rule.derivedRoles) : undefined;
  if (holds) {
    haveRole(derived?.parentRoles ?? rule.roles, options);
    if (derived !== undefined) steer(derived.condition, derived.definitions, true, options);
    steer(rule.condition, rule.definitions, true, options);
    return;
  }
  // Only the condition can stop a rule for all roles, and any rule of the platform layer.
  const mustHave = layer === "platform" || rule.roles.includes("*");
  const applies =
    mustHave || rule.roles.some((role) => draft.draft.key.roles.includes(role)) || rule.derivedRoles.length > 0;
  if (!applies) return;
  if (!mustHave && rule.derivedRoles.length === 0 && (rule.condition === undefined || choices.chance(50))) {
    loseRoles(rule.roles, options);
  } else steer(rule.condition, rule.definitions, false, options);
}

/** Only keys get roles: an account always has the single role `account`. */
function haveRole(roles: readonly string[], { layer, draft, choices }: SteeringOptions): void {
  if (layer === "platform" || roles.includes("*") || roles.some((role) => draft.draft.key.roles.includes(role))) return;
  const role = choices.of(roles);
  if (role !== undefined) draft.draft.key.roles = choices.chance(50) ? [...draft.draft.key.roles, role] : [role];
}

function loseRoles(roles: readonly string[], { draft }: SteeringOptions): void {
  const left = draft.draft.key.roles.filter((role) => !roles.includes(role));
  draft.draft.key.roles = left.length > 0 ? left : [UNNAMED_ROLE];
}

function steer(
  condition: Condition | undefined,
  definitions: Definitions,
  wanted: boolean,
  options: SteeringOptions,
): void {
  if (condition !== undefined) satisfyCondition(condition, wanted, new Steering(options, definitions), options.choices);
}

function satisfyCondition(condition: Condition, wanted: boolean, steering: Steering, choices: SeededChoices): void {
  if (condition.kind === "expr") {
    steering.satisfy(condition.expr.expr, wanted);
    return;
  }
  const { kind, of } = condition;
  // `none` holds if all its members are false.
  const member = kind === "none" ? !wanted : wanted;
  const together = kind === "all" ? wanted : !member;
  const chosen = choices.of(of);
  const members = together ? of : chosen === undefined ? [] : [chosen];
  for (const one of members) satisfyCondition(one, member, steering, choices);
}
