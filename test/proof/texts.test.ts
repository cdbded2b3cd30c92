/** A proof about texts holds of all texts of requests: above U+2FFFF, where the solver ends, and with unpaired halves. */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { type RequestJson, requestOf } from "../../src/space/draft.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

function setOf(expr: string) {
  const rules = [`name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`];
  return permissions({ "doc.yaml": policy({ rules }) });
}

/** The result of the claim that nobody reads a document, under a rule with this condition. */
async function nobodyReads(expr: string): Promise<string | undefined> {
  const claims = "claims: [{claim: Nobody reads., operations: read, never: allow}]";
  const proofs = await proveClaims(setOf(expr), readClaims("c.claims.yaml", claims).claims, solver);
  return proofs.kind === "proved" ? proofs.claims[0]?.result : undefined;
}

function reader(attr: RequestJson["resource"]["attr"]): RequestJson {
  const account = { id: "a", attr: {} };
  return {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "1", attr },
    account,
  };
}

test.each<[string, RequestJson["resource"]["attr"]]>([
  ['size(R.attr.s) == 1 && R.attr.s > "\\U0002FFFF"', { s: "\u{e0100}" }],
  ['R.attr.s > "\\U0001F600" && size(R.attr.s) == 1 && !(R.attr.s < "\\U0010FFFF")', { s: "\u{10ffff}" }],
  ["size(R.attr.a) == 1 && size(R.attr.b) == 1 && size(R.attr.a + R.attr.b) == 1", { a: "\ud83d", b: "\ude00" }],
  [
    'R.attr.a == "\\U0001F600" && R.attr.b != "" && R.attr.a.contains(R.attr.b) && R.attr.a != R.attr.b',
    { a: "😀", b: "\ude00" },
  ],
])("%s is not disproved", async (expr, attr) => {
  expect(decideAny(setOf(expr), requestOf(reader(attr))).outcome).toBe("allow");
  expect(await nobodyReads(expr)).not.toBe("proved");
});

test.each([
  'R.attr.s < "b" && R.attr.s > "c"',
  'size(R.attr.s) < 2 && R.attr.s.startsWith("ab")',
  '("a." + R.attr.s + ".b") == "a.b"',
  'R.attr.s.contains("\\U0001F600") && size(R.attr.s) == 0',
])("%s is never true, which is proved", async (expr) => {
  expect(await nobodyReads(expr)).toBe("proved");
});
