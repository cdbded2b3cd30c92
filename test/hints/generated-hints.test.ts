/**
 * The laws of hints on random policies, which write permissions in many ways: see `generated-sets.ts`.
 *
 * @module-tag long
 */

import { expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { Random } from "../differential/random.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { generatedSet } from "./generated-sets.js";
import { expectLeastFirst, expectUseful, hintsFor } from "./hint-laws.js";

const SETS = sized(500, 25);
/** The first set is one with a denial that a permission ends. */
const FIRST = 256;
const REQUESTS = 20;

test("each hint replays and is needed, no cheaper one is behind, and attributes of the resource change no hint", () => {
  const counts = { refused: 0, hinted: 0, given: 0, ordered: 0, pairs: 0, combined: 0 };
  for (let n = 0; n < SETS; n++) {
    const random = new Random(SEED + FIRST + n);
    const { policies, list, text, request, elsewhere } = generatedSet(random);
    const others = Array.from({ length: 30 }, () => request(random, true));
    for (let i = 0; i < REQUESTS; i++) {
      const one = request(random);
      const hints = hintsFor(policies, one);
      try {
        expectUseful(policies, one, hints, list);
        // The order takes a role's name in a condition and a rule's own role for two different things.
        if (!text.includes("in P.roles"))
          counts.ordered += expectLeastFirst(policies, one, hints, others, list, () => request(random, true));
        const other = hintsFor(policies, elsewhere(random, one));
        if (hints.length > 0 && other.length > 0) {
          counts.pairs += 1;
          expect(other, JSON.stringify(one)).toEqual(hints);
        }
        expectUseful(policies, one, hintsFor(policies, one, true), list);
      } catch (error) {
        throw new Error(`seed ${SEED + FIRST + n}:\n${text}`, { cause: error });
      }
      const { outcome, fault } = decideAny(policies, one);
      if (outcome === "insufficient_permissions" && fault === undefined) counts.refused += 1;
      if (hints.length > 0) counts.hinted += 1;
      counts.given += hints.length;
      counts.combined += hints.filter(({ permissions, roles = [] }) => permissions.length + roles.length > 1).length;
    }
  }
  say(`hints of generated policies: ${JSON.stringify(counts)} of ${SETS * REQUESTS} requests`);
  expect(counts.hinted).toBeGreaterThan(counts.refused / 3);
  expect(counts.ordered).toBeGreaterThan(sized(1_000, 50));
  expect(counts.pairs).toBeGreaterThan(sized(500, 25));
  expect(counts.combined).toBeGreaterThan(sized(200, 10));
});
