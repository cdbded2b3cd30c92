/**
 * A trace explains the verdict: the verdict can be derived from the trace.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import type { JsonMap } from "../../src/cel/values.js";
import { decide } from "../../src/decisions/decide.js";
import { type DecisionTrace, decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import { LayerTracer } from "../../src/engine/observe/trace.js";
import type { ConditionTrace, LayerTrace } from "../../src/engine/observe/types.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { Random } from "../differential/random.js";
import { generateRequest, targetsOf } from "../differential/requests.js";
import { generateStore } from "../differential/store.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { policySet, request, shippedRequest } from "./arbitraries/index.js";
import "../support/seed.js";
import { FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import { sized } from "../support/size.js";

/** The rules that failed, held or decided, as a verdict names them. */
function rulesIn({ policies }: LayerTrace, pick: (rule: LayerTrace["policies"][number]["rules"][number]) => boolean) {
  return policies.flatMap(({ policy, rules }) => rules.filter(pick).map(({ name }) => `${policy}#${name}`)).sort();
}

function expectAgreement(trace: LayerTrace): void {
  const { verdict, effect } = trace;
  expect(effect).toBe(verdict.effect);
  const reasons = verdict.reasons.filter(({ kind, rule }) => kind !== "default" && rule !== "");
  const named = [...new Set(reasons.map(({ policy, rule }) => `${policy}#${rule}`))].sort();
  expect(rulesIn(trace, ({ decided }) => decided)).toEqual(named);
  const erring = verdict.reasons.filter(({ kind, rule }) => kind === "error" && rule !== "");
  expect(rulesIn(trace, ({ state, name }) => state === "error" && name !== "")).toEqual(
    [...new Set(erring.map(({ policy, rule }) => `${policy}#${rule}`))].sort(),
  );
  for (const { rules } of trace.policies) {
    for (const rule of rules) {
      if (rule.decided) expect(["met", "error"]).toContain(rule.state);
      if (rule.condition !== undefined) expectConsistent(rule.condition);
    }
  }
}

/** Expects the result of a list of conditions to follow from its members. */
function expectConsistent(condition: ConditionTrace): void {
  if (condition.kind === "expr") {
    const { state, expression } = condition;
    if (state === "true" || state === "false") expect(expression.state).toBe(state);
    return;
  }
  const states = condition.of.map(({ state }) => state);
  if (condition.state === "error") expect(states).toContain("error");
  if (condition.kind === "all" && condition.state === "true") expect(new Set(states)).toEqual(new Set(["true"]));
  if (condition.kind === "any" && condition.state === "true") expect(states).toContain("true");
  if (condition.kind === "none" && condition.state === "true") expect(states).not.toContain("true");
  for (const member of condition.of) expectConsistent(member);
}

test("generated policy sets", () => {
  let traced = 0;
  const cases = policySet({ profile: "any" }).chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 30, maxLength: 30 })),
  );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      const tracer = decisionTracer(policies);
      for (const one of requests) {
        const trace: DecisionTrace = traceDecision(tracer, one);
        const decision = decide(policies, one);
        expect(trace.outcome).toBe(decision.outcome);
        expect(trace.permission.verdict).toEqual(decision.permission);
        expect(trace.platform.verdict).toEqual(decision.platform);
        expectAgreement(trace.permission);
        expectAgreement(trace.platform);
        traced++;
      }
    }),
    { numRuns: sized(150) },
  );
  expect(traced).toBe(30 * sized(150));
});

test("the shipped policies", () => {
  const tracer = decisionTracer(shipped);
  fc.assert(
    fc.property(shippedRequest(), (one) => {
      const trace = traceDecision(tracer, one);
      const decision = decide(shipped, one);
      expect(trace.permission.verdict).toEqual(decision.permission);
      expect(trace.platform.verdict).toEqual(decision.platform);
      expectAgreement(trace.permission);
      expectAgreement(trace.platform);
    }),
    { numRuns: sized(2_000) },
  );
});

test("the whole policy language: scopes, principal policies, role policies", () => {
  const random = new Random(20);
  let allowed = 0;
  let traced = 0;
  for (let stores = 0; stores < sized(150); stores++) {
    const store = generateStore(new Random(random.seed()));
    const files = Object.entries(store.files).map(([path, text]) => ({ path, text: JSON.stringify(text) }));
    const parsed = parsePolicyFiles(files);
    if (!isRight(parsed)) throw new Error(JSON.stringify(parsed.left));
    const model = parsed.right;
    const layer = new Layer(model, "default", "not_granted", {
      equipment: FULL_EQUIPMENT,
      codegen: false,
      globals: { flag: true },
      enforceSchemas: false,
      typedReads: true,
    });
    const tracer = new LayerTracer(layer);
    const targets = targetsOf(store);
    for (let i = 0; i < 15; i++) {
      const { body } = generateRequest(random, targets);
      for (const one of questions(body)) {
        const trace = tracer.trace(one.principal, one.resource, one.action, undefined);
        expect(trace.verdict).toEqual(layer.verdict(one.principal, one.resource, one.action, undefined));
        expectAgreement(trace);
        traced++;
        if (trace.effect === "allow") allowed++;
      }
    }
  }
  expect(traced).toBeGreaterThan(sized(4_000));
  expect(allowed).toBeGreaterThan(sized(200));
});

interface Subject {
  readonly id: string;
  readonly roles: string[];
  readonly kind: string;
  readonly attr: JsonMap;
  readonly scope: string;
}

function questions(body: object): { principal: Subject; resource: Subject; action: string }[] {
  const { principal, resources } = body as {
    principal: Partial<Subject>;
    resources: { actions: string[]; resource: Partial<Subject> }[];
  };
  const whole = (part: Partial<Subject>): Subject => ({
    id: "",
    roles: [],
    kind: "",
    attr: {},
    scope: "",
    ...part,
  });
  return resources.flatMap(({ actions, resource }) =>
    actions.map((action) => ({ principal: whole(principal), resource: whole(resource), action })),
  );
}
