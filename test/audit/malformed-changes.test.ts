/** Changes that only malformed requests show, and changes that well-formed requests show, too. */

import { afterAll, expect, test } from "vitest";
import { diffPolicies, diffText, searchDecisionChanges } from "../../src/audit/index.js";
import { schemaFaultsOf } from "../../src/decisions/schema-faults.js";
import type { PolicySet } from "../../src/index.js";
import { findSolver } from "../../src/solver/solver.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver();
afterAll(() => solver?.close());

const schema = (properties: object, required: readonly string[]) =>
  JSON.stringify({ type: "object", properties, required });

const COUNTS = { type: "object", properties: { used: { type: "integer", minimum: 0 }, most: { type: "integer" } } };
const RESOURCE = schema(
  {
    owner: { type: "string", minLength: 1 },
    state: { enum: ["open", "shut"] },
    holds: { type: "array", items: { type: "string" } },
    counts: { ...COUNTS, required: ["used", "most"] },
  },
  ["owner", "state", "holds", "counts"],
);

/** Without typed reads, expressions see malformed values. */
function reading(expr: string): PolicySet {
  const body = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  const rules = [`name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`];
  const files = [
    ...supportAll("doc"),
    { path: "doc.yaml", text: policy({ body, rules }) },
    { path: "_schemas/doc.json", text: RESOURCE },
  ];
  return compiled(files, { typedReads: false });
}

const GUARDED = 'R.attr.state in ["open", "shut"] && R.attr.owner == P.id';

test.each([
  // The search finds the change with an absent list alone: too many other values must fit.
  { what: "an absent list, and an empty one", before: "size(R.attr.holds) > 0", after: "!has(R.attr.holds) || true" },
  { what: "a nested bound", before: "R.attr.counts.used > 5", after: "R.attr.counts.used >= 0" },
  { what: "another owner", before: "R.attr.owner == P.id", after: 'R.attr.owner != ""' },
  { what: "texts of one length", before: "false", after: 'R.attr.owner.startsWith("ab") && size(R.attr.owner) == 7' },
])("$what: a well-formed request shows the change", async ({ before, after }) => {
  const [older, newer] = [reading(before), reading(after)];
  const { changes } = await diffPolicies(older, newer, solver);
  const widened = changes.filter((change) => change.class === "widening");
  expect(widened).not.toEqual([]);
  for (const { request, malformed, wellFormed } of widened) {
    expect([malformed, wellFormed, schemaFaultsOf(newer, request)]).toEqual([false, true, []]);
  }
});

test.each([
  { what: "a value outside an enum", before: GUARDED, after: "R.attr.owner == P.id" },
  { what: "an absent attribute", before: "has(R.attr.owner)", after: "true" },
  { what: "below a minimum", before: "R.attr.counts.used >= 0", after: "R.attr.counts.used >= -5" },
  { what: "no whole number", before: "R.attr.counts.used != 0.5", after: "has(R.attr.counts.used)" },
  { what: "an empty text", before: 'R.attr.owner != ""', after: "has(R.attr.owner)" },
])("$what: only malformed requests show the change, and this is proved", async ({ before, after }) => {
  const [older, newer] = [reading(before), reading(after)];
  const diff = await diffPolicies(older, newer, solver);
  expect(diff.changes).not.toEqual([]);
  for (const { request, malformed, wellFormed } of diff.changes) {
    expect([malformed, wellFormed, schemaFaultsOf(newer, request).length > 0]).toEqual([true, false, true]);
  }
  expect(diffText(diff)).toContain("only with malformed data; this is proved");
});

test("where it is not proved, the text does not claim that only malformed requests show a change", async () => {
  const [older, newer] = [reading("has(R.attr.owner)"), reading("true")];
  const diff = searchDecisionChanges(older, newer);
  expect(diff.changes.map(({ malformed, wellFormed }) => [malformed, wellFormed])).toEqual([[false, false]]);
  expect(diffText(diff)).toContain("the example is malformed; well-formed data may show the change, too");
  expect(diffText(diff)).not.toContain("only");
});
