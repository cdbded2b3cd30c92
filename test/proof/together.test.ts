/**
 * Claims about two operations of one key: separation of duties.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { shipped } from "../support/policies.js";

const solver = findSolver({ timeLimit: 30_000 });
afterAll(() => solver?.close());

const claim = (...fields: readonly string[]) =>
  `claims:\n  - claim: It is so.\n${fields.map((field) => `    ${field}\n`).join("")}`;
const LIMITED = `assume: ["!('admin' in key.roles)", "size(key.attr.permissions) == 0"]`;

async function resultOf(text: string) {
  const { claims, issues } = readClaims("a.claims.yaml", text);
  expect(issues).toEqual([]);
  const proofs = await proveClaims(shipped, claims, solver);
  if (proofs.kind === "wrong") return proofs.issues.map(({ message }) => message);
  return proofs.claims;
}

test("is proved if no request is allowed both", async () => {
  const results = await resultOf(claim("together: [keys.createKey, apis.deleteApi]", LIMITED));
  expect(results).toMatchObject([{ result: "proved", questions: 1 }]);
});

test("is broken by a request that is allowed both", async () => {
  const [result] = await resultOf(claim("together: [keys.createKey, apis.deleteApi]"));
  if (result === undefined || typeof result === "string" || result.request === undefined) throw new Error("no request");
  expect([result.result, result.outcome]).toEqual(["broken", "allow"]);
  for (const operation of ["keys.createKey", "apis.deleteApi"]) {
    expect(decideAny(shipped, requestOf({ ...result.request, operation })).outcome).toBe("allow");
  }
});

test("is wrong if no policy knows an operation, or both on one kind", async () => {
  const unknown = await resultOf(claim("together: [keys.createKey, apis.drop]"));
  expect(unknown).toEqual(["no policy knows the operation apis.drop"]);
  const apart = await resultOf(claim("together: [keys.createKey, keys.deleteKey]"));
  expect(apart).toEqual(["no policy knows these operations on these kinds, so the claim is empty"]);
});
