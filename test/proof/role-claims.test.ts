/** Claims about hierarchies of roles, on policies that read the roles of keys in every way. */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import type { Proved } from "../../src/proof/claims/types.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

/** A policy with these rules for one operation. */
function setOf(rules: readonly string[]) {
  const text = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
${rules.map((rule) => `    - {actions: [read], ${rule}}\n`).join("")}`;
  return compiled([{ path: "doc.yaml", text }], { platform: "none" });
}

const ALLOW = "effect: EFFECT_ALLOW";
const when = (expr: string) => `condition: {match: {expr: '${expr}'}}`;

async function provedOf(rules: readonly string[], assume = "true"): Promise<Proved> {
  const text = `claims:\n  - {claim: c, role: admin, includes: editor, assume: '${assume}'}\n`;
  const { claims, issues } = readClaims("a.claims.yaml", text);
  expect(issues).toEqual([]);
  const proofs = await proveClaims(setOf(rules), claims, solver);
  if (proofs.kind === "wrong") throw new Error(proofs.issues.map(({ message }) => message).join());
  const [one] = proofs.claims;
  if (one === undefined) throw new Error("there is no result");
  return one;
}

const BOTH = `roles: [admin, editor], ${ALLOW}`;
const ANY = `roles: ["*"], ${ALLOW}`;

test.each([
  [[BOTH]],
  [[`${BOTH}, ${when("R.attr.n > P.attr.n")}`]],
  [[`roles: [editor], ${ALLOW}, ${when("R.attr.n > 3")}`, `roles: [admin], ${ALLOW}, ${when("R.attr.n > 2")}`]],
  [[`${ANY}, ${when("size(P.roles) == 1")}`, BOTH]],
  [[`${ANY}, ${when('"editor" in P.roles || "admin" in P.roles')}`]],
  [
    [
      `${ANY}, ${when("P.roles.exists(r, R.attr.readers.exists(x, x == 7)) || size(P.roles) < 2")}`,
      `${BOTH}, ${when("false")}`,
    ],
  ],
  [[`roles: ["ad*", editor], ${ALLOW}`]],
])("proved: %j", async (rules) => {
  expect(await provedOf(rules)).toMatchObject({ result: "proved" });
});

test.each([
  [[`${BOTH}, ${when("R.attr.n > 3")}`, `roles: [admin], effect: EFFECT_DENY, ${when("R.attr.n == 5")}`]],
  [[`roles: [editor], ${ALLOW}, ${when("R.attr.n > 2")}`, `roles: [admin], ${ALLOW}, ${when("R.attr.n > 3")}`]],
  [[`${ANY}, ${when('"editor" in P.roles')}`, `roles: [admin], ${ALLOW}, ${when("false")}`]],
  [[`roles: ["ed*"], ${ALLOW}`, `roles: [admin], ${ALLOW}, ${when("R.attr.n == 4")}`]],
])("broken: %j", async (rules) => {
  const { result, request, changed, outcome } = await provedOf(rules);
  expect(result).toBe("broken");
  if (request === undefined || changed === undefined) throw new Error("there are no requests");
  expect([request.key.roles, changed.key.roles]).toEqual([["editor"], ["admin"]]);
  expect({ ...changed, key: { ...changed.key, roles: request.key.roles } }).toEqual(request);
  const outcomes = [request, changed].map((one) => decideAny(setOf(rules), requestOf(one)).outcome);
  expect(outcomes).toEqual(["allow", outcome]);
  expect(outcome).toBe("insufficient_permissions");
});

test.each([
  [[`${BOTH}, ${when("P.roles == R.attr.readers")}`]],
  [[`${BOTH}, ${when("P.roles.exists(r, r in R.attr.readers)")}`]],
  [[`${BOTH}, ${when("R.attr.groups.exists(g, R.attr.readers.exists(r, r in P.roles))")}`]],
  [[`${BOTH}, ${when("R.attr.groups.exists(g, g == [P.roles[0]])")}`]],
  [[`${BOTH}, ${when("R.attr.names[P.roles[0]] in R.attr.groups")}`]],
  [[`${BOTH}, ${when("size(R.attr.groups) > (P.roles == R.attr.readers ? 1 : 2)")}`]],
  [[`${BOTH}, ${when('R.attr.groups.exists(g, size("editor" in P.roles ? R.attr.a : R.attr.b) == 1)')}`]],
])("not called proved where roles are compared with values of the request: %j", async (rules) => {
  expect((await provedOf(rules)).result).not.toBe("proved");
});

test("only requests that satisfy the assumptions are asked about", async () => {
  const rules = [`roles: [editor], ${ALLOW}`, `roles: [admin], ${ALLOW}, ${when("R.attr.n == 4")}`];
  expect(await provedOf(rules, "resource.attr.n == 4")).toMatchObject({ result: "proved" });
  expect(await provedOf(rules, "resource.attr.n >= 4")).toMatchObject({ result: "broken" });
});
