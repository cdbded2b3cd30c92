/**
 * The ways in which an operation is allowed, compared with decisions on generated and shipped policies. A request that
 * meets all requirements of a way is allowed. An allowed request follows one of the ways, if these are proved to be
 * complete.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import type { OperationQuestion } from "../../src/engine/plan/questions.js";
import type { PolicySet } from "../../src/index.js";
import { allQuestions } from "../../src/proof/questions.js";
import { type Ways, waysOf } from "../../src/proof/ways/minimal-grants.js";
import { StatementEvaluator } from "../../src/proof/ways/truths.js";
import { findSolver } from "../../src/solver/solver.js";
import { TimedSolver, TimeLimit } from "../../src/solver/timed-solver.js";
import { type RequestJson, requestOf } from "../../src/space/draft.js";
import { type PlainRequest, type Profile, policySet, request, shippedRequest } from "../property/arbitraries/index.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";

const found = findSolver({ timeLimit: 1_000 });
const solver = found && new TimedSolver(found, new TimeLimit(3_600_000));
afterAll(() => solver?.close());

const LIMIT = 8;

interface Counts {
  questions: number;
  proved: number;
  ways: number;
  unshown: number;
  allowed: number;
  met: number;
}

function asked(one: PlainRequest, { kind, operation }: OperationQuestion): RequestJson {
  const { now, key, resource, account } = one;
  const json: RequestJson = JSON.parse(
    JSON.stringify({ key, operation, resource: { ...resource, kind }, account, ...(now === undefined ? {} : { now }) }),
  );
  return json;
}

/** Decisions that contradict the ways. */
function contradictions(
  set: PolicySet,
  { question, ways, why, unshown }: Ways,
  requests: readonly PlainRequest[],
  counts: Counts,
): readonly string[] {
  const truths = new StatementEvaluator();
  const isAll = why === undefined;
  counts.questions++;
  if (isAll && unshown.length === 0) counts.proved++;
  counts.ways += ways.length;
  counts.unshown += unshown.length;
  const wrong: string[] = [];
  const tried = [...requests.map((one) => asked(one, question)), ...ways.map((way) => way.request)];
  for (const one of tried) {
    const isAllowed = decideAny(set, requestOf(one)).outcome === "allow";
    const all = [...ways, ...unshown];
    const wanted = all.filter(({ requires }) => truths.meets(one, requires));
    // Ignores requirements on active derived roles.
    const isSure = (requires: Ways["ways"][number]["requires"]) =>
      requires.every(({ statement: { about } }) => truths.isByItself(about));
    const met = wanted.filter(({ requires }) => isSure(requires));
    if (isAllowed) counts.allowed++;
    counts.met += met.length;
    if (met.length > 0 && !isAllowed) wrong.push(`refused, and in a way: ${JSON.stringify(one)}`);
    if (isAll && isAllowed && wanted.length === 0) wrong.push(`allowed, and in no way: ${JSON.stringify(one)}`);
  }
  for (const way of ways) {
    if (decideAny(set, requestOf(way.request)).outcome !== "allow")
      wrong.push(`no way: ${JSON.stringify(way.request)}`);
  }
  return wrong;
}

test("generated policies", async () => {
  const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 60, maxLength: 60 })),
    );
  const counts: Counts = { questions: 0, proved: 0, ways: 0, unshown: 0, allowed: 0, met: 0 };
  for (const [documents, requests] of fc.sample(cases, { numRuns: sized(60, 5), seed: SEED })) {
    const set = compiledDocuments(documents);
    const { proverOf, gaps } = allQuestions([set]);
    expect(gaps).toEqual([]);
    const questions = new Map(
      requests.map(({ resource: { kind }, operation }) => [`${kind} ${operation}`, { kind, operation }] as const),
    );
    for (const question of [...questions.values()].slice(0, 2)) {
      const ways = await waysOf(set, proverOf(question), solver, LIMIT);
      expect(contradictions(set, ways, requests, counts)).toEqual([]);
    }
  }
  say(`ways: ${JSON.stringify(counts)}`);
  // The solver finds no request in time for most ways over the full language: requests test these ways instead.
  expect(counts.ways + counts.unshown).toBeGreaterThan(sized(300, 20));
  expect(counts.allowed).toBeGreaterThan(sized(300, 20));
  expect(counts.met).toBeGreaterThan(sized(40, 3));
}, 3_600_000);

test("the shipped policies", async () => {
  const counts: Counts = { questions: 0, proved: 0, ways: 0, unshown: 0, allowed: 0, met: 0 };
  const { questions, proverOf } = allQuestions([shipped]);
  const requests = fc.sample(shippedRequest(), { numRuns: sized(20_000, 2_000), seed: SEED });
  for (const question of questions) {
    const ways = await waysOf(shipped, proverOf(question), solver, 40);
    const own = requests.filter(
      ({ resource, operation }) => resource.kind === question.kind && operation === question.operation,
    );
    expect(contradictions(shipped, ways, own, counts)).toEqual([]);
  }
  say(`ways of the shipped policies: ${JSON.stringify(counts)}`);
  expect(counts.proved).toBe(counts.questions);
  expect(counts.ways).toBeGreaterThan(40);
  expect(counts.allowed).toBeGreaterThan(sized(1_000, 100));
}, 600_000);
