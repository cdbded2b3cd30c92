/** Four theorems of `src/decisions/decide.ts`, on generated policy sets. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Decision, decide, type PolicySet } from "../../src/index.js";
import { unordered } from "../reference/comparable.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { hostileAccount, hostileKey } from "../support/hostile.js";
import { expectFailsClosed } from "../support/laws.js";
import { compiledDocuments } from "../support/policies.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import {
  type Damage,
  damagedRequest,
  type PlainRequest,
  type PolicySetOptions,
  type Profile,
  permuted,
  permutedRequest,
  policySet,
  type RequestOptions,
  request,
} from "./arbitraries/index.js";

const SETS = sized(120, 6);
/** The whole sample has 100,000 damaged requests for each sort of damage. */
const DECLARED_SETS = sized(2_100, 6);
const REQUESTS = 12;
const DAMAGES = 4;

/** Sets without scopes and the like, and fewer sets of the whole language, which are several times as large. */
const SIZES: readonly (readonly [profile: Profile, sets: number])[] = [
  ["any", SETS],
  ["whole", sized(20, 1)],
];

const tally = new Tally();

interface Batch {
  readonly documents: PolicyDocuments;
  readonly policies: PolicySet;
  readonly requests: readonly PlainRequest[];
}

/** A compiled policy set with requests for it. */
function batches(options: PolicySetOptions & RequestOptions = {}): fc.Arbitrary<Batch> {
  return policySet(options)
    .chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.array(request(documents, options), { minLength: REQUESTS, maxLength: REQUESTS }),
      ),
    )
    .map(([documents, requests]) => ({ documents, policies: compiledDocuments(documents), requests }));
}

function sample(policies: PolicySet, one: PlainRequest): Decision {
  const decision = decide(policies, one);
  tally.sample(decision);
  return decision;
}

/** A decision on a variant of a counted request. */
function variant(policies: PolicySet, one: PlainRequest): Decision {
  tally.made();
  return decide(policies, one);
}

describe("1. key swap", () => {
  test.each(SIZES)("no key changes what the platform says, or that it is forbidden: %s sets", (profile, numRuns) => {
    const cases = fc.tuple(batches({ profile }), fc.array(hostileKey, { minLength: 8, maxLength: 8 }));
    fc.assert(
      fc.property(cases, ([{ policies, requests }, hostile]) => {
        for (const one of requests) {
          const { outcome, platform } = sample(policies, one);
          for (const key of [...requests.map((other) => other.key), ...hostile.map((make) => make())]) {
            const other = variant(policies, Object.assign({ ...one }, { key }));
            if (!isDeepStrictEqual(other.platform, platform)) expect(other.platform).toEqual(platform);
            expect(other.outcome === "forbidden").toBe(outcome === "forbidden");
          }
        }
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

describe("2. account swap", () => {
  test.each(SIZES)("no account changes what the permission layer says: %s sets", (profile, numRuns) => {
    const cases = fc.tuple(batches({ profile }), fc.array(hostileAccount, { minLength: 8, maxLength: 8 }));
    fc.assert(
      fc.property(cases, ([{ policies, requests }, hostile]) => {
        for (const one of requests) {
          const { permission } = sample(policies, one);
          for (const account of [...requests.map((other) => other.account), ...hostile.map((make) => make())]) {
            const other = variant(policies, Object.assign({ ...one }, { account }));
            if (!isDeepStrictEqual(other.permission, permission)) expect(other.permission).toEqual(permission);
          }
        }
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

describe("3. fail closed", () => {
  // The theorem needs these profiles: other expressions can detect that a value is absent, or its type.
  const declared: PolicySetOptions & RequestOptions = { profile: "removal", declared: true, wellTyped: true };
  test.each<[string, Damage, PolicySetOptions & RequestOptions, number]>([
    ["removing attributes", "removed", { profile: "removal" }, SETS],
    ["giving attributes values of other types", "resembling", { profile: "typed", wellTyped: true }, SETS],
    ["writing numbers as text", "numeric strings", { profile: "typed", wellTyped: true }, SETS],
    ["giving declared attributes values of other types", "retyped", declared, DECLARED_SETS],
    ["removing and retyping declared attributes", "either", declared, DECLARED_SETS],
  ])(
    "%s never turns a refusal into allow, in the decision or in a layer",
    (what, damage, options, numRuns) => {
      let refusals = 0;
      const cases = batches(options).chain((batch) =>
        fc.tuple(
          fc.constant(batch),
          fc.tuple(
            ...batch.requests.map((one) =>
              fc.array(damagedRequest(one, damage), { minLength: DAMAGES, maxLength: DAMAGES }),
            ),
          ),
        ),
      );
      fc.assert(
        fc.property(cases, ([{ policies, requests }, variants]) => {
          requests.forEach((one, i) => {
            const before = sample(policies, one);
            if (before.outcome !== "allow") refusals += DAMAGES;
            for (const { request: damaged, what } of variants[i] ?? []) {
              expectFailsClosed(before, variant(policies, damaged), what);
            }
          });
        }),
        { numRuns },
      );
      say(`${what}: ${numRuns * REQUESTS * DAMAGES} damaged requests, ${refusals} of them refused before`);
      expect(refusals).toBeGreaterThan(numRuns);
    },
    7_200_000,
  );

  test.each(SIZES)("a layer with an error in a condition denies: %s sets", (profile, numRuns) => {
    fc.assert(
      fc.property(batches({ profile }), ({ policies, requests }) => {
        for (const one of requests) {
          const { outcome, permission, platform } = sample(policies, one);
          if (permission.reasons.some(({ kind }) => kind === "error")) expect(permission.effect).toBe("deny");
          if (platform.reasons.some(({ kind }) => kind === "error")) expect(outcome).toBe("forbidden");
          expectFault(decide(policies, one));
        }
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

/** A fault is that of the deciding layer, or an unknown operation. An allowed request has no fault. */
function expectFault({ outcome, permission, platform, fault }: Decision): void {
  for (const verdict of [permission, platform]) if (verdict.fault !== undefined) expect(verdict.effect).toBe("deny");
  const deciding = outcome === "forbidden" ? platform : permission;
  if (outcome === "allow") expect(fault).toBeUndefined();
  else if (fault?.kind === "evaluation" || deciding.fault !== undefined) expect(fault).toBe(deciding.fault);
  else expect([undefined, "unknown_kind", "unknown_operation"]).toContain(fault?.kind);
}

describe("4. order", () => {
  test.each(SIZES)(
    "the order of files, rules, roles and permissions changes nothing else: %s sets",
    (profile, numRuns) => {
      const cases = batches({ profile }).chain((batch) =>
        fc.tuple(
          fc.constant(batch),
          permuted(batch.documents).map(compiledDocuments),
          fc.tuple(...batch.requests.map(permutedRequest)),
        ),
      );
      fc.assert(
        fc.property(cases, ([{ policies, requests }, otherPolicies, others]) => {
          requests.forEach((one, i) => {
            const decision = unordered(sample(policies, one));
            const other = unordered(variant(otherPolicies, others[i] ?? one));
            if (!isDeepStrictEqual(other, decision)) expect(other).toEqual(decision);
          });
        }),
        { numRuns, endOnFailure: true },
      );
    },
  );
});

test("these were 20,000 decisions or more in a long run, of every outcome, and with errors", () => {
  say(`laws on generated policies: ${tally}`);
  tally.expectCoverage({ decisions: sized(20_000, 1_000), errors: 0.05 });
});
