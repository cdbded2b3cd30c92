/** A proof that fails because of an expression names it, with its file, line and column. */

import { afterAll, expect, test } from "vitest";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

/** Why it is not proved that nobody reads a document, with one rule of this condition. */
async function whyUnproven(expr: string, body = ""): Promise<string> {
  const rules = [`name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`];
  const set = permissions({ "doc.yaml": policy({ body, rules }) });
  const claims = "claims: [{claim: Nobody reads., operations: read, never: allow}]";
  const proofs = await proveClaims(set, readClaims("c.claims.yaml", claims).claims, solver);
  return proofs.kind === "proved" ? (proofs.claims[0]?.why ?? "") : "";
}

test.each<[string, string]>([
  ['R.attr.name.lowerAscii() == "A"', '"R.attr.name.lowerAscii() == \\"A\\"" (doc.yaml:6:109)'],
  ['R.attr.name.matches("a") && !R.attr.name.matches(".*a.*")', "(doc.yaml:6:"],
  ["R.attr.list.map(x, x.a) == [1, 2] && R.attr.list == []", "R.attr.list.map"],
])("%s", async (expr, named) => {
  const why = await whyUnproven(expr);
  expect(why).toContain(named);
});

test("a variable is named where it is written", async () => {
  const why = await whyUnproven("V.odd", `variables: {local: {odd: 'R.attr.name.lowerAscii() == "A"'}}`);
  expect(why).toMatch(/does not understand the expression "R\.attr\.name\.lowerAscii\(\) == .*" \(doc\.yaml:5:\d+\)/);
});
