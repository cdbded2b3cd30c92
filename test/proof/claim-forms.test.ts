/**
 * Claims of each form hold of the shipped policies, and a change breaks each, with requests that show it.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import type { PolicySet } from "../../src/index.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import type { Claim, Proved } from "../../src/proof/claims/types.js";
import { isWellFormed } from "../../src/proof/well-formed.js";
import { findSolver } from "../../src/solver/solver.js";
import { type RequestJson, requestOf } from "../../src/space/draft.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { IS_WHOLE } from "../support/size.js";
import { CLAIM_CASES, type ClaimCase } from "./claim-forms.js";

/** By default one case in eight: each asks the solver for some seconds. */
const CASES = CLAIM_CASES.filter((_, i) => IS_WHOLE || i % 8 === 0);

const solver = findSolver({ timeLimit: 60_000 });
afterAll(() => solver?.close());

function claimOf({ claim, fields }: ClaimCase): Claim {
  const { claims, issues } = readClaims("a.claims.json", JSON.stringify({ claims: [{ claim, ...fields }] }));
  expect(issues).toEqual([]);
  const [one] = claims;
  if (one === undefined) throw new Error("there is no claim");
  return one;
}

async function provedOf(set: PolicySet, claim: Claim): Promise<Proved> {
  const proofs = await proveClaims(set, [claim], solver);
  if (proofs.kind === "wrong") throw new Error(proofs.issues.map(({ message }) => message).join());
  const [one] = proofs.claims;
  if (one === undefined) throw new Error("there is no result");
  return one;
}

function changedSet({ file, from, to }: ClaimCase): PolicySet {
  return compiled(
    shippedFiles.map(({ path, text }) => {
      if (path !== file) return { path, text };
      expect(text).toContain(from);
      return { path, text: text.replace(from, to) };
    }),
  );
}

test("there are 40 and more, of each form", () => {
  expect(CLAIM_CASES.length).toBeGreaterThanOrEqual(40);
  const forms = new Set(CLAIM_CASES.map((one) => claimOf(one).form.kind));
  expect([...forms].sort()).toEqual(["absent", "outcomes", "reasons", "subset", "together"]);
});

test.each(CASES)("holds: $claim", async (one) => {
  const { result, why, except, request, changed } = await provedOf(shipped, claimOf(one));
  expect({ result, why: result === "proved" ? "" : why, request, changed }).toEqual({ result: "proved", why: "" });
  // Requests that the schemas refuse may break a claim, unless it is about valid requests.
  if (JSON.stringify(one.fields).includes('"valid"')) expect(except).toBeUndefined();
});

test.each(CASES)("a change breaks it, and requests show it: $claim", async (one) => {
  const set = changedSet(one);
  const claim = claimOf(one);
  const { result, why, request, changed, outcome, reasons, malformed } = await provedOf(set, claim);
  expect([result, malformed, result === "broken" ? "" : why]).toEqual(["broken", undefined, ""]);
  if (request === undefined) throw new Error("there is no request");
  const decided = (policies: PolicySet, shown: RequestJson) => decideAny(policies, requestOf(shown));
  for (const shown of [request, ...(changed === undefined ? [] : [changed])]) {
    expect(isWellFormed([set], shown)).toBe(true);
  }
  const last = decided(set, changed ?? request);
  expect(last.outcome).toBe(outcome);
  switch (claim.form.kind) {
    case "outcomes":
      expect(claim.form.never).toContain(outcome);
      expect(claim.form.never).not.toContain(decided(shipped, request).outcome);
      break;
    case "together": {
      const { other, isApart } = claim.form;
      const second = changed ?? { ...request, operation: other.name };
      expect(changed === undefined).toBe(!isApart);
      expect(second.key).toEqual(request.key);
      expect(second.operation).toBe(other.name);
      const both = (policies: PolicySet) => [request, second].map((shown) => decided(policies, shown).outcome);
      expect(both(set)).toEqual(["allow", "allow"]);
      expect(both(shipped)).not.toEqual(["allow", "allow"]);
      break;
    }
    case "subset":
      expect([decided(set, request).outcome, outcome]).toEqual(["allow", "insufficient_permissions"]);
      expect({ ...changed, key: request.key }).toEqual(request);
      break;
    case "reasons": {
      const given = (last.outcome === "forbidden" ? last.platform : last.permission).reasons.map(
        ({ reason }) => reason,
      );
      expect(new Set(given)).toEqual(new Set(reasons));
      expect(outcome).not.toBe("allow");
      break;
    }
    case "absent":
      expect(last.fault).toBeUndefined();
      expect(decided(shipped, request).fault?.kind).toBe("unknown_operation");
      break;
  }
});
