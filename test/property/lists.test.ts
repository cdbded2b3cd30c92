/**
 * A row is in a plan's filter if and only if `decide` allows it; in the filter of forbidden rows, if it answers
 * `forbidden`.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decide, matches, type PolicySet, planDecisions } from "../../src/index.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { compiledDocuments } from "../support/policies.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { type PlainRequest, type Profile, policySet, request, toFiles } from "./arbitraries/index.js";
import { type PlainRow, row } from "./arbitraries/rows.js";

const REQUESTS = 10;
const ROWS = 50;

/** The whole sample has 1,000,000 rows. */
const PROFILES: readonly (readonly [what: string, profiles: readonly Profile[], sets: number])[] = [
  ["sets without scopes and the like", ["any", "any", "removal", "typed"], sized(1_000, 25)],
  ["sets of the whole language", ["whole", "optionals"], sized(1_000, 25)],
];

/** The part of the resource that the plan knows. */
type Given = "nothing" | "id" | "some";

interface Asked {
  readonly one: PlainRequest;
  readonly given: Given;
  readonly rows: readonly PlainRow[];
}

interface Case {
  readonly documents: PolicyDocuments;
  readonly asked: readonly Asked[];
}

function cases(profiles: readonly Profile[]): fc.Arbitrary<Case> {
  return fc
    .constantFrom(...profiles)
    .chain((profile) => fc.tuple(policySet({ profile }), fc.boolean()))
    .chain(([documents]) => {
      const asked = fc.record({
        one: request(documents),
        given: fc.constantFrom<Given>("nothing", "nothing", "id", "some"),
        rows: fc.array(row(), { minLength: ROWS, maxLength: ROWS }),
      });
      return fc.record({
        documents: fc.constant(documents),
        asked: fc.array(asked, { minLength: REQUESTS, maxLength: REQUESTS }),
      });
    });
}

/** Does the filter select a row exactly when it should? A pre-filter may select additional rows. */
function isAs(should: boolean, isIn: boolean, isExact: boolean): boolean {
  return isExact ? isIn === should : isIn || !should;
}

const counts = {
  someForbidden: 0,
  forbidden: 0,
  rows: 0,
  allowed: 0,
  all: 0,
  none: 0,
  some: 0,
  inexact: 0,
  expressions: 0,
};

function check(policies: PolicySet, documents: PolicyDocuments, { one, given, rows }: Asked): void {
  const { kind, scope, id, attr } = one.resource;
  const known = given === "some" ? Object.fromEntries(Object.entries(attr).filter((_, i) => i % 2 === 0)) : {};
  const { resource: _, ...rest } = one;
  const plan = planDecisions(policies, {
    ...rest,
    kind,
    resource: { ...(scope === undefined ? {} : { scope }), ...(given === "id" ? { id } : {}), attr: known },
    withForbidden: true,
  });
  const { forbidden } = plan;
  if (forbidden === undefined) throw new Error("the forbidden rows were asked for");
  if (forbidden.outcome === "some") counts.someForbidden += 1;
  counts[plan.outcome] += 1;
  if (!plan.isExact) counts.inexact += 1;
  if (JSON.stringify(plan.filter).includes('"expression"')) counts.expressions += 1;
  for (const each of rows) {
    const resource = {
      ...one.resource,
      id: given === "id" ? id : each.id,
      attr: { ...each.attr, ...known },
    };
    const { outcome } = decide(policies, { ...one, resource });
    const isIn = matches(plan.filter, resource);
    counts.rows += 1;
    if (outcome === "allow") counts.allowed += 1;
    if (outcome === "forbidden") counts.forbidden += 1;
    const isForbidden = matches(forbidden.filter, resource);
    const isRight =
      isAs(outcome === "allow", isIn, plan.isExact) &&
      isAs(outcome === "forbidden", isForbidden, forbidden.isExact) &&
      (plan.outcome !== "all" || outcome === "allow") &&
      (forbidden.outcome !== "all" || outcome === "forbidden" || !forbidden.isExact);
    const shown = () =>
      JSON.stringify({ isIn, isForbidden, outcome, request: { ...one, resource }, plan }, (_key, value) =>
        typeof value === "bigint" ? `${value}n` : value,
      );
    if (!isRight)
      throw new Error(
        `${shown()}\n${toFiles(documents)
          .map(({ text }) => text)
          .join("\n")}`,
      );
  }
}

// Finds cases that no handwritten test has: wrong types inside lists and maps, errors that another condition absorbs.
test.each(PROFILES)(
  "a row is in the filter if and only if it is allowed: %s",
  { tags: "long", timeout: 600_000 },
  (what, profiles, sets) => {
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0;
    fc.assert(
      fc.property(cases(profiles), ({ documents, asked }) => {
        const policies = compiledDocuments(documents);
        for (const one of asked) check(policies, documents, one);
      }),
      { numRuns: sets, endOnFailure: true },
    );
    say(`lists of ${what}: ${JSON.stringify(counts)}`);
    const plans = counts.all + counts.none + counts.some;
    expect(counts.allowed / counts.rows).toBeGreaterThan(0.1);
    expect(counts.some / plans).toBeGreaterThan(0.2);
    expect(counts.forbidden / counts.rows).toBeGreaterThan(0.1);
    expect(counts.someForbidden / plans).toBeGreaterThan(0.1);
    expect(counts.inexact / plans).toBeLessThan(0.1);
  },
);
