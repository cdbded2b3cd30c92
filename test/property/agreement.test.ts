/** The engine agrees with the naive evaluator, and with a function written by hand. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type HandRequest, handDecide } from "../../bench/handwritten.js";
import { workload } from "../../bench/requests.js";
import { type Decision, decide } from "../../src/index.js";
import { type ComparableDecision, comparable } from "../reference/comparable.js";
import { naiveDecide } from "../reference/naive.js";
import { type Case, minimise } from "../support/minimise.js";
import { compiledDocuments, shipped, shippedDocuments } from "../support/policies.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import {
  GLOBALS,
  type PlainRequest,
  type Profile,
  permutedRequest,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "./arbitraries/index.js";

/** Policy sets and requests for each set: at least 50,000 requests in a long run. */
const PROFILES: readonly (readonly [what: string, profiles: readonly Profile[], sets: number, requests: number])[] = [
  ["generated requests", ["any", "any", "removal", "typed"], sized(500, 10), 102],
  ["generated requests of the whole language", ["whole"], sized(250, 5), 204],
];

test.each(PROFILES)(
  "the engine and the naive evaluator agree on %s",
  (what, profiles, sets, requests) => {
    const tally = new Tally();
    const differences = new Differences();
    const cases = fc
      .constantFrom(...profiles)
      .chain((profile) => policySet({ profile }))
      .chain((documents) =>
        fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: requests, maxLength: requests })),
      );
    // The first failing case is minimized below, by code that knows policies; the others are only counted.
    fc.assert(
      fc.property(cases, ([documents, some]) => {
        const policies = compiledDocuments(documents);
        for (const one of some) {
          const decision = decide(policies, one);
          tally.sample(decision);
          const naive = naiveDecide(documents, one, GLOBALS);
          differences.note({ documents, request: one }, comparable(decision), comparable(naive));
        }
      }),
      { numRuns: sets, endOnFailure: true },
    );
    say(`agreement on ${what}: ${tally}`);
    if (differences.first !== undefined) throw disagreement(differences.first, differences);
    tally.expectCoverage({ decisions: sized(50_000, 1_000), errors: 0.05 });
  },
  600_000,
);

/** The differences between the engine and the naive evaluator. */
class Differences {
  first: Case | undefined;
  private readonly fields = new Map<string, number>();
  private decisions = 0;

  note(found: Case, engine: ComparableDecision, naive: ComparableDecision): void {
    if (isDeepStrictEqual(engine, naive)) return;
    this.decisions += 1;
    this.first ??= found;
    for (const layer of ["permission", "platform"] as const) {
      for (const [field, said] of Object.entries(naive[layer])) {
        const other: unknown = Object.entries(engine[layer]).find(([name]) => name === field)?.[1];
        if (!isDeepStrictEqual(said, other)) this.fields.set(field, (this.fields.get(field) ?? 0) + 1);
      }
    }
  }

  toString(): string {
    return `${this.decisions} decisions differ: ${[...this.fields].map(([field, count]) => `${field} ${count}`).join(", ")}`;
  }
}

function answers({ documents, request: one }: Case) {
  const engine = decide(compiledDocuments(documents), one);
  return { engine: comparable(engine), naive: comparable(naiveDecide(documents, one, GLOBALS)) };
}

function disagreement(found: Case, differences: Differences): Error {
  const differs = (candidate: Case) => {
    const { engine, naive } = answers(candidate);
    return !isDeepStrictEqual(engine, naive);
  };
  const small = minimise(found, differs);
  const files = toFiles(small.documents).map(({ path, text }) => `# ${path}\n${text}`);
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const { engine, naive } = answers(small);
  return new Error(
    `${differences}\n${files.join("\n")}\nrequest: ${json(small.request)}\nengine: ${json(engine)}\nnaive: ${json(naive)}`,
  );
}

test("the engine and the naive evaluator agree on the shipped policies", () => {
  fc.assert(
    fc.property(shippedRequest(), (one) => {
      expect(comparable(decide(shipped, one))).toEqual(comparable(naiveDecide(shippedDocuments, one)));
    }),
    { numRuns: sized(3_000) },
  );
});

test("a decision is the same after ten thousand others", { tags: "long" }, () => {
  // Verdicts are cached; a cached verdict must not answer another request.
  const requests = fc.sample(shippedRequest(), 2_000);
  const first = requests.map((one) => comparable(decide(shipped, one)));
  for (let round = 0; round < 5; round++) for (const one of requests) decide(shipped, one);
  expect(requests.map((one) => comparable(decide(shipped, one)))).toEqual(first);
});

/** Expects the engine's decision to agree with the handwritten function. */
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
  for (const one of workload(sized(5_000))) expectAsByHand(one);
  fc.assert(
    fc.property(shippedRequest().chain(permutedRequest), (one) => {
      expectAsByHand(byHand(one));
    }),
    { numRuns: sized(5_000) },
  );
});
