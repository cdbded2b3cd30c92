/**
 * Counts features of generated decisions. A generator that repeats one simple case proves nothing, so the property
 * tests report features that are too rare.
 */

import type { DecisionRequest } from "../../../src/decisions/types.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { type Examination, examineLayers, naiveDecide, type Station } from "../../reference/naive.js";
import { GLOBALS, RESTRICTED_ROLES } from "./vocabulary.js";

/** The counted features, each with the least share of decisions in percent. */
export const MINIMA = {
  allow: 15,
  insufficient_permissions: 15,
  forbidden: 15,
  /** A condition fails in at least one layer. */
  errors: 5,
  /** Errors are the only reason for the refusal. */
  deniedByErrors: 3,
  derivedRoles: 5,
  outputs: 5,
  /** More than one rule allows in one layer. */
  severalRules: 5,
  /** For one role, a DENY rule overrides an ALLOW rule. */
  denyOverAllow: 3,
  /** One role allows, and another denies. */
  rolesDisagree: 1,
  /** No rule matches in at least one layer. */
  defaults: 3,
} as const;

export type Feature = keyof typeof MINIMA;

/** The same for sets of the whole language: also the place where a layer decides. */
export const WHOLE_MINIMA = {
  ...MINIMA,
  /** A principal policy decides, also in a scope; or it is about the request but leaves the decision to the roles. */
  personalAllow: 1,
  personalDenial: 1,
  personalError: 1,
  personalInScope: 1,
  personalUndecided: 1,
  /** A role policy refuses or errs; or a role that no rule names is allowed by a role that it includes. */
  roleRefusal: 1,
  roleError: 0.3,
  included: 1,
  /** The distance of the verdict's scope from the root; also verdicts of the root for a request in a scope. */
  twoBelowRoot: 1,
  oneBelowRoot: 1,
  rootFromBelow: 1,
  /** An ALLOW rule holds but needs the parents' consent. */
  asksParents: 1,
  /** The scope has no policy for the kind. */
  noMatch: 1,
  outputErrors: 1,
} as const;

export type WholeFeature = keyof typeof WHOLE_MINIMA;

export interface Coverage<F extends string = Feature> {
  /** Counts one request, with features that the naive evaluator finds. */
  record(documents: PolicyDocuments, request: DecisionRequest): void;
  shares(): { readonly [feature in F]: number };
  /** Features below their minimum, each with its share. */
  shortfalls(): readonly string[];
  readonly total: number;
}

export function newCoverage(): Coverage {
  return coverageOf(MINIMA, featuresOf);
}

export function newWholeCoverage(): Coverage<WholeFeature> {
  return coverageOf(WHOLE_MINIMA, (documents, request) => ({
    ...featuresOf(documents, request),
    ...wholeFeaturesOf(documents, request),
  }));
}

type Present<F extends string> = { readonly [feature in F]: boolean };

function coverageOf<F extends string>(
  minima: { readonly [feature in F]: number },
  presentIn: (documents: PolicyDocuments, request: DecisionRequest) => Present<F>,
): Coverage<F> {
  const features = Object.keys(minima) as F[];
  const counts = new Map<F, number>();
  let total = 0;
  const share = (feature: F) => Math.round((1000 * (counts.get(feature) ?? 0)) / Math.max(1, total)) / 10;
  return {
    record(documents, request) {
      total += 1;
      const present = presentIn(documents, request);
      for (const feature of features) if (present[feature]) counts.set(feature, (counts.get(feature) ?? 0) + 1);
    },
    shares: () => Object.fromEntries(features.map((f) => [f, share(f)])) as { [feature in F]: number },
    shortfalls: () => features.filter((f) => share(f) < minima[f]).map((f) => `${f}: ${share(f)} % < ${minima[f]} %`),
    get total() {
      return total;
    },
  };
}

function featuresOf(documents: PolicyDocuments, request: DecisionRequest): Present<Feature> {
  const layers = examineLayers(documents, request, GLOBALS);
  const decision = naiveDecide(documents, request, GLOBALS);
  const some = (test: (layer: Examination) => boolean) => layers.some(test);
  const byErrors = ({ verdict }: Examination) => verdict.reasons.every((reason) => reason.kind === "error");
  return {
    allow: decision.outcome === "allow",
    insufficient_permissions: decision.outcome === "insufficient_permissions",
    forbidden: decision.outcome === "forbidden",
    errors: some(({ stations }) => stations.some(({ ruling }) => ruling === "error")),
    deniedByErrors: some(byErrors),
    derivedRoles: some(({ verdict }) => verdict.derivedRoles.length > 0),
    outputs: some(({ verdict }) => verdict.outputs.length > 0),
    severalRules: some(({ verdict }) => verdict.effect === "allow" && verdict.reasons.length > 1),
    denyOverAllow: some(({ stations }) => stations.some(denyOverAllow)),
    rolesDisagree: some(rolesDisagree),
    defaults: some(({ verdict }) => verdict.reasons.some((reason) => reason.kind === "default")),
  };
}

function denyOverAllow({ ruling, rules }: Station): boolean {
  return ruling === "deny" && rules.some((rule) => rule.holds && rule.effect === "allow");
}

function rolesDisagree({ stations }: Examination): boolean {
  const rulings = stations.map(({ ruling }) => ruling);
  return rulings.includes("allow") && rulings.includes("deny");
}

type WholeOnly = Exclude<WholeFeature, Feature>;

function wholeFeaturesOf(documents: PolicyDocuments, request: DecisionRequest): Present<WholeOnly> {
  const layers = examineLayers(documents, request, GLOBALS);
  const stations = layers.flatMap((layer) => layer.stations);
  const personal = stations.filter(({ role }) => role === undefined);
  const byRole = stations.filter(({ role }) => role !== undefined);
  const rules = personal.some(({ ruling }) => ruling !== "nothing");
  const scopes = layers.map(({ verdict }) => verdict.scope).filter((scope) => scope !== "");
  return {
    personalAllow: personal.some(({ ruling }) => ruling === "allow"),
    personalDenial: personal.some(({ ruling }) => ruling === "deny"),
    personalError: personal.some(({ ruling }) => ruling === "error"),
    personalInScope: personal.some(({ ruling, scope }) => ruling !== "nothing" && scope !== ""),
    personalUndecided: !rules && personal.some((station) => station.rules.length > 0),
    roleRefusal: byRole.some(({ restrictions }) => restrictions.some(({ refuses }) => refuses)),
    roleError: byRole.some(({ restrictions }) => restrictions.some(({ failures }) => failures.length > 0)),
    included: byRole.some(({ role, ruling }) => ruling === "allow" && RESTRICTED_ROLES.some((one) => one === role)),
    twoBelowRoot: scopes.some((scope) => scope.includes(".")),
    oneBelowRoot: scopes.some((scope) => !scope.includes(".")),
    rootFromBelow: layers.some(({ verdict }) => verdict.policy.includes("/") && verdict.scope === ""),
    asksParents: stations.some(asksParents),
    noMatch: layers.some(({ verdict }) => verdict.policy === "NO_MATCH"),
    outputErrors: stations.some((station) => station.rules.some(({ outputFailures }) => outputFailures.length > 0)),
  };
}

function asksParents({ ruling, rules }: Station): boolean {
  return ruling === "nothing" && rules.some(({ holds, effect }) => holds && effect === "allow");
}
