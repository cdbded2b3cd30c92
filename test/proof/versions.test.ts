/** Claims and laws are proved of every version of the policies. */

import { afterAll, expect, test } from "vitest";
import { proveClaims, readClaims } from "../../src/audit/index.js";
import type { CompileOptions } from "../../src/index.js";
import { findSolver } from "../../src/solver/solver.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());

const OWNER = `actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when("R.attr.owner == P.id")}`;

const setOf = (v2: readonly string[], options: CompileOptions = {}) =>
  compiled(
    [
      { path: "doc.yaml", text: policy({ rules: [OWNER] }) },
      { path: "doc_v2.yaml", text: policy({ version: "v2", rules: v2 }) },
    ],
    { ...options, platform: "none" },
  );

const claimsIn = (text: string) => readClaims("a.claims.yaml", text).claims;
const OWNED = claimsIn(
  "claims: [{claim: Only the owner reads., operations: read, assume: 'resource.attr.owner != key.id', never: allow}]",
);

test("a claim that one version breaks is broken, with that version", async () => {
  const open = setOf(['actions: [read], roles: ["*"], effect: EFFECT_ALLOW']);
  expect(await proveClaims(open, OWNED, solver)).toMatchObject({
    claims: [{ result: "proved" }, { result: "broken", version: "v2", outcome: "allow" }],
  });
  expect(await proveClaims(setOf([OWNER]), OWNED, solver)).toMatchObject({
    claims: [{ result: "proved" }, { result: "proved", version: "v2" }],
  });
});

test("a version that the set declares as another's is left out", async () => {
  const open = setOf(['actions: [read], roles: ["*"], effect: EFFECT_ALLOW'], { otherVersions: ["v2"] });
  expect(await proveClaims(open, OWNED, solver)).toMatchObject({ claims: [{ result: "proved" }] });
});

test("a claim about an operation is asked of the versions that know it", async () => {
  const shared = setOf([`actions: [share], roles: [user], effect: EFFECT_ALLOW, ${when("P.id == R.attr.owner")}`]);
  const never = claimsIn("claims: [{claim: Sharing is never allowed., operations: share, never: allow}]");
  const found = await proveClaims(shared, never, solver);
  expect(found).toMatchObject({ claims: [{ result: "broken", version: "v2" }] });
  expect(found.kind === "proved" ? found.claims.length : 0).toBe(1);
  const unknown = claimsIn("claims: [{claim: Nobody publishes., operations: publish, never: allow}]");
  expect(await proveClaims(shared, unknown, solver)).toMatchObject({ kind: "wrong" });
});
