/** The first line of a review, in every format: it says what fails, also where no decision changes. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reviewChange } from "../../src/audit/review/change/change.js";
import type { ReviewedClaim } from "../../src/audit/review/claim-types.js";
import { reviewConclusion } from "../../src/audit/review/conclusion.js";
import { changeHtml, reviewHtml } from "../../src/audit/review/html/page.js";
import { review } from "../../src/audit/review/review.js";
import { reviewTests } from "../../src/audit/review/tested.js";
import { rightOrThrow } from "../../src/policy/policies-error.js";
import { policy, supportAll } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const [support] = supportAll("doc");

const POLICIES = [
  ...(support === undefined ? [] : [support]),
  {
    path: "doc.yaml",
    text: policy({
      rules: [
        "name: readers, actions: [read], roles: [user], effect: EFFECT_ALLOW",
        "name: writers, actions: [write], roles: [admin], effect: EFFECT_ALLOW",
      ],
    }),
  },
];

const suite = (...cases: readonly string[]) => `name: access
keys: { k: { id: k, roles: [user], attr: {} } }
resources: { d: { kind: doc, id: d, attr: {} } }
accounts: { a: { id: a, attr: {} } }
cases:
${cases.map((one, i) => `  - { name: case ${i + 1}, key: k, resource: d, account: a, ${one} }\n`).join("")}`;

const GOOD = suite(
  "operation: read, expect: allow",
  "operation: read, expect: allow",
  "operation: write, expect: insufficient_permissions",
);
const BAD = suite(
  "operation: read, expect: allow",
  "operation: read, expect: forbidden",
  "operation: write, expect: insufficient_permissions",
);
const BROKEN_CERBOS = { "a_test.yaml": "name: a\ntests: 1\n" };

const filesWith = (decisions: string, more: Files = {}): Files => ({
  ...Object.fromEntries(POLICIES.map(({ path, text }) => [path, text])),
  "testdata/doc.decisions.yaml": decisions,
  ...more,
});

const reviewed = (files: Files, ...args: readonly string[]) =>
  withFiles(files, (directory) => keyward(["review", directory, "--date", "2026-01-31", ...args]));

const ofChange = (files: Files, ...args: readonly string[]) =>
  withFiles(filesWith(GOOD), (old) => reviewed(files, "--against", old, "--no-solver", ...args));

const FAILED =
  "Test at testdata/doc.decisions.yaml:7:5: case 2: k read d (a): expected forbidden, got allow because of readers";

describe("a suite that fails, where no decision changes", () => {
  test("is in the first line, the first list and the last line", async () => {
    const { code, out, err } = await ofChange(filesWith(BAD), "--format", "markdown");
    expect(code).toBe(4);
    const [title, , headline, , ...others] = out.split("\n");
    expect(title).toBe("# Review of a policy change");
    expect(headline).toMatch(
      /^\*\*A person must judge this change\. No decision changes\. This is proved\. 1 of 3 tests fails\. The tests reach [\d.]+ % of the policies\. Claims: none\. Laws: .*Findings: .* 0 new, 0 gone\. Nothing is left unproved\.\*\*$/,
    );
    expect(others.slice(0, 3).join("\n").replaceAll("\\", "")).toBe(`Failing:\n\n- ${FAILED}`);
    const lines = err.trimEnd().split("\n");
    expect(lines).toContain(FAILED);
    expect(lines.at(-1)).toMatch(
      /^keyward review: A person must judge this change\. .*1 of 3 tests fails\..* \(exit 4\)$/,
    );
    expect(out).toContain("### `read` on `doc` (1 of 2 test cases pass)");
    expect(out).toContain("### `write` on `doc` (1 test case passes)");
  });

  test("is in the JSON, and in the evidence", async () => {
    await withFiles({}, async (directory) => {
      const evidence = join(directory, "evidence.json");
      const { code, out } = await ofChange(filesWith(BAD), "--format", "json", "--evidence", evidence);
      expect(code).toBe(4);
      const { conclusion, tests, operations } = JSON.parse(out);
      expect(conclusion).toMatchObject({ result: "failures", failing: [FAILED] });
      expect(conclusion.headline).toContain("1 of 3 tests fails.");
      expect(tests.suites).toMatchObject([{ result: "failed", tests: { passed: 2, failed: 1 } }]);
      expect(operations).toMatchObject([
        { operation: "read", tests: 2, passing: 1 },
        { operation: "write", tests: 1, passing: 1 },
      ]);
      const written = JSON.parse(await readFile(evidence, "utf8"));
      expect(written.conclusion).toEqual(conclusion);
      expect(written.suites).toEqual(tests.suites);
    });
  });

  test("is in the HTML, before everything else", async () => {
    const policies = compiled(POLICIES);
    const of = async (decisions: string) => ({
      policies,
      review: await review(policies, {
        date: new Date(0),
        tests: rightOrThrow(reviewTests(policies, new Map([["doc.decisions.yaml", decisions]]))),
      }),
    });
    const [before, after] = [await of(GOOD), await of(BAD)];
    const change = await reviewChange(before, after, [], [], undefined);
    const page = await changeHtml(policies, after.review, { review: change, before: policies });
    const shown = page.slice(page.indexOf("</h1>"));
    expect(shown).toMatch(
      /^<\/h1>\s*<div class="conclusion bad"><p class="verdict">A person must judge[^<]*1 of 3 tests fails\./,
    );
    expect(shown.indexOf("expected forbidden, got allow because of readers")).toBeLessThan(shown.indexOf("<dl"));
    expect(page).toContain('<span class="no">1 of 2 test cases pass</span>');
    expect(await reviewHtml(policies, before.review)).toContain(
      '<p class="verdict">No test fails.</p><ul class="statements"><li class="good">All 3 tests pass.<li class="open">The tests reach',
    );
  });

  test("the page of one set says it as well, without evidence", async () => {
    const { code, out, err } = await reviewed(filesWith(BAD), "--format", "markdown");
    expect(code).toBe(4);
    expect(out.split("\n")[2]).toMatch(
      /^\*\*A person must judge these policies\. 1 of 3 tests fails\..* Laws: 5 hold, by the text of the policies\./,
    );
    expect(err.trimEnd().split("\n").at(-1)).toMatch(/^keyward review: .*1 of 3 tests fails\..* \(exit 4\)$/);
    const good = await reviewed(filesWith(GOOD), "--format", "markdown");
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out.split("\n")[2]).toMatch(/^\*\*No test fails\. All 3 tests pass\./);
  });

  test("a set without tests has none that pass, and the laws that its text proves are on the page", async () => {
    const condition =
      "actions: [close], roles: [user], effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.a < R.attr.b}}";
    const untested = {
      ...Object.fromEntries(POLICIES.map(({ path, text }) => [path, text])),
      "doc.yaml": policy({ rules: [condition] }),
    };
    const { code, out } = await reviewed(untested, "--format", "markdown");
    expect([code, out.split("\n")[2]]).toEqual([
      0,
      expect.stringMatching(
        /^\*\*No problem was found\. There are no tests\. Laws: 4 hold, by the text of the policies\./,
      ),
    ]);
    const laws = out.slice(out.indexOf("## Claims and laws"), out.indexOf("## Findings"));
    expect(laws.match(/\| a law \| holds \|/g)?.length).toBe(4);
    expect(laws.match(/\| a law \| not checked \|/g)?.length).toBe(1);
    const html = await reviewed(untested);
    expect(html.out).toContain('<h2 id="claims-title">Claims and laws</h2>');
  });

  test("without tests, claims and laws that hold are not beside tests that do not fail", async () => {
    const facts = await review(compiled(POLICIES), { date: new Date(0) });
    const headline = (claims: readonly ReviewedClaim[]) =>
      reviewConclusion({ review: facts, claims, change: undefined }).headline;
    const law = { claim: "law", position: "", listed: "stated", after: { result: "proved", why: "" } } as const;
    expect(headline([law])).toMatch(/^All laws hold\. Tests were not run\. Claims: none\. Laws: 1 holds\./);
    expect(headline([law, law, { ...law, position: "a.claims.yaml:1:1" }])).toMatch(
      /^All claims and laws hold\. Tests were not run\. Claims: 1 holds\. Laws: 2 hold\./,
    );
  });

  test("so does a Cerbos suite that cannot be run", async () => {
    const { code, out, err } = await ofChange(filesWith(GOOD, BROKEN_CERBOS), "--format", "json");
    expect(code).toBe(4);
    expect(JSON.parse(out).conclusion).toMatchObject({
      result: "failures",
      headline: expect.stringContaining("1 suite cannot be run."),
      failing: [expect.stringMatching(/^Test at a_test\.yaml: /)],
    });
    expect(err).toContain("Test at a_test.yaml: ");
  });
});

test("claims that are not proved are on the page, and called so", async () => {
  const claims = "claims:\n  - claim: Users do not read.\n    operations: read\n    never: allow\n";
  const { code, out } = await reviewed(filesWith(GOOD, { "doc.claims.yaml": claims }), "--format", "markdown");
  expect(code).toBe(0);
  expect(out.split("\n")[2]).toContain("No proof was asked: 1 claim was not checked.");
  expect(out).toMatch(/^\| Users do not read\\?\. \| doc\.claims\.yaml:2:5 \| not checked \|/m);
  const proved = await reviewed(filesWith(GOOD, { "doc.claims.yaml": claims }), "--prove", "--format", "markdown");
  expect(proved.code).toBe(4);
  expect(proved.out.split("\n")[2]).toContain("A person must judge these policies.");
  const wrong = await reviewed(filesWith(GOOD, { "doc.claims.yaml": "claims:\n  - claim: x\n    nevr: allow\n" }));
  expect(wrong).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/doc\.claims\.yaml:3:5.*nevr/) });
});

test("the claims of one set are on its page", async () => {
  const claims = `claims:
  - claim: Users do not read.
    operations: read
    never: allow
`;
  await withFiles({}, async (directory) => {
    const evidence = join(directory, "evidence.json");
    const files = filesWith(GOOD, { "doc.claims.yaml": claims });
    const args = ["--evidence", evidence, "--no-solver", "--format"];
    const { code, out } = await reviewed(files, ...args, "markdown");
    expect(code).toBe(4);
    expect(out.split("\n")[2]).toContain("Claims: 1 broken.");
    expect(out).toContain("- Claim at doc.claims.yaml:2:5, broken: Users do not read.");
    expect(out).toContain("## Claims and laws");
    const json = JSON.parse((await reviewed(files, ...args, "json")).out);
    expect(json.claims.at(-1)).toMatchObject({ claim: "Users do not read.", after: { result: "broken" } });
  });
});
