/** The engine answers as the naive evaluator does, and as the function that one would write by hand. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type HandRequest, handDecide } from "../../bench/handwritten.js";
import { workload } from "../../bench/requests.js";
import { type Decision, decide } from "../../src/index.js";
import { comparable } from "../reference/comparable.js";
import { naiveDecide } from "../reference/naive.js";
import { type Case, minimise } from "../support/minimise.js";
import { compiledDocuments, shipped, shippedDocuments } from "../support/policies.js";
import { say } from "../support/seed.js";
import { Tally } from "../support/tally.js";
import {
  type PlainRequest,
  type Profile,
  permutedRequest,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "./arbitraries/index.js";

const SETS = 500;
const REQUESTS = 102;

test("the engine and the naive evaluator agree on 50,000 generated requests", () => {
  const tally = new Tally();
  const sets = fc.constantFrom<Profile>("any", "any", "removal", "typed").chain((profile) => policySet({ profile }));
  const cases = sets.chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
  );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      for (const one of requests) {
        const decision = decide(policies, one);
        tally.sample(decision);
        const naive = naiveDecide(documents, one);
        if (!isDeepStrictEqual(comparable(decision), comparable(naive)))
          throw disagreement({ documents, request: one });
      }
    }),
    // What fails is made smaller below, which knows policies.
    { numRuns: SETS, endOnFailure: true },
  );
  say(`agreement on generated policies: ${tally}`);
  tally.expectCoverage({ decisions: 50_000, errors: 0.05 });
});

function answers({ documents, request: one }: Case) {
  const engine = decide(compiledDocuments(documents), one);
  return { engine: comparable(engine), naive: comparable(naiveDecide(documents, one)) };
}

function disagreement(found: Case): Error {
  const differs = (candidate: Case) => {
    const { engine, naive } = answers(candidate);
    return !isDeepStrictEqual(engine, naive);
  };
  const small = minimise(found, differs);
  const files = toFiles(small.documents).map(({ path, text }) => `# ${path}\n${text}`);
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const { engine, naive } = answers(small);
  return new Error(
    `${files.join("\n")}\nrequest: ${json(small.request)}\nengine: ${json(engine)}\nnaive: ${json(naive)}`,
  );
}

test("the engine and the naive evaluator agree on the shipped policies", () => {
  fc.assert(
    fc.property(shippedRequest(), (one) => {
      expect(comparable(decide(shipped, one))).toEqual(comparable(naiveDecide(shippedDocuments, one)));
    }),
    { numRuns: 3_000 },
  );
});

test("a decision is the same after ten thousand others", () => {
  // Verdicts are kept and reused; what is kept for one request must not answer another.
  const requests = fc.sample(shippedRequest(), 2_000);
  const first = requests.map((one) => comparable(decide(shipped, one)));
  for (let round = 0; round < 5; round++) for (const one of requests) decide(shipped, one);
  expect(requests.map((one) => comparable(decide(shipped, one)))).toEqual(first);
});

/** What the handwritten function says, and the engine's decision in its words. */
function expectAsByHand(one: HandRequest): void {
  const { outcome, reasons } = handDecide(one);
  const decision = decide(shipped, plain(one));
  expect({ outcome: decision.outcome, reasons: outcome === "forbidden" ? words(decision) : [] }).toEqual({
    outcome,
    reasons,
  });
}

function words({ platform }: Decision): string[] {
  return platform.reasons.map(({ reason }) => reason);
}

function plain(one: HandRequest): PlainRequest {
  return JSON.parse(JSON.stringify(one));
}

function byHand(one: PlainRequest): HandRequest {
  return JSON.parse(JSON.stringify(one));
}

test("the shipped policies are what one would write by hand, with the reasons in the same order", () => {
  for (const one of workload(5_000)) expectAsByHand(one);
  fc.assert(
    fc.property(shippedRequest().chain(permutedRequest), (one) => {
      expectAsByHand(byHand(one));
    }),
    { numRuns: 5_000 },
  );
});
