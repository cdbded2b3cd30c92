/** Observed layers give the same complete verdicts as unobserved ones. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../../src/index.js";
import { shippedRequest } from "../../property/arbitraries/index.js";
import { shipped } from "../../support/policies.js";
import { ask } from "../../support/requests.js";
import { withLayers } from "../../support/with-layers.js";
import "../../support/seed.js";

test("on generated requests", () => {
  const seen = { evaluated: 0, watched: 0, concluded: 0, considered: 0 };
  const observer = {
    evaluated: () => void seen.evaluated++,
    watched: () => void seen.watched++,
    concluded: () => void seen.concluded++,
    considered: () => void seen.considered++,
  };
  const { permission, platform } = shipped;
  const observed = withLayers(shipped, permission.observedBy(observer), platform?.observedBy(observer));
  fc.assert(
    fc.property(shippedRequest(), (one) => {
      expect(decide(observed, one)).toEqual(decide(shipped, one));
    }),
    { numRuns: 300 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

test("of a question that is asked often, each time", () => {
  let told = 0;
  const { permission, platform } = shipped;
  const observer = { considered: () => void told++ };
  const observed = withLayers(shipped, permission.observedBy(observer), platform?.observedBy(observer));
  const counts = Array.from({ length: 30 }, () => {
    const before = told;
    decide(observed, ask("apis.deleteApi"));
    return told - before;
  });
  expect(counts).toEqual(Array(30).fill(counts[0]));
  expect(counts[0]).toBeGreaterThan(3);
});
