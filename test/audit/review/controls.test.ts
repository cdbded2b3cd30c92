/** Controls of `keyward.yaml`: the rules that serve them, and clauses that no rule carries. */

import { expect, test } from "vitest";
import { findingText } from "../../../src/audit/findings/finding.js";
import { findingsOf } from "../../../src/audit/findings/findings.js";
import { reviewHtml } from "../../../src/audit/review/html/page.js";
import { reviewMarkdown } from "../../../src/audit/review/markdown.js";
import { review } from "../../../src/audit/review/review.js";
import { reviewTests } from "../../../src/audit/review/tested.js";
import { rightOrThrow } from "../../../src/policy/policies-error.js";
import { policy } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const POLICY = policy({
  rules: [
    "name: readers, actions: [read], roles: [user], effect: EFFECT_ALLOW",
    "name: writers, actions: [write], roles: [admin], effect: EFFECT_ALLOW",
  ],
}).replace(
  "resourcePolicy",
  'metadata: { annotations: { keyward.clause/readers: "1.1", keyward.clause/writers: "1.2" } }\nresourcePolicy',
);

const SUITE = `name: access
keys: { k: { id: k, roles: [user], attr: {} } }
resources: { d: { kind: doc, id: d, attr: {} } }
cases:
  - { name: one, key: k, resource: d, operation: read, expect: allow }
`;

const setWith = (controls: string) =>
  compiled([
    { path: "doc.yaml", text: POLICY },
    { path: "keyward.yaml", text: `platform: none\n${controls}` },
  ]);

const reviewOf = async (controls: string, suite?: string) => {
  const set = setWith(controls);
  const tests =
    suite === undefined ? {} : { tests: rightOrThrow(reviewTests(set, new Map([["a.decisions.yaml", suite]]))) };
  return { set, facts: await review(set, { date: new Date(0), ...tests }) };
};

test.each([
  ['{ "1.1": [A] }', "tested"],
  ['{ "1.2": [A] }', "untested"],
  ['{ "1.1": [A], "1.2": [A] }', "untested"],
  ['{ "1.1": [A], "1.3": [A] }', "missing"],
])("%s is %s", async (controls, coverage) => {
  const { facts } = await reviewOf(`controls: ${controls}\n`, SUITE);
  expect(facts.controls.map((one) => [one.control, one.coverage])).toEqual([["A", coverage]]);
});

test("a control has the rules of its clauses, and those that decide in a test", async () => {
  const { facts } = await reviewOf('controls: { "1.2": [SOC2 CC6.3, ISO A.5], "1.1": [ISO A.5] }\n', SUITE);
  const [readers, writers] = ["resource.doc.vdefault#readers", "resource.doc.vdefault#writers"];
  expect(facts.controls).toEqual([
    { control: "SOC2 CC6.3", coverage: "untested", clauses: [{ clause: "1.2", rules: [writers], tested: [] }] },
    {
      control: "ISO A.5",
      coverage: "untested",
      clauses: [
        { clause: "1.2", rules: [writers], tested: [] },
        { clause: "1.1", rules: [readers], tested: [readers] },
      ],
    },
  ]);
  const untested = await reviewOf('controls: { "1.1": [A] }\n');
  expect(untested.facts.controls).toEqual([
    { control: "A", coverage: "carried", clauses: [{ clause: "1.1", rules: [readers] }] },
  ]);
});

test("a clause that no rule carries is a finding, with its place in keyward.yaml", () => {
  const findings = findingsOf(setWith('controls:\n  "1.1": [A]\n  "1.3": [A, B]\n'));
  expect(
    findings
      .filter(({ code }) => code === "unknown_clause")
      .map((one) => [one.file, one.line, one.column, findingText(one)]),
  ).toEqual([
    [
      "keyward.yaml",
      4,
      3,
      'no rule carries the clause 1.3, so it does nothing for A, B (write the annotation keyward.clause/RULE: "1.3" into the policy of the rule)',
    ],
  ]);
});

test("the page, and its Markdown, show them; without controls they say nothing of them", async () => {
  const { set, facts } = await reviewOf(
    'title: Documents\nowner: us\npurpose: who reads\ncontrols: { "1.2": ["<b>"] }\n',
    SUITE,
  );
  const page = await reviewHtml(set, facts);
  const [, controls = ""] = /<section id="controls"(.*?)<\/section>/s.exec(page) ?? [];
  expect(controls).toContain("&lt;b&gt;");
  expect(controls).toContain("not all tested");
  expect(page).toContain("<h1>Documents</h1>");
  expect(page).toContain('<p class="purpose">who reads</p>');
  expect(page).toContain("Owner: us");
  const markdown = reviewMarkdown(facts);
  expect(markdown).toMatch(/^# Documents: policy review\n/);
  expect(markdown).toContain("| \\<b\\> | not all tested | 1.2 | writers on doc | writers on doc |");
  const without = await reviewOf("");
  expect(await reviewHtml(without.set, without.facts)).not.toContain('id="controls"');
  expect(reviewMarkdown(without.facts)).not.toContain("Controls");
});
