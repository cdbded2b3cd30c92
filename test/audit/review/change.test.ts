/** The textual difference of two policy sets, and the effect of a change. These tests use no solver. */

import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffText, searchDecisionChanges } from "../../../src/audit/index.js";
import { reviewChange } from "../../../src/audit/review/change/change.js";
import { reviewClaims } from "../../../src/audit/review/change/claims.js";
import { changedLines } from "../../../src/audit/review/change/lines.js";
import { writtenChanges } from "../../../src/audit/review/change/text-changes.js";
import type { ChangeReview } from "../../../src/audit/review/change/types.js";
import type { ReviewedClaim } from "../../../src/audit/review/claim-types.js";
import { inOrder, shortWhy, standingWords } from "../../../src/audit/review/claim-words.js";
import {
  type ConcludedReview,
  conclusionOf,
  partsOf,
  reviewConclusion,
  solverWords,
} from "../../../src/audit/review/conclusion.js";
import { evidenceOf } from "../../../src/audit/review/evidence.js";
import { EVIDENCE_SCHEMA } from "../../../src/audit/review/evidence-schema.js";
import { changeHtml } from "../../../src/audit/review/html/page.js";
import { changeMarkdown } from "../../../src/audit/review/markdown.js";
import { review } from "../../../src/audit/review/review.js";
import { reviewTests } from "../../../src/audit/review/tested.js";
import type { PolicyFile, PolicySet } from "../../../src/index.js";
import { rightOrThrow } from "../../../src/policy/policies-error.js";
import { readClaims } from "../../../src/proof/claims/read.js";
import { reportOf } from "../../../src/testing/coverage/report.js";
import { policySet } from "../../property/arbitraries/index.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { policy, supportAll, when } from "../../support/compose.js";
import { compiled, compiledDocuments, shipped } from "../../support/policies.js";
import { sized } from "../../support/size.js";
import { changed } from "../seeds.js";
import { HOSTILE_FILES, HOSTILE_MARKS } from "./hostile.js";
import "../../support/seed.js";

const { rules, conditions, operands, derivedRoles, variables, outputs } = reportOf([]);
const NOTHING = { rules, conditions, operands, derivedRoles, variables, outputs };

const DATE = new Date(0);

async function changeOf(
  before: PolicySet,
  after: PolicySet,
  claims: readonly ReviewedClaim[] = [],
): Promise<ChangeReview> {
  const reviewed = async (policies: PolicySet) => ({ policies, review: await review(policies, { date: DATE }) });
  return await reviewChange(await reviewed(before), await reviewed(after), claims, [], undefined);
}

const allow = (name: string, expr: string) =>
  `name: ${name}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;

function docs(text: string, ...more: readonly PolicyFile[]): PolicySet {
  return compiled([...supportAll("doc"), { path: "doc.yaml", text }, ...more]);
}

test("where no solver was asked, it is said once how to install one", async () => {
  const [before, after] = ["^a+$", "^aa*$"].map((pattern) =>
    docs(policy({ rules: [allow("a", `R.attr.x.matches("${pattern}")`)] })),
  );
  const change = await changeOf(before ?? shipped, after ?? shipped);
  expect(change.decisions.result).toBe("unproven");
  expect(solverWords(partsOf(change.before, change))).toMatch(
    /^No solver was used: .*npm install --save-dev z3-solver@[\d.]+\)\.$/,
  );
  for (const { message } of change.decisions.unproven) expect(shortWhy(message)).toBe("no solver was used");
});

describe("rules", () => {
  const one = docs(policy({ rules: [allow("a", "R.attr.x"), allow("b", "R.attr.y"), allow("c", "R.attr.z")] }));

  test("what stands elsewhere stands as before; what was changed, added and removed stands beside its like", async () => {
    const other = docs(policy({ rules: [allow("d", "R.attr.x"), allow("c", "R.attr.z"), allow("b", "!R.attr.y")] }));
    const { rules, unchangedRules } = (await changeOf(one, other)).written;
    expect(rules.map(({ before, after }) => [before?.facts.name, after?.facts.name])).toEqual([
      [undefined, "d"],
      ["b", "b"],
      ["a", undefined],
    ]);
    expect(rules[1]?.before?.source).toContain('expr: "R.attr.y"');
    expect(rules[1]?.after?.source).toContain('expr: "!R.attr.y"');
    expect(unchangedRules).toBe(2);
    expect((await changeOf(one, one)).written).toMatchObject({ rules: [], unchangedRules: 4, files: { changed: [] } });
  });

  test("rules of principals keep apart though their numbers shift", async () => {
    const principal = (...rules: readonly string[]) =>
      docs(policy({ rules: [allow("a", "true")] }), {
        path: "p.yaml",
        text: `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules:
    - resource: doc
      actions:
${rules.map((action) => `        - { action: ${action}, effect: EFFECT_ALLOW }\n`).join("")}`,
      });
    const { rules } = (await changeOf(principal("read", "write"), principal("print", "read", "write"))).written;
    expect(rules.map(({ before, after }) => [before?.facts.actions, after?.facts.actions])).toEqual([
      [undefined, ["print"]],
    ]);
  });

  test("a name that several policies import is said once, with all who read it", async () => {
    const variables = (expr: string): PolicyFile => ({
      path: "names.yaml",
      text: `apiVersion: api.cerbos.dev/v1\nexportVariables:\n  name: names\n  definitions:\n    mine: ${expr}\n`,
    });
    const page = {
      path: "page.yaml",
      text: policy({ resource: "page", body: "variables: { import: [names] }", rules: [allow("a", "V.mine")] }),
    };
    const set = (expr: string) =>
      docs(
        policy({ body: "variables: { import: [names] }", rules: [allow("a", "V.mine")] }),
        variables(expr),
        page,
        ...supportAll("page"),
      );
    const { written } = await changeOf(set("R.attr.owner == P.id"), set("R.attr.owner != P.id"));
    expect(written.rules).toEqual([]);
    expect(written.names.map(({ before, after, owners }) => [before?.text, after?.text, [...owners].sort()])).toEqual([
      [
        "the resource's `owner` is the key's id",
        "the resource's `owner` is not the key's id",
        ["resource.doc.vdefault", "resource.page.vdefault"],
      ],
    ]);
    expect(written.files.changed.map(({ path }) => path)).toEqual(["names.yaml"]);
  });

  test("a schema that is another is there with its lines", async () => {
    const set = (required: string) =>
      docs(
        policy({ body: "schemas: { resourceSchema: { ref: cerbos:///doc.json } }", rules: [allow("a", "R.attr.x")] }),
        {
          path: "_schemas/doc.json",
          text: `{\n  "type": "object",\n  "required": [${required}],\n  "properties": {\n    "x": { "type": "boolean" }\n  }\n}\n`,
        },
      );
    const { files, rules } = (await changeOf(set('"x"'), set(""))).written;
    expect(rules).toEqual([]);
    expect(files.changed).toEqual([
      {
        path: "_schemas/doc.json",
        runs: [
          [
            { sign: " ", text: "{" },
            { sign: " ", text: '  "type": "object",' },
            { sign: "-", text: '  "required": ["x"],' },
            { sign: "+", text: '  "required": [],' },
            { sign: " ", text: '  "properties": {' },
            { sign: " ", text: '    "x": { "type": "boolean" }' },
          ],
        ],
      },
    ]);
  });
});

describe("lines that changed", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));
  const sorted = (lines: readonly string[], without: readonly string[]) => {
    const left = [...lines];
    for (const one of without) {
      expect(left).toContain(one);
      left.splice(left.indexOf(one), 1);
    }
    return left.sort();
  };

  test("taken from the older text and put into the newer, they make one of the other", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = changedLines(before, after).flat();
        const signed = (sign: string) => lines.filter((one) => one.sign === sign).map((one) => one.text);
        const own = (whole: string) => whole.replace(/\n$/, "").split("\n");
        expect(sorted(own(before), signed("-"))).toEqual(sorted(own(after), signed("+")));
        if (own(before).join() === own(after).join()) expect(lines).toEqual([]);
      }),
    );
  });

  test("as few as can be, each run with two lines around it", () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    const other = lines.toSpliced(15, 1).toSpliced(3, 1, "other");
    expect(
      changedLines(lines.join("\n"), other.join("\n")).map((run) => run.map(({ sign, text: one }) => sign + one)),
    ).toEqual([
      [" line 1", " line 2", "-line 3", "+other", " line 4", " line 5"],
      [" line 13", " line 14", "-line 15", " line 16", " line 17"],
    ]);
  });

  test("long texts that have nothing in common are compared at once", () => {
    const long = (word: string) => Array.from({ length: 5_000 }, (_, i) => `${word} ${i}`).join("\n");
    expect(changedLines(long("a"), long("b")).flat()).toHaveLength(10_000);
  });
});

test("of any two sets: each rule of either is somewhere, and the evidence has its shape", async () => {
  const isEvidence = new Ajv({ strict: false }).compile(EVIDENCE_SCHEMA);
  /** Reorders the rules, drops the last of a policy, and swaps ALLOW and DENY in the first. */
  const turnedRound = (documents: PolicyDocuments): PolicyDocuments =>
    documents.map((document) => {
      const { resourcePolicy } = document;
      if (resourcePolicy === undefined) return document;
      const [first, ...rest] = resourcePolicy.rules ?? [];
      if (first === undefined) return document;
      const effect = first.effect === "EFFECT_ALLOW" ? "EFFECT_DENY" : "EFFECT_ALLOW";
      return { ...document, resourcePolicy: { ...resourcePolicy, rules: [...rest.slice(1), { ...first, effect }] } };
    });
  const set = async (documents: PolicyDocuments) => {
    const policies = compiledDocuments(documents);
    return { policies, review: await review(policies, { date: DATE }), claims: [], suites: [] };
  };
  await fc.assert(
    fc.asyncProperty(policySet(), async (documents) => {
      const [before, after] = [await set(documents), await set(turnedRound(documents))];
      // Skips comparing decisions, which would take longest and is tested elsewhere.
      const same = await reviewChange(after, after, [], [], undefined);
      const written = writtenChanges(
        { review: before.review, files: before.policies.files },
        { review: after.review, files: after.policies.files },
      );
      const change = { ...same, before: before.review, written };
      const count = (side: "before" | "after") =>
        written.unchangedRules + written.rules.filter((pair) => pair[side] !== undefined).length;
      expect([count("before"), count("after")]).toEqual([before.review.rules.length, after.review.rules.length]);
      const tests = rightOrThrow(reviewTests(after.policies, new Map()));
      const evidence = await evidenceOf({
        set: after,
        tests,
        claims: [],
        change: { before, review: change },
        solver: undefined,
      });
      isEvidence(JSON.parse(JSON.stringify(evidence)));
      expect(isEvidence.errors).toBeNull();
      expect(changeMarkdown(after.review, change, undefined)).toContain("## Signature");
      const page = await changeHtml(after.policies, after.review, { review: change, before: before.policies });
      expect(page).toContain('id="signature"');
    }),
    { numRuns: sized(40) },
  );
});

describe("claims", () => {
  const proved = { result: "proved", why: "" } as const;
  const broken = { result: "broken", why: "" } as const;
  const unproven = { result: "unproven", why: "" } as const;
  const meaningless = { result: "meaningless", why: "" } as const;

  test.each([
    ["stated", proved, proved, "kept"],
    ["stated", proved, broken, "broken by this change"],
    ["stated", broken, broken, "broken as before"],
    ["stated", broken, proved, "fixed"],
    ["stated", unproven, proved, "proved now"],
    ["stated", meaningless, proved, "holds"],
    ["stated", unproven, broken, "broken"],
    ["stated", proved, unproven, "not proved"],
    ["stated", undefined, proved, "holds"],
    ["added", proved, proved, "new: holds"],
    ["added", meaningless, broken, "new: broken"],
    ["withdrawn", proved, proved, "withdrawn: still holds"],
    ["withdrawn", proved, broken, "withdrawn: broken"],
    ["withdrawn", proved, meaningless, "withdrawn: does not apply to these policies"],
  ] as const)("%s: %j, then %j", (listed, before, after, words) => {
    expect(standingWords({ claim: "", position: "", listed, ...(before && { before }), after })).toBe(words);
  });

  test("what does not hold comes first, then what was withdrawn", () => {
    const of = (claim: string, listed: ReviewedClaim["listed"], after: ReviewedClaim["after"]) => ({
      claim,
      position: "",
      listed,
      after,
    });
    const all = [
      of("a", "stated", proved),
      of("b", "withdrawn", proved),
      of("c", "stated", unproven),
      of("d", "added", broken),
    ];
    expect(inOrder(all).map(({ claim }) => claim)).toEqual(["d", "c", "b", "a"]);
  });

  test("one whose meaning was changed is withdrawn and added; one that only stands elsewhere is neither", async () => {
    const claims = (path: string, body: string) =>
      readClaims(path, `claims:\n  - { claim: Nobody reads., ${body} }\n`).claims;
    const others = ["write", "close"].map((name) => `actions: [${name}], roles: [user], effect: EFFECT_ALLOW`);
    const set = docs(policy({ rules: [allow("a", "R.attr.x"), ...others] }));
    const places = async (before: string, after: string, path: string) => {
      const [older, newer] = [claims("a.claims.yaml", before), claims(path, after)];
      const found = await reviewClaims({ policies: set, claims: newer }, { policies: set, claims: older }, undefined);
      return found.kind === "wrong" ? [] : found.claims.slice(5).map(({ listed, position }) => `${listed} ${position}`);
    };
    const never = "operations: read, never: allow";
    expect(await places(never, never, "b.claims.yaml")).toEqual(["stated b.claims.yaml:2:5"]);
    const together = "together: [read, write]";
    for (const [before, after] of [
      [never, "operations: read, never: forbidden"],
      [together, "together: [read, close]"],
      [together, never],
    ] as const) {
      const changed = ["added a.claims.yaml:2:5", "withdrawn a.claims.yaml:2:5"];
      expect(await places(before, after, "a.claims.yaml")).toEqual(changed);
    }
  });

  test("a claim that holds under assumed settings names them, in its row", async () => {
    const set = docs(
      policy({ body: "schemas: { resourceSchema: { ref: cerbos:///doc.json } }", rules: [allow("a", "R.attr.x")] }),
      { path: "_schemas/doc.json", text: '{ "type": "object", "properties": { "x": { "type": "boolean" } } }' },
    );
    const text =
      "claims:\n  - { claim: Guests do not read., operations: read, assume: \"!('user' in key.roles)\", never: allow }\n";
    const { claims } = readClaims("a.claims.yaml", text);
    const found = await reviewClaims({ policies: set, claims }, undefined, undefined);
    const whys =
      found.kind === "wrong" ? [] : found.claims.flatMap(({ after }) => (after.result === "proved" ? [after.why] : []));
    expect(whys.length).toBeGreaterThan(1);
    for (const why of whys) expect(why).toMatch(/, assuming schemaEnforcement: none, typedReads: true$/);
  });

  test("what a change comes to", async () => {
    const equal = await changeOf(shipped, shipped);
    const other = await changeOf(
      shipped,
      compiled(changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount <= 1")),
    );
    const claim = (after: ReviewedClaim["after"], listed: ReviewedClaim["listed"] = "stated") => ({
      claim: "",
      position: "",
      listed,
      after,
    });
    const of = (claims: readonly ReviewedClaim[], change: ConcludedReview["change"], facts = equal.before) =>
      conclusionOf({ review: facts, claims, change });
    expect(of([claim(proved)], equal)).toBe("fine");
    expect(of([claim(proved), claim(unproven)], equal)).toBe("unproven");
    expect(of([claim(unproven), claim(broken)], equal)).toBe("failures");
    expect(of([claim(broken, "withdrawn")], equal)).toBe("fine");
    expect(of([claim(proved)], other)).toBe("changes");
    expect(of([claim(broken)], undefined)).toBe("failures");
    for (const result of ["failed", "errored"] as const) {
      const suite = {
        file: "a_test.yaml",
        result,
        tests: { passed: 1, failed: 0, errored: 0, skipped: 0 },
        failures: [],
      };
      expect(
        of([claim(unproven)], other, {
          ...equal.before,
          tests: { suites: [suite], coverage: 1, goals: NOTHING, missing: [] },
        }),
      ).toBe("failures");
    }
  });

  test("a proof names the settings that it assumes, and a change its version", async () => {
    const set = (expr: string) =>
      docs(
        policy({ body: "schemas: { resourceSchema: { ref: cerbos:///doc.json } }", rules: [allow("a", "R.attr.x")] }),
        { path: "_schemas/doc.json", text: '{ "type": "object", "properties": { "x": { "type": "boolean" } } }' },
        { path: "v2.yaml", text: policy({ version: "v2", rules: [allow("a", expr)] }) },
        { path: "keyward.yaml", text: "layers: { others: [v2] }\n" },
      );
    const headline = async (before: PolicySet, after: PolicySet) => {
      const change = await changeOf(before, after);
      return reviewConclusion(partsOf(change.before, change)).headline;
    };
    const same = await headline(set("R.attr.x"), set("R.attr.x"));
    expect(same).toMatch(/This is proved\. It assumes schemaEnforcement: none, typedReads: true\./);
    const assumed = "(assuming schemaEnforcement: none, typedReads: true)";
    expect(await headline(set("R.attr.x"), set("true"))).toContain(`more is allowed (2 ways) ${assumed}.`);
    const changed = diffText(searchDecisionChanges(set("R.attr.x"), set("true")));
    expect(changed).toContain(` proved unchanged ${assumed}; `);
    const change = await changeOf(set("R.attr.x"), set("true"));
    expect(changeMarkdown(change.before, change, undefined)).toContain(
      "#### `read` on `doc`, policies of version `v2`: `insufficient_permissions` → `allow`",
    );
  });

  test("everything that fails is in the head; findings that are errors do not decide", async () => {
    const facts = await review(docs(policy({ rules: [allow("a", "R.attr.x + 1 > 2")] })), { date: DATE });
    const { result, failing, headline } = reviewConclusion({ review: facts, claims: undefined, change: undefined });
    expect(result).toBe("fine");
    expect(headline).toMatch(/Tests were not run\. Claims and laws were not checked\..*Findings: 1 error/);
    expect(failing).toEqual([expect.stringContaining("Finding at doc.yaml:")]);
  });
});

test("in Markdown, hostile names, lines and claims are text", async () => {
  const turned = HOSTILE_FILES.map(({ path, text }) => ({
    path,
    text: text.replaceAll("R.attr.x ==", "R.attr.x !=").replace("{", "{\n"),
  }));
  const claim = {
    claim: HOSTILE_MARKS.join("\n::error::x\n|"),
    position: "::a",
    listed: "added",
    after: { result: "unproven", why: "```\n</script>" },
  } as const;
  const [before, after] = [compiled(HOSTILE_FILES), compiled(turned)];
  const change = await changeOf(before, after, [claim]);
  const markdown = changeMarkdown(await review(after, { date: DATE }), change, undefined);
  // Text outside code and code blocks is escaped.
  const text = markdown.replace(/^(`{3,})\w+\n.*?^\1$/gms, "").replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "");
  expect(text).not.toMatch(/(^|[^\\])<[a-z/!]/i);
  expect(text).not.toMatch(/[^\\]\]\(/);
  expect(markdown).not.toMatch(/^\s*::/m);
  expect(markdown).not.toMatch(/[\u202e\u200b]/);
  expect(change.written.files.changed.length).toBeGreaterThan(0);
});
