/** Names are data: sets with names that are easily confused decide alike by every way of asking, and keep the laws. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Decision,
  type DecisionRequest,
  decide,
  decideAll,
  decideChain,
  deciderFor,
  keepDeciders,
  matches,
  type PolicySet,
  planDecisions,
} from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { watchFunctions } from "../support/functions.js";
import { compiled } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { Tally } from "../support/tally.js";
import { type HostileSet, hostileSet } from "./arbitraries/hostile-names.js";
import { toFiles } from "./arbitraries/index.js";

const SETS = sized(300, 30);
const REQUESTS = 40;

const samples = () => fc.sample(hostileSet(REQUESTS), { numRuns: SETS, seed: SEED });

function compiledSet({ documents, options }: HostileSet, codegen: boolean): PolicySet {
  return compiled(toFiles(documents), { ...options, codegen });
}

/** Expects the same, and shows the policies and the request if it is not. */
function expectSame(found: unknown, expected: unknown, { documents }: HostileSet, request: DecisionRequest): void {
  if (!isDeepStrictEqual(found, expected))
    expect({ documents, request, found }).toEqual({ documents, request, found: expected });
}

test("every way of asking gives one decision", { timeout: 600_000 }, async () => {
  const tally = new Tally();
  let found = 0;
  const unwatch = watchFunctions((_, isFound) => {
    if (isFound) found++;
  });
  for (const set of samples()) {
    const closures = compiledSet(set, false);
    const policies = compiledSet(set, true);
    const { module, text } = await bundledSets(policies, set.options);
    const kept = keepDeciders(policies, { revision: () => "1" });
    for (const request of set.requests) {
      const expected = decide(closures, request);
      tally.sample(expected);
      const { key, account, resource, operation } = request;
      const others: Decision[] = [
        ...[module, text, policies].map((each) => decide(each, request)),
        ...[module, policies].map((each) => deciderFor(each, { key }).decide({ operation, resource, account })),
        kept.decide(request),
        kept.decide(request),
        ...decideAll(policies, { key, operation, account }, [resource, resource]),
      ];
      for (const other of others) expectSame(other, expected, set, request);
      const chain = decideChain(policies, [key, key], { operation, resource, account });
      expectSame(chain.outcome, expected.outcome, set, request);
    }
  }
  unwatch();
  say(`names: ${tally}; functions found ${found}`);
  tally.expectCoverage({ decisions: SETS * REQUESTS, errors: 0 });
  expect(found).toBeGreaterThan(tally.decisions / 2);
});

test("a row is in the filter of a list if and only if it is allowed", () => {
  let some = 0;
  for (const set of samples()) {
    const policies = compiledSet(set, true);
    for (const request of set.requests) {
      const { key, account, operation, resource } = request;
      const { kind, scope } = resource;
      const plan = planDecisions(policies, { key, account, operation, kind, resource: { scope } });
      if (plan.outcome === "some") some++;
      const isIn = matches(plan.filter, resource);
      expectSame([plan.isExact, isIn], [true, decide(policies, request).outcome === "allow"], set, request);
    }
  }
  expect(some).toBeGreaterThan((SETS * REQUESTS) / 10);
});

test("no key changes what the platform says, and no account what the permission layer says", () => {
  let checks = 0;
  for (const set of samples()) {
    const policies = compiledSet(set, true);
    for (const request of set.requests) {
      const { outcome, permission, platform } = decide(policies, request);
      for (const { key, account } of set.requests) {
        const byKey = decide(policies, { ...request, key });
        const byAccount = decide(policies, { ...request, account });
        expectSame(byKey.platform, platform, set, request);
        expectSame(byKey.outcome === "forbidden", outcome === "forbidden", set, request);
        expectSame(byAccount.permission, permission, set, request);
        checks += 3;
      }
    }
  }
  say(`laws on hostile names: ${checks} checks`);
  expect(checks).toBe(SETS * REQUESTS ** 2 * 3);
});
