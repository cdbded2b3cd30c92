/** An exported variable that reads a constant of each importer: every way of asking keeps the importers apart. */

import { expect, test } from "vitest";
import { type Decision, decide, decideAll, deciderFor, matches, planDecisions } from "../../src/index.js";
import { bundledSets } from "../support/bundles.js";
import { importersOf } from "../support/importers.js";

/** A derived role has the shared variable with "draft", and a rule has it with "live". */
const WORDS = ["draft", "live", "gone", 3, undefined];

test.each([
  ["alone", "R.attr.a == C.word", "V.shared"],
  ["in a list", "R.attr.a in [C.word]", "V.shared"],
  ["twice", "R.attr.a == C.word", "V.shared || V.shared && R.id == P.id"],
  ["of an attribute of the key", "P.attr.a == C.word", "V.shared"],
])("an exported variable, read %s", async (_, shared, read) => {
  const policies = importersOf(shared, read);
  const { module, text } = await bundledSets(policies, {});
  const account = { id: "a", attr: {} };
  for (const a of [...WORDS, ...Array.from({ length: 25 }, () => "live"), ...WORDS]) {
    const attr = a === undefined ? {} : { a };
    const key = { id: "k", roles: ["user"], attr };
    const resource = { kind: "doc", id: "d", attr };
    const request = { key, operation: "read", resource, account };
    const isAllowed = a === "draft" || a === "live";
    const decisions: Decision[] = [
      ...[policies, module, text].map((each) => decide(each, request)),
      deciderFor(policies, { key }).decide({ operation: "read", resource, account }),
      ...decideAll(policies, { key, operation: "read", account }, [resource]),
    ];
    const plan = planDecisions(policies, { key, account, operation: "read", kind: "doc" });
    expect([a, ...decisions.map(({ outcome }) => outcome === "allow"), matches(plan.filter, resource)]).toEqual([
      a,
      ...[...decisions, plan].map(() => isAllowed),
    ]);
    const rules = decisions.map(({ permission }) => permission.reasons.map(({ rule }) => rule));
    for (const each of rules) expect(each).toEqual(rules[0]);
  }
});
