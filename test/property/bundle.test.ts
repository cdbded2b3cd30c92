/**
 * Policies from a bundle decide as policies from texts do. Whole verdicts, checks and explanations are compared on
 * generated sets of the whole language, for imported bundles and for bundles read as text. Policies from a bundle build
 * the same bundle again.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explain } from "../../src/audit/explain/explain.js";
import { bundleText } from "../../src/bundle/module.js";
import { pack } from "../../src/bundle/pack.js";
import { modelOf } from "../../src/bundle/unpack.js";
import { CheckPolicies, check } from "../../src/engine/evaluate/check.js";
import type { CheckInput } from "../../src/engine/evaluate/check-types.js";
import { FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import { type DecisionRequest, decide, deciderFor } from "../../src/index.js";
import { damagedBy, damageSteps } from "../../src/testing/laws/damage.js";
import { bundledSets } from "../support/bundles.js";
import { watchFunctions } from "../support/functions.js";
import { compiledDocuments } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import { type Profile, policySet, request } from "./arbitraries/index.js";

const PROFILES: readonly Profile[] = ["any", "whole", "optionals"];
const SETS = sized(60, 1);
const REQUESTS = 60;

/** How often sets of conditions were requested from generated functions, and how often found. */
const functions = { found: 0, asked: 0 };
let unwatch: () => void;

beforeAll(() => {
  unwatch = watchFunctions((_, isFound) => {
    functions.asked++;
    if (isFound) functions.found++;
  });
});

afterAll(() => {
  unwatch();
});

function inputOf({ key, resource, operation }: DecisionRequest): CheckInput {
  const { scope = "", attr = {} } = resource;
  return {
    principal: { id: key.id, roles: key.roles, attr: key.attr ?? {}, scope: key.scope ?? "", policyVersion: "" },
    resource: { kind: resource.kind, id: resource.id, attr, scope, policyVersion: "" },
    actions: [operation],
    jwt: {},
    now: undefined,
  };
}

test("on generated policy sets", { timeout: 600_000 }, async () => {
  const tally = new Tally();
  for (const profile of PROFILES) {
    const cases = policySet({ profile }).chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS }),
        fc.array(damageSteps("either"), { minLength: REQUESTS, maxLength: REQUESTS }),
      ),
    );
    for (const [documents, requests, damage] of fc.sample(cases, { numRuns: SETS, seed: SEED })) {
      const set = compiledDocuments(documents);
      const { module, text } = await bundledSets(set);
      expect(await bundleText(text)).toBe(await bundleText(set));
      const checks = [set.model, modelOf(pack(set))].map(
        (model) => new CheckPolicies(model, "lenient", FULL_EQUIPMENT),
      );
      for (const [i, whole] of requests.entries()) {
        const one = i % 4 === 0 ? damagedBy(whole, damage[i] ?? []).request : whole;
        const expected = decide(set, one);
        tally.sample(expected);
        for (const other of [module, text]) {
          const found = decide(other, one);
          if (!isDeepStrictEqual(found, expected))
            expect({ documents, one, found }).toEqual({ documents, one, expected });
        }
        const { key, ...rest } = one;
        const { account } = rest;
        for (const decider of i % 4 === 0 ? [] : [deciderFor(module, { key }), deciderFor(module, { key, account })]) {
          expect(decider.decide(rest)).toEqual(expected);
        }
        if (i % 20 === 0) expect(explain(text, one)).toEqual(explain(set, one));
        const options = { defaultPolicyVersion: "default", defaultScope: "", lenientScopeSearch: false, globals: {} };
        const [ofSet, ofBundle] = checks.map((policies) => {
          const { actions, ...rest } = check(policies, inputOf(whole), { ...options, schemaEnforcement: "none" });
          return {
            ...rest,
            actions: [...actions].map(([action, { effect, policy, scope }]) => [action, effect, policy, scope]),
          };
        });
        expect(ofBundle).toEqual(ofSet);
      }
    }
  }
  say(`bundles: ${tally}; functions found ${functions.found} of ${functions.asked}`);
  tally.expectCoverage({ decisions: PROFILES.length * SETS * REQUESTS, errors: 0.05 });
  expect(functions.found).toBeGreaterThan(tally.decisions / 2);
});
