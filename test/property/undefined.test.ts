/**
 * An attribute that is `undefined` is absent. Undefined members at any depth of a request do not change whole
 * decisions, by any way to decide.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide, decideAll, deciderFor, matches, planDecisions } from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { compiled, compiledDocuments } from "../support/policies.js";
import { SEED } from "../support/seed.js";
import { sized } from "../support/size.js";
import { GLOBALS, OTHER_VERSIONS, type Profile, policySet, request, toFiles } from "./arbitraries/index.js";
import { ATTRIBUTES } from "./arbitraries/vocabulary.js";

const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];
const REQUESTS = 12;
/** After this many decisions, functions are generated. */
const WARM = 25;

const NAMES = [...Object.values(ATTRIBUTES).flatMap((attributes) => Object.keys(attributes)), "a", "b", "k"];

/** A copy of a value with additional `undefined` members in its maps. */
function sprinkled(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => sprinkled(item, random));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sprinkled(inner, random)] as const);
  const more = Array.from({ length: random() % 4 }, () => [NAMES[random() % NAMES.length] ?? "a", undefined] as const);
  return Object.fromEntries([...more, ...entries]);
}

/** The parts of a request with undefined members in their attributes. */
function withUndefined<R extends { readonly [part: string]: unknown }>(parts: R, random: () => number): R {
  const entries = Object.entries(parts).map(([name, part]) => {
    if (typeof part !== "object" || part === null || !("attr" in part)) return [name, part];
    return [name, { ...part, attr: sprinkled(part.attr, random) }];
  });
  return Object.assign({}, parts, Object.fromEntries(entries));
}

/** A generator of numbers from a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
}

test("on generated policy sets", { timeout: 600_000 }, async () => {
  const counts = { allow: 0, insufficient_permissions: 0, forbidden: 0, rows: 0 };
  for (const profile of PROFILES) {
    const cases = policySet({ profile }).chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS }),
        fc.integer(),
      ),
    );
    for (const [i, [documents, requests, seed]] of fc.sample(cases, { numRuns: sized(60), seed: SEED }).entries()) {
      const set = compiledDocuments(documents);
      const options = { globals: GLOBALS, otherVersions: OTHER_VERSIONS };
      const closures = compiled(toFiles(documents), { ...options, codegen: false });
      const enforcing = compiled(toFiles(documents), { ...options, schemaEnforcement: "reject" });
      const { module } = i % 3 === 0 ? await bundledSets(set) : { module: set };
      const random = numbers(seed);
      for (const plain of requests) {
        const { key, operation, resource, account, now, ...more } = plain;
        const given = withUndefined({ ...plain }, random);
        const time = now === undefined ? {} : { now };
        const rest = { operation, resource: given.resource, ...time };
        const page = { key: given.key, operation, account: given.account, ...time };
        const expected = decide(set, plain);
        counts[expected.outcome]++;
        const [ofKey, ofBoth] = [deciderFor(set, { key: given.key }), deciderFor(set, page)];
        for (const round of [0, 1, WARM]) {
          if (round === WARM) for (let i = 0; i < WARM; i++) decide(set, plain);
          const found = [
            decide(set, given),
            decide(closures, given),
            decide(module, given),
            ofKey.decide({ ...rest, account: given.account }),
            ofBoth.decide(rest),
            ...decideAll(set, page, [given.resource]),
          ];
          for (const one of found) {
            if (!isDeepStrictEqual(one, expected))
              expect({ documents, given, one }).toEqual({ documents, given, one: expected });
          }
        }
        expect(decide(enforcing, given)).toEqual(decide(enforcing, plain));
        const { kind, attr: _, id: __, ...known } = resource;
        const asked = { ...more, key, operation, account, kind, resource: known, ...time };
        const plan = planDecisions(set, asked);
        expect(matches(plan.filter, given.resource)).toBe(matches(plan.filter, resource));
        const part = { ...known, attr: sprinkled({}, random) };
        const again = planDecisions(set, { ...asked, key: given.key, account: given.account, resource: Object(part) });
        expect([again.outcome, again.isExact, matches(again.filter, given.resource)]).toEqual([
          plan.outcome,
          plan.isExact,
          matches(plan.filter, resource),
        ]);
        counts.rows += Number(plan.outcome === "some");
      }
    }
  }
  const least = sized(60) * PROFILES.length;
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(least / 4);
});
