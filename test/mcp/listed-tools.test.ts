/** A listed tool has a call that is allowed, and a hidden one has none: on the shipped policies. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { FilterRow } from "../../src/engine/residual/filter.js";
import { findRow } from "../../src/engine/residual/row-search.js";
import { decide, planDecisions } from "../../src/index.js";
import { isListed } from "../../src/mcp/tool-decisions.js";
import { shippedRequest } from "../property/arbitraries/index.js";
import { shipped } from "../support/policies.js";
import { KINDS } from "../support/requests.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

test("of random keys and accounts", () => {
  const counts = { listed: 0, hidden: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(shippedRequest(), { minLength: 4, maxLength: 12 }), (requests) => {
      const [{ key, account } = { key: undefined, account: undefined }] = requests;
      if (key === undefined || account === undefined) return;
      for (const [operation, kind] of Object.entries(KINDS)) {
        const question = { key, account, operation, kind };
        if (isListed(shipped, { operation, kind, resource: () => undefined }, { key, account }, undefined)) {
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
          counts.refused++;
          expect(decide(shipped, { key, account, operation, resource }).outcome).not.toBe("allow");
        }
      }
    }),
    { numRuns: sized(2_000, 100) },
  );
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(100);
});
