/** A listed tool has a call that is allowed, and a hidden one has none: on the shipped policies. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { FilterRow } from "../../src/engine/residual/filter.js";
import { findRow } from "../../src/engine/residual/row-search.js";
import { decide, planDecisions } from "../../src/index.js";
import { accessTo } from "../../src/mcp/tool-decisions.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { shipped } from "../support/policies.js";
import { KINDS } from "../support/requests.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

test("of random keys and accounts", () => {
  const counts = { listed: 0, hidden: 0, unusable: 0, forbidden: 0 };
  fc.assert(
    fc.property(fc.array(shippedRequest(), { minLength: 4, maxLength: 12 }), (requests) => {
      const [{ key, account } = { key: undefined, account: undefined }] = requests;
      if (key === undefined || account === undefined) return;
      for (const [operation, kind] of Object.entries(KINDS)) {
        const question = { key, account, operation, kind };
        const access = accessTo(shipped, { operation, kind, resource: () => undefined }, { key, account }, undefined);
        if (access === "usable") {
          counts.listed++;
          const { filter } = planDecisions(shipped, question);
          const allows = ({ id = "row_1", attr }: FilterRow) =>
            decide(shipped, { key, account, operation, resource: { kind, id, attr: { ...attr } } }).outcome === "allow";
          const found = findRow([{ filter, holds: true }], { left: 10_000 }, allows);
          expect(found, JSON.stringify(question)).toHaveProperty("row");
          continue;
        }
        counts.hidden++;
        for (const { resource } of requests) {
          if (resource.kind !== kind) continue;
          const { outcome } = decide(shipped, { key, account, operation, resource });
          expect(outcome).not.toBe("allow");
          if (access === "forbidden") expect(outcome).toBe("forbidden");
          counts[access] += 1;
        }
      }
    }),
    { numRuns: sized(2_000, 100) },
  );
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(100);
});
