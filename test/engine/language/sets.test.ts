/**
 * Whole policy sets, with scopes, role policies, principal policies, derived roles and both layers: for generated sets,
 * the plans, formulas, filters and decisions are recorded.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type DecisionTracer, decisionTracer, traceDecision } from "../../../src/decisions/trace.js";
import type { Layer } from "../../../src/engine/evaluate/layer.js";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { decide, type PolicySet, planDecisions } from "../../../src/index.js";
import { sanitise } from "../../../src/policy/names.js";
import { type PlainRequest, type Profile, policySet, request } from "../../property/arbitraries/index.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { compiledDocuments } from "../../support/policies.js";
import { digest } from "../../support/recording.js";
import { sourceOf } from "../formula/asked.js";
import { recordingOf } from "./recorded.js";
import { formulaTexts, jsonText, planText } from "./texts.js";

const recording = recordingOf("sets");
afterAll(() => recording.close());

const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];

/** For each profile. */
const SETS = 12;

/** For each set. */
const REQUESTS = 8;

const CASES = PROFILES.flatMap((profile) =>
  Array.from({ length: SETS }, (_, i) => [`${profile} ${i}`, profile, i] as const),
);

interface Asked {
  readonly documents: PolicyDocuments;
  readonly requests: readonly PlainRequest[];
}

/** Built once and shared: no question here changes it. */
const asked = new Map<string, Asked>();

function askedOf(name: string, profile: Profile, seed: number): Asked {
  const known = asked.get(name);
  if (known !== undefined) return known;
  const [documents = []] = fc.sample(policySet({ profile }), { numRuns: 1, seed });
  const made = { documents, requests: fc.sample(request(documents), { numRuns: REQUESTS, seed }) };
  asked.set(name, made);
  return made;
}

type Read = (policies: PolicySet, one: PlainRequest, tracer: DecisionTracer) => readonly string[];

const READ: readonly (readonly [what: string, requests: number, read: Read])[] = [
  ["plans", REQUESTS, planTexts],
  ["rows", REQUESTS, (policies, one) => [jsonText(rowsOf(policies, one))]],
  ["decisions", REQUESTS, (policies, one) => [jsonText(decide(policies, one))]],
  ["traces", REQUESTS, (_, one, tracer) => [jsonText(traceDecision(tracer, one))]],
  ["formulas", 1, formulasOf],
];

describe.each(READ)("%s", (what, count, read) => {
  test.each(CASES)("%s", (name, profile, seed) => {
    const { documents, requests } = askedOf(name, profile, seed);
    const policies = compiledDocuments(documents);
    const tracer = decisionTracer(policies);
    const texts = requests.slice(0, count).map((one) => digest(read(policies, one, tracer).join("\n")));
    expect(texts.join(",")).toBe(recording.wordOf(name, what, texts.join(",")));
  });
});

/** The layers, each with the request part that is its principal. */
function layersOf({ permission, platform }: PolicySet, { key, account }: PlainRequest) {
  const all: (readonly [Layer, "key" | "account", { readonly roles: readonly string[] } & PlainRequest["account"]])[] =
    [[permission, "key", key]];
  if (platform !== undefined) all.push([platform, "account", { ...account, roles: ["account"] }]);
  return all;
}

const input = (part: object) => ({ id: "", kind: "", scope: "", roles: [], attr: {}, ...part });

function planTexts(policies: PolicySet, one: PlainRequest): readonly string[] {
  return layersOf(policies, one).map(([layer, , principal]) =>
    planText(layer.planFor(input(principal), input(one.resource), one.operation).plan),
  );
}

function rowsOf(policies: PolicySet, { key, account, resource, operation, ...rest }: PlainRequest): object {
  const { kind, attr, scope } = resource;
  const [known] = Object.entries(attr);
  const given = {
    attr: Object.fromEntries(known === undefined ? [] : [known]),
    ...(scope === undefined ? {} : { scope }),
  };
  return planDecisions(policies, { key, account, operation, kind, resource: given, withForbidden: true, ...rest });
}

function formulasOf(policies: PolicySet, one: PlainRequest): readonly string[] {
  const world = new FormulaWorld();
  const plans = new PlanFormulas(world, roleClassesOf([policies]) ?? []);
  const question = { kind: sanitise(one.resource.kind), action: one.operation };
  const allowed = layersOf(policies, one).map(([layer, principal]) =>
    plans.allows(sourceOf(policies, layer), principal, question),
  );
  plans.close();
  return formulaTexts([allowed, [...world.facts], [...world.preferences]]);
}
