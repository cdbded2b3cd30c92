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

/**
 * A finding for each policy with a part that means something else in `after` than in `before`: the same files, at another
 * level. A warning has a request that is decided otherwise, from `diff`, or says that none was found. A note is about
 * query plans alone.
 */
export function upgradeFindings(before: PolicySet, after: PolicySet, diff: PolicyDiff): readonly Finding[] {
  const later = new Map(allPolicies(after.model).map((policy) => [policy.key, policy]));
  return allPolicies(before.model).flatMap((policy) => {
    const parts = changedParts(policy);
    const targets = [policy, later.get(policy.key)].flatMap((one) => (one === undefined ? [] : targetsOf(one)));
    const decided = parts.find(({ inPlansOnly }) => !inPlansOnly);
    const planned = parts.find(({ inPlansOnly }) => inPlansOnly);
    return [
      ...(decided === undefined ? [] : [ofDecisions(decided, changeIn(policy, targets, diff), diff)]),
      ...(planned === undefined ? [] : [ofPlans(planned)]),
    ];
  });
}

function ofDecisions({ at, what }: ChangedPart, change: DecisionChange | undefined, diff: PolicyDiff): Finding {
  const found = change === undefined ? undecided(diff) : changed(change);
  return { ...at, code: "changed_meaning", severity: "warning", message: `${what}: ${found}` };
}

function changed({ operation, kind, from, to, request }: DecisionChange): string {
  return `${operation} on ${kind} is decided ${to} in place of ${from}, as in ${JSON.stringify(request)}`;
}

function undecided({ result }: PolicyDiff): string {
  if (result === "equal") return "no decision changes, which is proved";
  return "no request was found that is decided otherwise, and none was ruled out";
}

function ofPlans({ at, what }: ChangedPart): Finding {
  return { ...at, code: "changed_meaning", severity: "note", message: what };
}

function targetsOf(policy: AnyPolicy): readonly RuleTarget[] {
  return policy.rules.map((rule) => targetOf(policy, rule));
}

/** A change that a policy can be the cause of. */
function changeIn(policy: AnyPolicy, targets: readonly RuleTarget[], diff: PolicyDiff): DecisionChange | undefined {
  const isIts = ({ kind, operation, roles }: DecisionChange) =>
    (policy.kind !== "role" || roles.some((held) => held.includes(policy.role))) &&
    targets.some((target) => isAboutKind(target, sanitise(kind)) && isAboutAction(target, operation));
  return diff.changes.find(isIts);
}

function changedParts(policy: AnyPolicy): readonly ChangedPart[] {
  return [...(policy.kind === "role" ? changedRules(policy) : []), ...expressionsOf(policy).flatMap(changedCalls)];
}

function changedRules({ rules }: RolePolicy): readonly ChangedPart[] {
  return rules.flatMap((rule) => [
    ...namesLikePatterns(rule).map((name) => ({ ...name, inPlansOnly: false })),
    ...(sanitise(rule.resource) === rule.resource
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

function changedCalls(expression: Expression): readonly ChangedPart[] {
  const found: ChangedPart[] = [];
  const visit = (node: Expr): void => {
    const what = node.kind === "call" || node.kind === "member" ? changedFunction(node) : undefined;
    if (what !== undefined) found.push({ at: expression.position(node.at), what, inPlansOnly: false });
    if (node.kind === "has" && requestValueOf(testedBy(node))?.root.path === "R.attr") {
      const kept = "query plans keep has() of an attribute of the resource since Cerbos 0.57";
      found.push({ at: expression.position(node.at), what: kept, inPlansOnly: true });
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
  return isOfLevel && all.length > 1 ? `${fn}() resolves dot segments since Cerbos 0.58` : undefined;
}
