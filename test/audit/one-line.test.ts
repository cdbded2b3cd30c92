/**
 * Changes of one line, at random: where requests show that decisions change, they are not said to be equal, and most
 * changes are either shown or proved to change nothing.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, expect, test } from "vitest";
import { provenDiff } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import { type CompileOptions, compilePolicies, decide, type PolicyFile } from "../../src/index.js";
import { allQuestions } from "../../src/proof/questions.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { Random } from "../differential/random.js";
import {
  GLOBALS,
  mutatedRequest,
  OTHER_VERSIONS,
  type PlainRequest,
  type Profile,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "../property/arbitraries/index.js";
import { compiledDocuments, shippedFiles } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { oneLineChanged } from "./one-line.js";

const solver = findSolver({ timeLimit: 1_000 });
afterAll(() => solver?.close());

class Counts {
  equal = 0;
  changes = 0;
  unproven = 0;
  /** Of these changes the oracle knows that they change something. */
  seen = 0;

  get all(): number {
    return this.equal + this.changes + this.unproven;
  }

  get decided(): number {
    return (this.equal + this.changes) / this.all;
  }
}

/** Holds one change against decisions on requests; nothing if it makes no policies. */
async function compare(
  before: readonly PolicyFile[],
  random: Random,
  requests: readonly PlainRequest[],
  options: CompileOptions,
  counts: Counts,
): Promise<void> {
  const { files, what } = oneLineChanged(before, random);
  const [first, second] = [compilePolicies(before, options), compilePolicies(files, options)];
  if (isLeft(first)) throw new Error(JSON.stringify(first.left));
  if (isLeft(second)) return;
  const { result, changes } = await provenDiff(first.right, second.right, solver);
  counts[result]++;
  const shown = requests.find((one) => decide(first.right, one).outcome !== decide(second.right, one).outcome);
  if (shown !== undefined) counts.seen++;
  if (shown !== undefined) expect(result, `${what}: ${JSON.stringify(shown)}`).not.toBe("equal");
  for (const { request: one, from, to } of changes) {
    const outcomes = [first.right, second.right].map((set) => decideAny(set, requestOf(one)).outcome);
    expect(outcomes, what).toEqual([from, to]);
  }
}

/** With each request, one that has an attribute of another type or none. */
function damagedToo(requests: readonly PlainRequest[]): readonly PlainRequest[] {
  return requests.flatMap((one, i) => [
    one,
    ...fc.sample(mutatedRequest(one), { numRuns: 1, seed: SEED + i }).map((made) => made.request),
  ]);
}

test("of the shipped policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const requests = damagedToo(fc.sample(shippedRequest(), { numRuns: 600, seed: SEED }));
  while (counts.all < sized(1_000, 25)) await compare(shippedFiles, random, requests, {}, counts);
  say(`one line of the shipped policies: ${JSON.stringify(counts)}, ${(100 * counts.decided).toFixed(1)} % decided`);
  expect(counts.seen).toBeGreaterThan(counts.all / 4);
  expect(counts.decided).toBeGreaterThanOrEqual(0.95);
}, 7_200_000);

test("of generated policies", async () => {
  const random = new Random(SEED);
  const counts = new Counts();
  const cases = fc
    .constantFrom<Profile>("any", "whole", "optionals", "typed")
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 150, maxLength: 150 })),
    );
  const options = { globals: GLOBALS, otherVersions: OTHER_VERSIONS };
  const wanted = sized(500, 6);
  for (const [documents, requests] of fc.sample(cases, { numRuns: wanted * 8, seed: SEED })) {
    const files = toFiles(documents);
    // A change of what all rules read takes minutes where these ask a hundred questions.
    if (allQuestions([compiledDocuments(documents)]).questions.length > sized(60, 15)) continue;
    for (let i = 0; i < 2 && counts.all < wanted; i++) {
      await compare(files, random, damagedToo(requests), options, counts);
    }
  }
  say(`one line of generated policies: ${JSON.stringify(counts)}, ${(100 * counts.decided).toFixed(1)} % decided`);
  expect(counts.all).toBe(wanted);
  expect(counts.decided).toBeGreaterThanOrEqual(0.8);
}, 7_200_000);
