/**
 * Pairs of keys that `covers` leaves undecided, as claims: the solver proves or breaks them (docs/delegation.md).
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { covers, type PolicySet } from "../../src/index.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver({ timeLimit: 60_000 });
afterAll(() => solver?.close());

const reader = (condition: string) =>
  permissions({
    "doc.yaml": policy({ rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(condition)}`] }),
  });

async function claimed(set: PolicySet, child: object, of: object) {
  const claim = {
    claim: "The key may do no more.",
    subset: { child: { roles: ["user"], attr: child }, of: { roles: ["user"], attr: of } },
  };
  const { claims, issues } = readClaims("a.claims.json", JSON.stringify({ claims: [claim] }));
  expect(issues).toEqual([]);
  const proofs = await proveClaims(set, claims, solver);
  return proofs.kind === "wrong" ? expect.fail(JSON.stringify(proofs.issues)) : proofs.claims[0];
}

describe.each([
  ["the time", 'now() > timestamp("2020-01-01T00:00:00Z") && R.attr.level < P.attr.level', { level: 2 }, { level: 3 }],
  ["a sum", "R.attr.price + R.attr.tax < P.attr.most", { most: 10 }, { most: 20 }],
])("%s", (_, condition, less, more) => {
  const set = reader(condition);
  const key = (attr: typeof less) => ({ id: "key_1", roles: ["user"], attr });

  test("covers does not decide", () => {
    const answer = { covered: false, undecided: true };
    expect(covers(set, { maker: key(more), holder: key(less) })).toEqual(answer);
  });

  test("the claim is proved", async () => {
    expect(await claimed(set, less, more)).toMatchObject({ result: "proved" });
  });

  test("the opposite claim is broken, by a request that replays", async () => {
    const broken = await claimed(set, more, less);
    expect(broken?.result).toBe("broken");
    const [one, other] = [broken?.request, broken?.changed].map((request) =>
      request === undefined ? undefined : decideAny(set, requestOf(request)).permission.effect,
    );
    expect([one, other]).toEqual(["allow", "deny"]);
  });
});
