/**
 * Expressions for a known key have the values of the policies' expressions, for every resource. The ways that are found
 * with them are those of the decisions on requests with this key.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type WhatCan, whatCan } from "../../src/audit/index.js";
import { layeredPolicies } from "../../src/audit/policies.js";
import { assumptionOf } from "../../src/audit/who/search.js";
import type { CelValue } from "../../src/cel/values.js";
import { decideAny } from "../../src/decisions/decide.js";
import type { FormulaReading } from "../../src/engine/formula/attribute-formulas.js";
import type { PolicySet } from "../../src/index.js";
import { policyVersions } from "../../src/policy/all-policies.js";
import { type Definitions, type Expression, NO_DEFINITIONS } from "../../src/policy/model.js";
import { derivedRolesOf, expressionsOfCondition } from "../../src/policy/policy-expressions.js";
import { allQuestions } from "../../src/proof/questions.js";
import { KnownKey } from "../../src/proof/ways/known-key.js";
import { waysOf } from "../../src/proof/ways/minimal-grants.js";
import { StatementEvaluator } from "../../src/proof/ways/truths.js";
import { findSolver } from "../../src/solver/solver.js";
import { TimedSolver, TimeLimit } from "../../src/solver/timed-solver.js";
import { Draft, type RequestJson, requestOf } from "../../src/space/draft.js";
import { DraftEvaluator } from "../../src/space/evaluator.js";
import { GLOBALS, type Profile, policySet, request, shippedRequest } from "../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";

const solver = findSolver({ timeLimit: 2_000 });
afterAll(() => solver?.close());

/** The longest search on one question. */
const QUESTION_TIME = 120_000;

const NO_TYPES = { principal: undefined, resource: undefined };

/** A reading without declared types. */
function reading(types: FormulaReading["types"]): FormulaReading {
  return { principal: "key", types, schemas: "", globals: undefined, active: () => undefined, key: "test" };
}

/** The conditions of the permission layer, with those of derived roles. */
function conditionsOf(set: PolicySet): readonly (readonly [Expression, Definitions])[] {
  return layeredPolicies(set).flatMap(({ layer, policy }) =>
    layer !== "permission"
      ? []
      : policy.rules.flatMap((rule) => [
          ...expressionsOfCondition(rule.condition).map((one) => [one, policy.definitions] as const),
          ...derivedRolesOf(policy, rule).flatMap((role) =>
            expressionsOfCondition(role.condition).map((one) => [one, role.definitions] as const),
          ),
        ]),
  );
}

interface Counts {
  same: number;
  specialized: number;
  errs: number;
}

function compare(set: PolicySet, requests: readonly Parameters<typeof Draft.from>[0][], counts: Counts) {
  const evaluator = new DraftEvaluator("permission", GLOBALS);
  for (const one of requests) {
    const draft = Draft.from(one);
    const known = new KnownKey(draft.toJson().key);
    const specialize = known.specialize(set);
    for (const [of, definitions] of conditionsOf(set)) {
      const made = specialize("permission", { of, definitions }, reading(NO_TYPES));
      const value = (expression: Expression, defined: Definitions): CelValue | undefined =>
        evaluator.value(expression.expr, defined, draft, NO_TYPES);
      const before = value(of, definitions);
      const isDoomed = made.of.expr.doom !== undefined;
      const after = isDoomed ? undefined : value(made.of, made.definitions);
      expect([of.source, made.of.source, after]).toEqual([of.source, made.of.source, before]);
      counts.same++;
      if (before === undefined) counts.errs++;
      if (made.definitions === NO_DEFINITIONS && made.of !== of) counts.specialized++;
    }
  }
}

test("generated policies", () => {
  const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 8, maxLength: 8 })),
    );
  const counts: Counts = { same: 0, specialized: 0, errs: 0 };
  for (const [documents, requests] of fc.sample(cases, { numRuns: sized(300, 30), seed: SEED })) {
    const set = compiledDocuments(documents);
    expect(policyVersions(set.model).length).toBeGreaterThan(0);
    compare(set, requests, counts);
  }
  say(`expressions for known keys: ${JSON.stringify(counts)}`);
  expect(counts.specialized).toBeGreaterThan(sized(4_000, 400));
  expect(counts.errs).toBeGreaterThan(sized(200, 20));
});

test("the shipped policies: no expression reads the key any more", () => {
  const counts: Counts = { same: 0, specialized: 0, errs: 0 };
  compare(shipped, fc.sample(shippedRequest(), { numRuns: sized(2_000), seed: SEED }), counts);
  expect(counts.specialized).toBe(counts.same);
});

/** The ways of a key, and the decisions on requests that have this key. */
async function contradictions(
  set: PolicySet,
  key: RequestJson["key"],
  requests: readonly RequestJson[],
  counts: { proved: number; questions: number; allowed: number; refused: number },
): Promise<readonly string[]> {
  const known = new KnownKey(key);
  const truths = new StatementEvaluator();
  const { questions, proverOf } = allQuestions([set]);
  const wrong: string[] = [];
  const asked = questions.filter(({ kind, operation }) =>
    requests.some((one) => one.resource.kind === kind && one.operation === operation),
  );
  for (const question of asked) {
    const own = requests.filter(
      ({ resource, operation }) => resource.kind === question.kind && operation === question.operation,
    );
    const timed = solver && new TimedSolver(solver, new TimeLimit(QUESTION_TIME));
    const { ways, unshown, why } = await waysOf(
      set,
      proverOf(question),
      timed,
      40,
      assumptionOf({ key: known }, set, []),
    );
    counts.questions++;
    if (why === undefined && unshown.length === 0) counts.proved++;
    for (const one of [...own.map((request) => ({ ...request, key })), ...ways.map(({ request }) => request)]) {
      const isAllowed = decideAny(set, requestOf(one)).outcome === "allow";
      const met = [...ways, ...unshown].filter(({ requires }) => truths.meets(one, requires));
      const isSure = met.some(({ requires }) => requires.every(({ statement: { about } }) => truths.isByItself(about)));
      if (isAllowed) counts.allowed++;
      else counts.refused++;
      if (isSure && !isAllowed) wrong.push(`refused, and in a way: ${JSON.stringify(one)}`);
      if (why === undefined && isAllowed && met.length === 0)
        wrong.push(`allowed, and in no way: ${JSON.stringify(one)}`);
    }
  }
  return wrong;
}

function jsonOf(one: Parameters<typeof Draft.from>[0]): RequestJson {
  return Draft.from(one).toJson();
}

test("the shipped policies: all ways of a key, as requests are decided", async () => {
  const counts = { proved: 0, questions: 0, allowed: 0, refused: 0 };
  const requests = fc.sample(shippedRequest(), { numRuns: sized(40_000, 10_000), seed: SEED }).map(jsonOf);
  const allowed = requests.filter((one) => decideAny(shipped, requestOf(one)).outcome === "allow");
  const byRole = new Map(allowed.map(({ key }) => [key.roles.join(), key] as const));
  const keys = [...byRole.values()].slice(0, sized(12, 2));
  for (const key of keys) expect(await contradictions(shipped, key, requests, counts)).toEqual([]);
  say(`ways of known keys, shipped policies: ${JSON.stringify(counts)}`);
  expect(counts.proved).toBe(counts.questions);
  expect(counts.allowed).toBeGreaterThan(sized(1_000, 50));
}, 3_600_000);

test("a text that is composed with an attribute: the attribute alone, where its type is declared", async () => {
  const attr = { accountId: "a", workspaceIds: ["*"], environment: "production", permissions: ["api.b.read_key"] };
  const key = { id: "k", roles: ["custom"], attr };
  const { operations } = answered(await whatCan(shipped, solver, { key }));
  const getKey = operations.find(({ operation }) => operation === "keys.getKey");
  expect(getKey).toMatchObject({ can: "conditionally", by: "permissions", result: "proved" });
  expect(getKey?.ways.map(({ when, told }) => [...when, ...told].map(({ text }) => text))).toEqual([
    [
      'the resource\'s `accountId` is `"a"`',
      'the resource\'s `environment` is `"production"`',
      'the resource\'s `apiId` is `"b"`',
      "the resource's `workspaceId` has a valid value (any content)",
    ],
  ]);
  expect(operations.filter(({ can }) => can === "never").map(({ operation }) => operation)).toContain("apis.deleteApi");
});

function answered(found: WhatCan): Extract<WhatCan, { kind: "answered" }> {
  if (found.kind === "unknown") throw new Error(found.message);
  return found;
}
