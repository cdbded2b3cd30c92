/**
 * What generated decisions have in them. A generator that makes the same simple case over and over proves nothing, so
 * the property tests count what they have seen and say when it was too little.
 */

import type { DecisionRequest } from "../../../src/decisions/types.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { type Examination, examineLayers, naiveDecide, type Station } from "../../reference/naive.js";

/** What is counted, and the least share of decisions that has it, in percent. */
export const MINIMA = {
  allow: 15,
  insufficient_permissions: 15,
  forbidden: 15,
  /** A condition fails in either layer. */
  errors: 5,
  /** The decision is a refusal for no other reason than errors. */
  deniedByErrors: 3,
  derivedRoles: 5,
  outputs: 5,
  /** One layer allows for more than one rule. */
  severalRules: 5,
  /** For one role, a DENY rule beats an ALLOW rule. */
  denyOverAllow: 3,
  /** One role allows, another denies. */
  rolesDisagree: 1,
  /** Nothing matches, in either layer. */
  defaults: 3,
} as const;

export type Feature = keyof typeof MINIMA;

export interface Coverage {
  /** Counts one request; the naive evaluator is asked what is in it. */
  record(documents: PolicyDocuments, request: DecisionRequest): void;
  /** The share of decisions that have each feature, in percent. */
  shares(): { readonly [feature in Feature]: number };
  /** The features that fall short of their minimum, each with its share. Empty if all is well. */
  shortfalls(): readonly string[];
  readonly total: number;
}

export function newCoverage(): Coverage {
  const counts = new Map<Feature, number>();
  let total = 0;
  const shares = () => {
    const share = (feature: Feature) => Math.round((1000 * (counts.get(feature) ?? 0)) / Math.max(1, total)) / 10;
    const features = Object.keys(MINIMA) as Feature[];
    return Object.fromEntries(features.map((f) => [f, share(f)])) as { [feature in Feature]: number };
  };
  return {
    record(documents, request) {
      total += 1;
      for (const feature of featuresOf(documents, request)) counts.set(feature, (counts.get(feature) ?? 0) + 1);
    },
    shares,
    shortfalls() {
      const measured = Object.entries(shares()) as [Feature, number][];
      return measured
        .filter(([f, share]) => share < MINIMA[f])
        .map(([f, share]) => `${f}: ${share} % < ${MINIMA[f]} %`);
    },
    get total() {
      return total;
    },
  };
}

function featuresOf(documents: PolicyDocuments, request: DecisionRequest): ReadonlySet<Feature> {
  const layers = examineLayers(documents, request);
  const decision = naiveDecide(documents, request);
  const some = (test: (layer: Examination) => boolean) => layers.some(test);
  const byErrors = ({ verdict }: Examination) => verdict.reasons.every((reason) => reason.kind === "error");
  const present: { readonly [feature in Feature]: boolean } = {
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
  return new Set((Object.keys(present) as Feature[]).filter((feature) => present[feature]));
}

function denyOverAllow({ ruling, rules }: Station): boolean {
  return ruling === "deny" && rules.some((rule) => rule.holds && rule.effect === "allow");
}

function rolesDisagree({ stations }: Examination): boolean {
  const rulings = stations.map(({ ruling }) => ruling);
  return rulings.includes("allow") && rulings.includes("deny");
}
