/** Requests made for policies: that they are interesting. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../../src/index.js";
import { requests } from "../../../src/testing/laws/index.js";
import { shipped, shippedDocuments } from "../../support/policies.js";
import { say } from "../../support/seed.js";
import { Tally } from "../../support/tally.js";
import { withoutEachRule } from "../../support/without-rule.js";

const REQUESTS = 5_000;

test("of requests for the shipped policies, each outcome is 10 % or more, and every rule is decisive at least once", () => {
  const tally = new Tally();
  const undecided = new Map(withoutEachRule(shippedDocuments));
  for (const one of fc.sample(requests(shipped), REQUESTS)) {
    const decision = decide(shipped, one);
    tally.sample(decision);
    for (const { policy, rule } of [...decision.permission.reasons, ...decision.platform.reasons]) {
      const without = undecided.get(`${policy}#${rule}`);
      if (without === undefined) continue;
      if (decide(without(), one).outcome !== decision.outcome) undecided.delete(`${policy}#${rule}`);
    }
  }
  say(`requests made for the shipped policies: ${tally}`);
  expect([...undecided.keys()]).toEqual([]);
  tally.expectCoverage({ decisions: REQUESTS, errors: 0.01 });
});
