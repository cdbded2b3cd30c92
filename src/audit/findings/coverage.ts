/** Rules that have no effect because other rules of the policy cover them. */

import { isGlob } from "../../policy/glob.js";
import type { Condition, ResourcePolicy, ResourceRule } from "../../policy/model.js";
import { RulesByAction } from "../operations/rules-by-action.js";
import { ruleId } from "../policies.js";
import type { Finding } from "./finding.js";

const ANY = "*";

export function coverageFindings(policy: ResourcePolicy): readonly Finding[] {
  const rules = new RulesByAction(policy.rules);
  return policy.rules.flatMap((rule, i) => {
    const covered = (isCovering: IsCovering) => coveredBy(policy, rules, rule, isCovering);
    const finding = (rule.effect === "allow" ? shadowed(rule, covered) : undefined) ?? redundant(rule, i, covered);
    return [finding, everything(policy, rule)].flatMap((one) =>
      one === undefined ? [] : [{ ...one, ...rule.at, rule: ruleId(policy, i) }],
    );
  });
}

type CoverageFault = Pick<Finding, "code" | "severity" | "message" | "hint">;

/** Can a rule cover the rule in question? */
type IsCovering = (each: ResourceRule, at: number) => boolean;

/** The rules that cover the rule in question. */
type Covered = (isCovering: IsCovering) => readonly ResourceRule[] | undefined;

/** `ALLOW * to *`, for every request. */
function everything({ derivedRoles }: ResourcePolicy, rule: ResourceRule): CoverageFault | undefined {
  const isForAll =
    rule.roles.includes(ANY) ||
    rule.derivedRoles.some((name) => {
      const role = derivedRoles.get(name);
      return role?.condition === undefined && role?.parentRoles.includes(ANY);
    });
  if (rule.effect !== "allow" || rule.condition !== undefined || !isForAll || !rule.actions.includes(ANY))
    return undefined;
  const message = `rule ${rule.name} allows every operation to everybody for every request, including operations that do not exist yet`;
  return {
    code: "allows_everything",
    severity: "warning",
    message,
    hint: "list the operations or the roles, or add a condition",
  };
}

/** An ALLOW rule that unconditional DENY rules cover, for each of its actions and roles. */
function shadowed(rule: ResourceRule, covered: Covered): CoverageFault | undefined {
  const covering = covered((each) => each.effect === "deny" && each.condition === undefined);
  if (covering === undefined) return undefined;
  const message = `rule ${rule.name} never allows anything: ${listed(covering)} ${covering.length === 1 ? "denies" : "deny"} the same actions to the same roles for every request`;
  return {
    code: "shadowed_rule",
    severity: "warning",
    message,
    hint: "remove one of the rules, or give the DENY rule a condition",
  };
}

/** A rule with the same effect as another. A rule with an output of its own still has an effect. */
function redundant(rule: ResourceRule, at: number, covered: Covered): CoverageFault | undefined {
  if (rule.output !== undefined) return undefined;
  const covering = covered((each, i) => {
    if (i === at || each.effect !== rule.effect) return false;
    if (each.condition === undefined) return rule.condition !== undefined || i < at;
    return i < at && rule.condition !== undefined && sameCondition(each.condition, rule.condition);
  });
  if (covering === undefined) return undefined;
  const verb = rule.effect === "allow" ? "allows" : "denies";
  const message = `rule ${rule.name} ${verb} only requests that ${listed(covering)} already ${covering.length === 1 ? verb : rule.effect}`;
  return { code: "redundant_rule", severity: "note", message, hint: "remove it" };
}

/** The rules, among those that can cover, that together cover each action and role of a rule; otherwise undefined. */
function coveredBy(
  policy: ResourcePolicy,
  rules: RulesByAction<ResourceRule>,
  rule: ResourceRule,
  isCovering: IsCovering,
): readonly ResourceRule[] | undefined {
  const used = new Set<ResourceRule>();
  const parents = rule.derivedRoles.map((name) => policy.derivedRoles.get(name)?.parentRoles ?? [ANY]);
  const wanted = [...(rule.roles.length > 0 ? [rule.roles] : []), ...parents].flat();
  for (const action of rule.actions) {
    const others = rules.about(action).filter(({ rule, i }) => isCovering(rule, i) && hasWhole(rule, action));
    for (const role of wanted) {
      const covering = others.find((other) => hasRole(other.rule, role));
      if (covering === undefined) return undefined;
      used.add(covering.rule);
    }
  }
  return used.size === 0 ? undefined : [...used];
}

/** Does a rule match every action that a pattern means? Only the same pattern, or `*`, certainly does. */
function hasWhole({ actions }: ResourceRule, action: string): boolean {
  return !isGlob(action) || actions.includes(action) || actions.includes(ANY);
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
