/**
 * Comparisons by the solver: changes that the search over values misses, and proofs that nothing changes.
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { diffPolicies, searchDecisionChanges } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import type { PolicySet } from "../../src/index.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { permissions, policy, when } from "../support/compose.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { CHANGED, EQUAL, type PairSide } from "./diff-pairs.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());

function setOf(side: PairSide): PolicySet {
  const { rules, variables = "" } =
    typeof side === "string"
      ? { rules: [`name: read, actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when(side)}`] }
      : side;
  return permissions({ "doc.yaml": policy({ body: variables, rules }) });
}

describe("what changes is shown, or said not to be known", () => {
  test.each(CHANGED)(
    "$what",
    async ({ before, after, change }) => {
      const [a, b] = [setOf(before), setOf(after)];
      const { result, changes, unproven } = await diffPolicies(a, b, solver);
      for (const { request, from, to } of changes) {
        expect([decideAny(a, requestOf(request)).outcome, decideAny(b, requestOf(request)).outcome]).toEqual([
          from,
          to,
        ]);
      }
      expect(result).not.toBe("equal");
      // Only the search can find changes in functions without a translation for the solver.
      if (result === "changes") expect([...changes, ...unproven].map((one) => one.class)).toContain(change);
      expect(searchDecisionChanges(a, b).result).not.toBe("equal");
    },
    60_000,
  );
});

describe("what is equal is proved", () => {
  test.each(EQUAL)(
    "$what",
    async ({ before, after }) => {
      const { result, unproven } = await diffPolicies(setOf(before), setOf(after), solver);
      expect(unproven).toEqual([]);
      expect(result).toBe("equal");
    },
    60_000,
  );
});

test("the shipped policies: where schemas declare types, guards against values of other types change nothing", async () => {
  const guarded = compiled(
    shippedFiles.map(({ path, text }) => ({
      path,
      text: text.replace("== P.attr.accountId", '== "" + P.attr.accountId').replace("R.attr.workspaceId]", '"" + $&'),
    })),
  );
  const { result, unproven } = await diffPolicies(shipped, guarded, solver);
  expect([guarded === shipped, result, unproven]).toEqual([false, "equal", []]);
}, 60_000);
