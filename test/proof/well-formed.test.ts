/** Searches find well-formed requests first, and say "malformed" only where no well-formed request exists. */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { allQuestions } from "../../src/proof/questions.js";
import { findWellFormed, isWellFormed } from "../../src/proof/well-formed.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

const SCHEMA = JSON.stringify({
  type: "object",
  properties: {
    owner: { type: "string", pattern: "^acct_[0-9]+$", examples: ["acct_7"] },
    size: { type: "integer", minimum: 5 },
    holds: { type: "array", items: { type: "string" } },
  },
  required: ["owner", "size", "holds"],
});

/** Searches for an allowed `read` of a document, with one rule of this condition. */
async function allowedBy(expr: string, schema = SCHEMA) {
  const body = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  const rules = [`name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`];
  const set = permissions({ "doc.yaml": policy({ body, rules }), "_schemas/doc.json": schema });
  const { questions, proverOf } = allQuestions([set]);
  const question = questions.find(({ operation }) => operation === "read");
  if (question === undefined) throw new Error("no question about reading");
  const prover = proverOf(question);
  const found = await findWellFormed(prover, solver, {
    goal: prover.outcomes(set).allow,
    sets: [set],
    replays: (request) => decideAny(set, requestOf(request)).outcome === "allow",
  });
  return { found, set };
}

test.each<[string, "request" | "malformed" | "none"]>([
  ["R.attr.size > 100", "request"],
  ['size(R.attr.holds) > 0 && R.attr.owner != "x"', "request"],
  ['R.attr.holds.exists(h, h == "abuse")', "request"],
  ["!has(R.attr.size)", "malformed"],
  ['!has(R.attr.owner) || R.attr.owner == "acct_1"', "request"],
  ["has(R.attr.owner) && !has(R.attr.holds)", "malformed"],
  ["R.attr.size < 5", "malformed"],
  ["R.attr.size == 1.5", "none"],
  ["R.attr.size > 3 && R.attr.size < 3", "none"],
])("allowed by %s: %s", async (expr, kind) => {
  const { found, set } = await allowedBy(expr);
  expect(found.kind).toBe(kind);
  if (found.kind !== "request" && found.kind !== "malformed") return;
  expect(isWellFormed([set], found.request)).toBe(found.kind === "request");
});

test("a violation of keywords that formulas do not know is not proved to be the only way", async () => {
  const { found } = await allowedBy('R.attr.owner == "x"');
  expect(found).toMatchObject({ kind: "unproven" });
  expect(found.kind === "unproven" && found.malformed?.resource.attr.owner).toBe("x");
});

test("a set that does not read an attribute does not lend its schema to it", async () => {
  const reads = 'has(R.attr.note) && R.attr.note == "x"';
  const typed = JSON.stringify({ type: "object", properties: { note: { type: "number" } } });
  const { found } = await allowedBy(reads, typed);
  expect(found.kind).toBe("none");
  const untyped = await allowedBy(reads, JSON.stringify({ type: "object" }));
  expect(untyped.found.kind).toBe("request");
});
