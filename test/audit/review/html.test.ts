/** The parts of HTML pages: escaping, source positions, forms, and the panel's script. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildReviewPanel } from "../../../scripts/review-panel.mjs";
import { compressed, decompressed } from "../../../src/audit/review/compressed.js";
import { formsOf } from "../../../src/audit/review/forms.js";
import { escapeHtml, html, trusted } from "../../../src/audit/review/html/html.js";
import { reviewHtml } from "../../../src/audit/review/html/page.js";
import { review } from "../../../src/audit/review/review.js";
import { SourceLines } from "../../../src/audit/review/snippet.js";
import { visible, visibleJson } from "../../../src/policy/escape.js";
import { ROOT } from "../../support/built.js";
import { manyPolicies } from "../../support/many.js";
import { compiled, shipped } from "../../support/policies.js";
import "../../support/seed.js";

const facts = await review(shipped, { date: new Date(0) });

describe("escaping", () => {
  test("text is text, in elements and in attributes", () => {
    const text = `<b title='"'>&amp;</b>`;
    expect(html`<p title="${text}">${[text, trusted("<br>")]}${undefined}</p>`.text).toBe(
      '<p title="&lt;b title=&#39;&quot;&#39;&gt;&amp;amp;&lt;/b&gt;">&lt;b title=&#39;&quot;&#39;&gt;&amp;amp;&lt;/b&gt;<br></p>',
    );
  });

  test("what cannot be seen is shown", () => {
    expect(visible("a\u202eb\u200bc\u0007d\u{e0041}\te\nf")).toBe("a\\u202eb\\u200bc\\u0007d\\u{e0041}\te\nf");
  });

  test("whatever the text, no character of it is markup", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[<>"']/.test(escapeHtml(text))));
  });

  test("JSON means the same", () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: "grapheme" }), (json, text) => {
        expect(JSON.parse(visibleJson(json))).toEqual(JSON.parse(json));
        expect(JSON.parse(visibleJson(JSON.stringify(`${text}\u202e\u{e0041}`)))).toBe(`${text}\u202e\u{e0041}`);
      }),
    );
  });

  test("compressed text comes back, and has nothing that HTML would read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        const packed = await compressed(text.repeat(200));
        expect(packed).toMatch(/^[A-Za-z0-9+/=]*$/);
        expect(await decompressed(packed)).toBe(text.repeat(200));
      }),
      { numRuns: 30 },
    );
  });
});

describe("the page", () => {
  const csp = (page: string) => /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

  test("only its own script and style may run", async () => {
    const page = await reviewHtml(shipped, facts, { panel: "1 < 2 && 3" });
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    expect(csp(page).replaceAll("&#39;", "'")).toBe(
      `default-src 'none'; style-src '${hash(style)}'; script-src '${hash("1 < 2 && 3")}'; base-uri 'none'; form-action 'none'`,
    );
    expect(page).toContain("<script>1 < 2 && 3</script>");
  });

  test("without the panel there is no script at all", async () => {
    const page = await reviewHtml(shipped, facts);
    expect(page).not.toContain("<script");
    expect(csp(page)).not.toContain("script-src");
    expect(page).not.toContain('href="#what-if"');
  });

  test.each(["</script >", "</SCRIPT", "<!--"])("a program with %s is refused", async (panel) => {
    await expect(reviewHtml(shipped, facts, { panel })).rejects.toThrow("must not contain");
  });

  test("the panel's program can, and is not large", async () => {
    const panel = await buildReviewPanel();
    expect(panel.length).toBeLessThan(480_000);
    expect(panel).toContain(readFileSync(`${ROOT}node_modules/@bufbuild/re2/LICENSE`, "utf8").trim());
    expect(await reviewHtml(shipped, facts, { panel })).toContain(panel);
  });

  test("500 policies with the panel's own program are smaller than 3 MB", { tags: "long" }, async () => {
    const set = compiled(manyPolicies(500));
    const page = await reviewHtml(set, await review(set, { date: new Date(0) }), { panel: await buildReviewPanel() });
    expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
  });
});

describe("where a rule ends", () => {
  const end = (text: string, line: number, column: number) =>
    new SourceLines([{ path: "f", text }]).place({ file: "f", line, column }).to;

  test.each([
    ["a block", "rules:\n  - a: 1\n    b:\n      - 2\n\n  # next\n  - c: 3\n", 2, 5, 4],
    ["the last of a file", "rules:\n  - a: 1\n    b: 2", 2, 5, 3],
    ["with a text in several lines", "- a: >-\n    x\n\n    y\n- b: 1", 1, 3, 4],
    ["with a comment in it", "- a: 1\n  # more\n  b: 2\n# end\n", 1, 3, 3],
    ["in braces", '- { a: "}",\n    b: [1,\n 2] }\n- c', 1, 3, 3],
    ["in JSON", '{"rules": [\n{"a": "\\"]}",\n"b": {}\n},\n{}]}', 2, 1, 4],
    ["not at all", "{ a: [", 1, 1, 1],
  ])("%s", (_, text, line, column, expected) => {
    expect(end(text, line, column)).toBe(expected);
  });

  test("comments above belong to it", () => {
    const sources = new SourceLines([{ path: "f", text: "a\n\n# one\n  # two\n- b" }]);
    expect(sources.commentsAbove("f", 5)).toBe(3);
    expect(sources.commentsAbove("f", 1)).toBe(1);
  });
});

test("forms are made from schemas", () => {
  const { forms, kinds } = formsOf(shipped.model, "default", "platform");
  const api = kinds.find(({ kind }) => kind === "api");
  const fields = (index: number | undefined) => (forms[index ?? -1] ?? []).map(({ name, type }) => `${name} ${type}`);
  expect(fields(api?.key)).toEqual(["accountId text", "workspaceIds texts", "environment choice", "permissions texts"]);
  expect(fields(api?.resource).slice(2)).toEqual([
    "environment choice",
    "system flag",
    "deleteProtection flag",
    "state choice",
    "keyCount integer",
  ]);
  expect(fields(api?.account)).toEqual(["plan choice", "status choice", "limits group", "usage group", "holds texts"]);
  const limits = forms[api?.account ?? -1]?.find(({ name }) => name === "limits");
  expect(limits?.fields?.map(({ name, type }) => `${name} ${type}`)).toEqual(["apis integer", "keys integer"]);
  expect(limits?.description).toBe("How many of each the account may have.");
});

test("where there is no schema, from what the policies read", () => {
  const rule = (version: string, role: string, expr: string) => ({
    path: `${version}.yaml`,
    text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: ${version}
  rules:
    - { actions: [do], roles: [${role}], effect: EFFECT_ALLOW, condition: { match: { expr: '${expr}' } } }
`,
  });
  const { model } = compiled([
    rule("default", "user", "R.attr.b.c == P.attr.k"),
    rule("platform", "account", "R.attr.a == P.attr.z"),
  ]);
  const { forms, kinds } = formsOf(model, "default", "platform");
  expect(kinds.map(({ key, account, resource }) => [forms[key], forms[account], forms[resource]])).toEqual([
    [
      [{ name: "k", type: "json" }],
      [{ name: "z", type: "json" }],
      [
        { name: "a", type: "json" },
        { name: "b", type: "json" },
      ],
    ],
  ]);
});
