/**
 * Locality: an irrelevant policy does not change a decision: neither effect, reasons, outputs, derived roles, errors,
 * nor their order or positions. One exception: an unknown kind or operation is known once a policy names it.
 *
 * @module-tag long
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FaultKind } from "../../src/engine/plan/verdict.js";
import { type Decision, decide } from "../../src/index.js";
import { compiledDocuments } from "../support/policies.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import {
  ADDITIONS,
  type AdditionSort,
  additions,
  isAbout,
  type Profile,
  policySet,
  request,
} from "./arbitraries/index.js";

const SETS = sized(30, 8);
const REQUESTS = 20;
/** For each sort of addition, the least number of decisions that must stay the same. */
const LEAST = sized(100);

test("what is not about a request changes nothing of its decision", () => {
  const tally = new Tally();
  const tried = new Map<AdditionSort, number>(ADDITIONS.map((sort) => [sort, 0]));
  // Both whole-language sets and sets that only become whole-language sets by the addition.
  const sets = fc.constantFrom<Profile>("whole", "any").chain((profile) => policySet({ profile }));
  const cases = sets.chain((documents) =>
    fc.tuple(
      fc.constant(documents),
      additions(documents),
      fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS }),
    ),
  );
  fc.assert(
    fc.property(cases, ([documents, all, requests]) => {
      const policies = compiledDocuments(documents);
      const before = requests.map((one) => decide(policies, one));
      for (const decision of before) tally.sample(decision);
      for (const addition of all) {
        const others = requests.map((one) => !isAbout(documents, addition, one));
        if (!others.includes(true)) continue;
        const more = compiledDocuments(addition.documents, addition.globals);
        requests.forEach((one, i) => {
          if (!others[i]) return;
          tried.set(addition.sort, (tried.get(addition.sort) ?? 0) + 1);
          tally.made();
          const after = decide(more, one);
          if (!isKept(before[i], after)) expect(after, described(addition.sort, addition.added)).toEqual(before[i]);
        });
      }
    }),
    { numRuns: SETS, endOnFailure: true },
  );
  say(`locality: ${tally}; ${[...tried].map(([sort, count]) => `${sort} ${count}`).join(", ")}`);
  tally.expectCoverage({ decisions: sized(2_000), errors: 0.05 });
  for (const [sort, count] of tried) expect(count, sort).toBeGreaterThanOrEqual(LEAST);
});

function isKept(before: Decision | undefined, after: Decision): boolean {
  if (isDeepStrictEqual(after, before)) return true;
  if (before?.fault === undefined || !UNKNOWN.has(before.fault.kind)) return false;
  const isNamed = after.fault === undefined || after.fault.kind === "unknown_operation";
  return isNamed && isDeepStrictEqual(withoutFault(after), withoutFault(before));
}

const UNKNOWN: ReadonlySet<FaultKind> = new Set<FaultKind>(["unknown_kind", "unknown_operation"]);

function withoutFault({ fault: _, ...rest }: Decision): Omit<Decision, "fault"> {
  return rest;
}

function described(sort: AdditionSort, added: unknown): string {
  return `${sort}: ${JSON.stringify(added)}`;
}
