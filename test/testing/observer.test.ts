/** Engines that are observed answer as those that are not. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Timestamp } from "../../src/cel/values.js";
import { type ScopedLayer, scopedVerdict } from "../../src/engine/check/layer.js";
import { compileTable } from "../../src/engine/check/table.js";
import { decide } from "../../src/index.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { shipped } from "../support/policies.js";
import "../support/seed.js";

const NO_TIME: Timestamp | undefined = undefined;

test("on generated requests", () => {
  const seen = { evaluated: 0, considered: 0 };
  const observer = {
    evaluated: () => void seen.evaluated++,
    considered: () => void seen.considered++,
  };
  const layer = (version: string, observed: boolean): ScopedLayer => ({
    table: compileTable(shipped.model, "error", observed ? observer : undefined),
    version,
    defaultReason: version === "platform" ? "not_available" : "not_granted",
    globals: {},
  });
  const layers = {
    permission: [layer("default", true), layer("default", false)],
    platform: [layer("platform", true), layer("platform", false)],
  } as const;
  fc.assert(
    fc.property(shippedRequest(), ({ key, operation, resource, account }) => {
      const target = { kind: resource.kind, id: resource.id, attr: resource.attr ?? {}, scope: "" };
      const asked = {
        permission: { id: key.id, roles: key.roles, attr: key.attr ?? {}, scope: "" },
        platform: { id: account.id, roles: ["account"], attr: account.attr ?? {}, scope: "" },
      };
      const decision = decide(shipped, { key, operation, resource, account });
      for (const name of ["permission", "platform"] as const) {
        const [observed, plain] = layers[name].map((each) =>
          scopedVerdict(each, asked[name], target, operation, NO_TIME),
        );
        expect(observed).toEqual(plain);
        expect(observed?.effect).toBe(decision[name].effect);
      }
    }),
    { numRuns: 300 },
  );
  expect(seen.evaluated).toBeGreaterThan(100);
  expect(seen.considered).toBeGreaterThan(100);
});
