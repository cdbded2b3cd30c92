/**
 * The naive evaluator: the meaning of a decision, implemented directly from docs/cerbos-semantics.md (cited by section
 * number) and, for strict evaluation and the content of verdicts, from docs/verdicts.md. It takes policy files as plain
 * data, examines all of them for each request, and shares no code with `src/`. Tests compare the engine with it.
 *
 * It assumes valid policies: no name is defined twice, every import and every variable exists, every expression parses,
 * no scope is missing, and the policies of a scope agree on its permissions. It lacks optional values, which no
 * compared policy uses (`test/cel/optionals.test.ts` has laws of its own).
 */

import type { Account, DecisionRequest, Outcome } from "../../src/decisions/types.js";
import type { LayerVerdict, Reason } from "../../src/engine/plan/verdict.js";
import type { Named, PolicyDocuments } from "./documents.js";
import {
  hasPrincipalPolicy,
  hasResourcePolicy,
  principalKey,
  type Question,
  questionOf,
  resourceKey,
} from "./question.js";
import type { NaivePrincipal, NaiveResource } from "./request.js";
import type { NaiveError } from "./rules.js";
import { type ExaminedRule, personalStations, type Restriction, roleStations, type Station } from "./stations.js";

export type { NaivePrincipal, NaiveResource } from "./request.js";
export type { NaiveError } from "./rules.js";
export type { ExaminedRule, Restriction, Station } from "./stations.js";

export interface NaiveVerdict extends Omit<LayerVerdict, "errors" | "fault"> {
  readonly errors: readonly NaiveError[];
  /** Set if the denial might not occur without the errors. */
  readonly fault?: { readonly kind: "evaluation" };
}

export interface NaiveDecision {
  readonly outcome: Outcome;
  readonly permission: NaiveVerdict;
  readonly platform: NaiveVerdict;
}

/**
 * As in docs/contract.md §7.5, in this order: the platform denies → `forbidden`; the permission layer denies →
 * `insufficient_permissions`; else `allow`. Both layers are always evaluated.
 */
export function naiveDecide(
  documents: PolicyDocuments,
  request: DecisionRequest,
  globals: Named<unknown> = {},
): NaiveDecision {
  const [permission, platform] = examineLayers(documents, request, globals).map(({ verdict }) => verdict);
  if (permission === undefined || platform === undefined) throw new Error("there are two layers");
  const outcome =
    platform.effect === "deny" ? "forbidden" : permission.effect === "deny" ? "insufficient_permissions" : "allow";
  return { outcome, permission, platform };
}

/** The permission layer, then the platform layer. */
export function examineLayers(
  documents: PolicyDocuments,
  request: DecisionRequest,
  globals: Named<unknown> = {},
): readonly [Examination, Examination] {
  const { key, operation, resource, account, now } = request;
  return [
    examineLayer(documents, "default", key, resource, operation, now, globals),
    examineLayer(documents, "platform", accountPrincipal(account), resource, operation, now, globals),
  ];
}

/** In the platform layer `P` is the account, with the single role `account` (docs/policies.md). */
export function accountPrincipal(account: Account): NaivePrincipal {
  return { id: account.id, roles: ["account"], attr: account.attr, scope: account.scope };
}

/** The verdict of the layer with this version. */
export function naiveLayer(
  documents: PolicyDocuments,
  version: string,
  principal: NaivePrincipal,
  resource: NaiveResource,
  action: string,
  now: Date | undefined,
  globals: Named<unknown> = {},
): NaiveVerdict {
  return examineLayer(documents, version, principal, resource, action, now, globals).verdict;
}

/** A verdict and its derivation. */
export interface Examination {
  readonly verdict: NaiveVerdict;
  /** The examined stations in order: the principal's own policies, then role by role. */
  readonly stations: readonly Station[];
}

export function examineLayer(
  documents: PolicyDocuments,
  version: string,
  principal: NaivePrincipal,
  resource: NaiveResource,
  action: string,
  now: Date | undefined,
  globals: Named<unknown> = {},
): Examination {
  const question = questionOf(documents, version, { principal, resource, action, now, globals });
  // §2.6.1: without an applicable policy, the answer is a denial.
  if (!hasPrincipalPolicy(question) && !hasResourcePolicy(question)) return concluded(question, []);
  // A decision of the principal's own policies is final (§2.6.2).
  const personal = personalStations(question);
  if (personal.some(isRuled)) return concluded(question, personal);
  const roles = [...new Set(principal.roles)].sort();
  return concluded(question, [...personal, ...roles.flatMap((role) => roleStations(question, role))]);
}

function isRuled({ ruling }: Station): boolean {
  return ruling !== "nothing";
}

function concluded(question: Question, stations: readonly Station[]): Examination {
  const [decisive] = ["error", "allow", "deny"]
    .map((ruling) => stations.filter((one) => one.ruling === ruling))
    .filter(isSome);
  const found = inOrder(question, stations);
  const effect = decisive?.[0]?.ruling === "allow" ? "allow" : "deny";
  const { policy, scope } = decidedBy(question, decisive ?? []);
  const reasons = effect === "allow" ? allowing(question, decisive ?? []) : denying(question, stations);
  const verdict: NaiveVerdict = {
    effect,
    policy,
    scope,
    reasons: reasons.length > 0 ? unique(reasons) : [unlisted(question, policy)],
    errors: unique([
      ...found.flatMap(({ failures }) => failures),
      ...found.flatMap(({ outputFailures }) => outputFailures),
    ]),
    outputs: unique(found.flatMap(outputsOf)),
    derivedRoles: unique(stations.flatMap(({ rules }) => rules.flatMap((rule) => rule.derivedRoles))).sort(),
    ...(stations.some(isUndecided) ? { fault: { kind: "evaluation" } } : {}),
  };
  return { verdict, stations };
}

/**
 * The examined rules in the order of lists (docs/verdicts.md): the principal's own rules first, then scope by scope,
 * the most specific first. In a scope, role policies precede rules, which follow the order of their file, regardless of
 * roles.
 */
function inOrder({ resourceChain }: Question, stations: readonly Station[]): readonly (Restriction | ExaminedRule)[] {
  const personal = stations.filter(({ role }) => role === undefined);
  const byRole = stations.filter(({ role }) => role !== undefined);
  return [
    ...personal.flatMap(({ rules }) => rules),
    ...resourceChain.flatMap((scope) => {
      const there = byRole.filter((station) => station.scope === scope);
      const rules = there.flatMap((station) => station.rules);
      return [...there.flatMap(({ restrictions }) => restrictions), ...rules.sort((a, b) => a.order - b.order)];
    }),
  ];
}

function isRule(found: Restriction | ExaminedRule): found is ExaminedRule {
  return "order" in found;
}

function outputsOf(found: Restriction | ExaminedRule): LayerVerdict["outputs"] {
  if (!isRule(found)) return found.outputs;
  return found.output === undefined ? [] : [found.output];
}

/** Is an error the only reason to refuse here? */
function isUndecided({ ruling, restrictions, rules }: Station): boolean {
  const refuses = restrictions.some((one) => one.refuses) || rules.some((rule) => rule.holds && rule.effect === "deny");
  return ruling === "error" && !refuses;
}

function isSome(items: readonly unknown[]): boolean {
  return items.length > 0;
}

/** Distinct items. One rule can give equal items for two roles. */
function unique<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/**
 * The policy and scope of the verdict: of the decisive rulings in the most specific scope, the one with the first
 * policy by name. The order of roles does not matter.
 */
function decidedBy(question: Question, decisive: readonly Station[]): { policy: string; scope: string } {
  const [first, ...others] = decisive;
  if (first === undefined) return { policy: resourceKey(question), scope: "" };
  const scope = others.reduce((least, one) => (one.scope.length > least.length ? one.scope : least), first.scope);
  const policies = decisive.filter((station) => station.scope === scope).map((station) => policyOf(question, station));
  return { policy: [...policies].sort()[0] ?? "", scope };
}

/** The policy that a ruling is attributed to (§2.6). */
function policyOf(question: Question, { role, ruling, restrictions, rules }: Station): string {
  if (ruling === "error") {
    const erring = [
      ...restrictions.filter(({ failures }) => failures.length > 0),
      ...rules.filter((rule) => rule.errs),
    ];
    return erring[0]?.policy ?? "";
  }
  const refusing = restrictions.find(({ refuses }) => refuses);
  if (refusing !== undefined) return refusing.policy;
  return role === undefined ? principalKey(question) : resourceKey(question);
}

function allowing(question: Question, stations: readonly Station[]): readonly Reason[] {
  return holding(question, stations, "allow");
}

/** The DENY rules that hold where something was denied, then the errors. */
function denying(question: Question, stations: readonly Station[]): readonly Reason[] {
  const denied = stations.filter(({ ruling }) => ruling === "deny" || ruling === "error");
  const errors = inOrder(question, denied).flatMap((found): readonly Reason[] => {
    if (isRule(found)) return found.errs ? [reason("error", found)] : [];
    const { policy, failures } = found;
    return failures.map(({ rule }): Reason => ({ kind: "error", reason: rule, rule, policy }));
  });
  return [...holding(question, denied, "deny"), ...errors];
}

function holding(question: Question, stations: readonly Station[], effect: ExaminedRule["effect"]): readonly Reason[] {
  const rules = inOrder(question, stations).filter(isRule);
  return rules.filter((rule) => rule.holds && rule.effect === effect).map((rule) => reason("rule", rule));
}

function reason(kind: Reason["kind"], { reason: word, name, policy }: ExaminedRule): Reason {
  return { kind, reason: word, rule: name, policy };
}

function unlisted({ version }: Question, policy: string): Reason {
  return {
    kind: "default",
    reason: version === "platform" ? "not_available" : "not_granted",
    rule: "",
    policy: policy === "NO_MATCH" ? "" : policy,
  };
}
