/** Rules that other rules of the same policy leave nothing to do. */

import { entriesFor, matchers } from "../../engine/plan/actions.js";
import { isGlob } from "../../policy/glob.js";
import type { Condition, ResourcePolicy, ResourceRule } from "../../policy/model.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";

const ANY = "*";

export function coverageFindings(policy: ResourcePolicy): readonly Finding[] {
  return policy.rules.flatMap((rule, i) => {
    const finding =
      rule.effect === "allow" ? (shadowed(policy, rule) ?? redundant(policy, rule)) : redundant(policy, rule);
    return [finding, everything(policy, rule)].flatMap((one) =>
      one === undefined ? [] : [{ ...one, ...rule.at, rule: ruleId(policy, i) }],
    );
  });
}

type Found = Pick<Finding, "code" | "severity" | "message" | "hint">;

/** `ALLOW * to *`, whatever the request. */
function everything({ derivedRoles }: ResourcePolicy, rule: ResourceRule): Found | undefined {
  const isForAll =
    rule.roles.includes(ANY) ||
    rule.derivedRoles.some((name) => {
      const role = derivedRoles.get(name);
      return role?.condition === undefined && role?.parentRoles.includes(ANY);
    });
  if (rule.effect !== "allow" || rule.condition !== undefined || !isForAll || !rule.actions.includes(ANY))
    return undefined;
  const message = `rule ${rule.name} allows every operation to everybody, whatever the request, those included that do not exist yet`;
  return {
    code: "allows_everything",
    severity: "warning",
    message,
    hint: "list the operations, or the roles, or add a condition",
  };
}

/** An ALLOW rule that unconditional DENY rules cover, for each of its actions and roles. */
function shadowed(policy: ResourcePolicy, rule: ResourceRule): Found | undefined {
  const denials = policy.rules.filter((each) => each.effect === "deny" && each.condition === undefined);
  const covering = coveredBy(policy, rule, denials);
  if (covering === undefined) return undefined;
  const message = `rule ${rule.name} never allows anything: ${listed(covering)} ${covering.length === 1 ? "denies" : "deny"} the same actions to the same roles, whatever the request`;
  return {
    code: "shadowed_rule",
    severity: "warning",
    message,
    hint: "take one of them out, or give the DENY a condition",
  };
}

/** A rule that says what another rule says already. One with an output of its own still says something. */
function redundant(policy: ResourcePolicy, rule: ResourceRule): Found | undefined {
  if (rule.output !== undefined) return undefined;
  const earlier = policy.rules.indexOf(rule);
  const others = policy.rules.filter((each, i) => {
    if (each === rule || each.effect !== rule.effect) return false;
    if (each.condition === undefined) return rule.condition !== undefined || i < earlier;
    return i < earlier && rule.condition !== undefined && sameCondition(each.condition, rule.condition);
  });
  const covering = coveredBy(policy, rule, others);
  if (covering === undefined) return undefined;
  const verb = rule.effect === "allow" ? "allows" : "denies";
  const message = `rule ${rule.name} ${verb} nothing that ${listed(covering)} does not ${rule.effect} already`;
  return { code: "redundant_rule", severity: "note", message, hint: "take it out" };
}

/** The rules, of those given, that together cover each action and role of a rule; undefined if they do not. */
function coveredBy(
  policy: ResourcePolicy,
  rule: ResourceRule,
  others: readonly ResourceRule[],
): readonly ResourceRule[] | undefined {
  const used = new Set<ResourceRule>();
  const parents = rule.derivedRoles.map((name) => policy.derivedRoles.get(name)?.parentRoles ?? [ANY]);
  const wanted = [...(rule.roles.length > 0 ? [rule.roles] : []), ...parents].flat();
  for (const action of rule.actions) {
    for (const role of wanted) {
      const covering = others.find((other) => hasAction(other, action) && hasRole(other, role));
      if (covering === undefined) return undefined;
      used.add(covering);
    }
  }
  return used.size === 0 ? undefined : [...used];
}

/** Whether a rule is about every action that a pattern means: only the same pattern, or `*`, certainly is. */
function hasAction({ actions }: ResourceRule, action: string): boolean {
  if (actions.includes(action) || actions.includes(ANY)) return true;
  return !isGlob(action) && entriesFor(matchers(actions), action) > 0;
}

function hasRole({ roles }: ResourceRule, role: string): boolean {
  return roles.includes(ANY) || roles.includes(role);
}

function sameCondition(a: Condition, b: Condition): boolean {
  if (a.kind === "expr" || b.kind === "expr")
    return a.kind === "expr" && b.kind === "expr" && a.expr.source === b.expr.source;
  return (
    a.kind === b.kind &&
    a.of.length === b.of.length &&
    a.of.every((each, i) => {
      const other = b.of[i];
      return other !== undefined && sameCondition(each, other);
    })
  );
}

function listed(rules: readonly ResourceRule[]): string {
  return rules.map(({ name }) => name).join(" and ");
}
