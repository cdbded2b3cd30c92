/** The policies that mean something else at another level of the policy language. */

import { children, type Expr, testedBy } from "../../cel/ast.js";
import { requestValueOf } from "../../cel/expression-usage.js";
import { overloadsOf } from "../../cel/functions/registry.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { isAboutAction, isAboutKind, type RuleTarget, targetOf } from "../../engine/plan/targets.js";
import { allPolicies } from "../../policy/all-policies.js";
import type { SourcePosition } from "../../policy/issue.js";
import type { AnyPolicy, Expression, RolePolicy } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { expressionsOf } from "../../policy/policy-expressions.js";
import { namesLikePatterns } from "../../policy/role-names.js";
import type { DecisionChange, PolicyDiff } from "../diff/types.js";
import type { Finding } from "./finding.js";

/** A part of a policy with another meaning. */
interface ChangedPart {
  readonly at: SourcePosition;
  readonly what: string;
  /** Only query plans change, and no decision. */
  readonly inPlansOnly: boolean;
}

export interface UpgradeReport {
  readonly findings: readonly Finding[];
  /** The number of policies with decisions that are neither known to change nor proved to stay. */
  readonly undecided: number;
}

/**
 * The findings about policies with a part that means something else in `after` than in `before`: the same files, at
 * another level. A warning has a request that is decided otherwise, from `diff`. A policy has none if `diff` proves that
 * its decisions stay. A note is about query plans alone, or about an undecided policy.
 */
export function upgradeReport(before: PolicySet, after: PolicySet, diff: PolicyDiff): UpgradeReport {
  const later = new Map(allPolicies(after.model).map((policy) => [policy.key, policy]));
  let undecided = 0;
  const findings = allPolicies(before.model).flatMap((policy) => {
    const upgraded = later.get(policy.key) ?? policy;
    const parts = changedParts(policy, upgraded);
    const decided = together(parts.filter(({ inPlansOnly }) => !inPlansOnly));
    const planned = together(parts.filter(({ inPlansOnly }) => inPlansOnly));
    const finding = decided && ofDecisions(decided, policy, upgraded, diff);
    if (finding?.severity === "note") undecided++;
    return [...(finding === undefined ? [] : [finding]), ...(planned === undefined ? [] : [ofPlans(planned)])];
  });
  return { findings, undecided };
}

/** One finding for several parts, at the first: any of them may change a decision. */
function together(parts: readonly ChangedPart[]): ChangedPart | undefined {
  const [first] = parts;
  return first && { ...first, what: [...new Set(parts.map(({ what }) => what))].join("; ") };
}

function ofDecisions(
  { at, what }: ChangedPart,
  policy: AnyPolicy,
  upgraded: AnyPolicy,
  diff: PolicyDiff,
): Finding | undefined {
  const targets = [...targetsOf(policy), ...targetsOf(upgraded)];
  const isAbout = ({ kind, operation }: { readonly kind: string; readonly operation: string }) =>
    targets.some((target) => isAboutKind(target, sanitise(kind)) && isAboutAction(target, operation));
  const change = diff.changes.find(
    (one) => isAbout(one) && (policy.kind !== "role" || one.roles.some((held) => held.includes(policy.role))),
  );
  const finding = { ...at, code: "changed_meaning" } as const;
  if (change !== undefined) return { ...finding, severity: "warning", message: `${what}: ${changed(change)}` };
  const undecided = "no request was found that is decided otherwise, and none was ruled out";
  const isOpen = [...diff.unproven, ...diff.gaps].some(isAbout);
  return isOpen ? { ...finding, severity: "note", message: `${what}: ${undecided}` } : undefined;
}

function changed({ operation, kind, from, to, request }: DecisionChange): string {
  return `${operation} on ${kind} is decided ${to} in place of ${from}, as in ${JSON.stringify(request)}`;
}

function ofPlans({ at, what }: ChangedPart): Finding {
  return { ...at, code: "changed_meaning", severity: "note", message: what };
}

function targetsOf(policy: AnyPolicy): readonly RuleTarget[] {
  return policy.rules.map((rule) => targetOf(policy, rule));
}

function changedParts(policy: AnyPolicy, upgraded: AnyPolicy): readonly ChangedPart[] {
  const rules = policy.kind === "role" && upgraded.kind === "role" ? changedRules(policy, upgraded) : [];
  return [...rules, ...expressionsOf(policy).flatMap(changedCalls), ...personalDenials(policy)];
}

/** Any condition can hold for every resource of a plan, for a plan knows some attributes of the resources. */
function personalDenials(policy: AnyPolicy): readonly ChangedPart[] {
  if (policy.kind !== "principal") return [];
  const what = "query plans heed a principal policy that denies every resource since Cerbos 0.56";
  return policy.rules.filter(({ effect }) => effect === "deny").map(({ at }) => ({ at, what, inPlansOnly: true }));
}

function changedRules({ rules }: RolePolicy, upgraded: RolePolicy): readonly ChangedPart[] {
  return rules.flatMap((rule, i) => [
    ...namesLikePatterns(rule).map((name) => ({ ...name, inPlansOnly: false })),
    ...(upgraded.rules[i]?.resourceName === rule.resourceName
      ? []
      : [
          {
            at: rule.at,
            what: `"${rule.resource}" matches this kind in a role policy since Cerbos 0.56`,
            inPlansOnly: false,
          },
        ]),
  ]);
}

const VERSIONS: ReadonlySet<string> = new Set(["P.policyVersion", "R.policyVersion"]);

function changedCalls(expression: Expression): readonly ChangedPart[] {
  const found: ChangedPart[] = [];
  const visit = (node: Expr): void => {
    const what = node.kind === "call" || node.kind === "member" ? changedFunction(node) : undefined;
    if (what !== undefined) found.push({ at: expression.position(node.at), what, inPlansOnly: false });
    if (node.kind === "has" && requestValueOf(testedBy(node))?.root.path === "R.attr") {
      const kept = "query plans keep has() of an attribute of the resource since Cerbos 0.57";
      found.push({ at: expression.position(node.at), what: kept, inPlansOnly: true });
    }
    const { root, path = [] } = requestValueOf(node) ?? {};
    if (root !== undefined && path.length === 0 && VERSIONS.has(root.path)) {
      const what = `query plans know ${root.path} since Cerbos 0.58`;
      found.push({ at: expression.position(node.at), what, inPlansOnly: true });
    }
    for (const child of children(node)) visit(child);
  };
  visit(expression.expr);
  return found;
}

/** A function that each level has with a meaning of its own. */
function changedFunction({ kind, fn, overload }: Extract<Expr, { kind: "call" | "member" }>): string | undefined {
  const all = overloadsOf(fn, kind === "member" ? "member" : "global");
  const isOfLevel = all[overload ?? -1]?.level !== undefined;
  return isOfLevel && all.length > 1 ? `${fn}() holds for names with a dot in front since Cerbos 0.58` : undefined;
}
