/** `keyward review`: files, formats, options, exit codes. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reviewMarkdown } from "../../src/audit/review/markdown.js";
import { review } from "../../src/audit/review/review.js";
import { HOSTILE_FILES } from "../audit/review/hostile.js";
import { BUILT, ROOT } from "../support/built.js";
import { compiled, SHIPPED_ROOT } from "../support/policies.js";
import { say } from "../support/seed.js";
import { keyward, withFiles } from "../support/terminal.js";

if (!BUILT) say("the HTML of keyward review is skipped: it needs npm run build");

const DATE = ["--date", "2026-01-31"];

test("JSON", async () => {
  const { code, out, err } = await keyward(["review", SHIPPED_ROOT, "--format", "json", ...DATE]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ format: "keyward-review/1", date: "2026-01-31T00:00:00.000Z", findings: [] });
});

test("Markdown, the same each time", async () => {
  const { code, out } = await keyward(["review", SHIPPED_ROOT, "--format", "markdown", ...DATE]);
  expect(code).toBe(0);
  expect(out).toContain("| api | `apis.deleteApi` | when … | no | no | when … | no | when … |");
  expect(out).toContain("| quota\\_exceeded | 7.4.3 | `keys.createKey` |");
  expect((await keyward(["review", SHIPPED_ROOT, "--format", "markdown", ...DATE])).out).toBe(out);
});

test("in Markdown, hostile names are text", async () => {
  const facts = await review(compiled(HOSTILE_FILES), { date: new Date(0) });
  const markdown = reviewMarkdown(facts);
  // Text outside code is escaped: it contains no element, link or bidirectional control.
  const text = markdown.replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, "");
  expect(text).not.toMatch(/(^|[^\\])<[a-z/!]/i);
  expect(text).not.toMatch(/[^\\]\]\(/);
  expect(markdown).not.toMatch(/[\u202e\u200b]/);
  const rows = markdown.split("\n").filter((line) => line.startsWith("| "));
  const columns = (line: string) => line.replace(/\\\|/g, "").split("|").length;
  const widths = new Set(rows.map(columns));
  expect([...widths].every((width) => [6, 7, 9, 10].includes(width))).toBe(true);
});

test.skipIf(!BUILT)("HTML to a file, with examples", async () => {
  await withFiles({}, async (directory) => {
    const output = join(directory, "review.html");
    const args = ["review", SHIPPED_ROOT, "--output", output, "--examples", `${ROOT}examples/requests.jsonl`, ...DATE];
    const { code, out, err } = await keyward(args);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain("17 operations, 45 rules, 0 warnings");
    const page = await readFile(output, "utf8");
    expect(page).toMatch(/^<!DOCTYPE html>/);
    expect(page).not.toMatch(/(src|href)="(?!#)/);
    expect(page).not.toContain("unsafe");
    await keyward(args);
    expect(await readFile(output, "utf8")).toBe(page);
  });
});

test("a date from the environment", async () => {
  process.env.SOURCE_DATE_EPOCH = "86400";
  try {
    const { out } = await keyward(["review", SHIPPED_ROOT, "--format", "json"]);
    expect(JSON.parse(out).date).toBe("1970-01-02T00:00:00.000Z");
    process.env.SOURCE_DATE_EPOCH = "yesterday";
    expect(await keyward(["review", SHIPPED_ROOT, "--format", "json"])).toMatchObject({ code: 2 });
  } finally {
    delete process.env.SOURCE_DATE_EPOCH;
  }
});

test("roles that there are", async () => {
  const { out } = await keyward(["review", SHIPPED_ROOT, "--format", "json", "--roles", "viewer, editor,custom"]);
  const { findings }: { findings: { code: string; message: string }[] } = JSON.parse(out);
  expect(new Set(findings.map(({ message }) => message))).toEqual(
    new Set([
      "nobody has the role admin",
      "no rule mentions the role custom, so it may do only what rules for every role allow",
    ]),
  );
});

describe("bad usage", () => {
  test.each([
    [["review"], /keyward review: DIR is missing; /],
    [["review", SHIPPED_ROOT, "--format", "pdf"], /--format must be one of html, json, markdown/],
    [["review", SHIPPED_ROOT, "--date", "tomorrow"], /--date must be a date/],
    [["review", SHIPPED_ROOT, "--roles", "a,,b"], /--roles/],
    [["review", SHIPPED_ROOT, "--examples", "/nowhere.jsonl"], /cannot read \/nowhere\.jsonl/],
    [["review", SHIPPED_ROOT, "--format", "json", "--output", "/nowhere/x"], /cannot write \/nowhere\/x/],
  ])("%j", async (args, message) => {
    const { code, out, err } = await keyward(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
  });

  test.each([
    ["{", /examples\.jsonl: example 1: not JSON/],
    ['{"example":"one","key":1}', /examples\.jsonl: one: key must be an object/],
    ['{"example":"one","expect":"allow","nothing":1}', /examples\.jsonl: one: nothing unknown field/],
  ])("an example that is no request: %s", async (text, message) => {
    await withFiles({ "examples.jsonl": text }, async (directory) => {
      const examples = join(directory, "examples.jsonl");
      const { code, err } = await keyward(["review", SHIPPED_ROOT, "--examples", examples]);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    });
  });

  test("policies that are not valid", async () => {
    await withFiles({ "a.yaml": "apiVersion: x" }, async (directory) => {
      expect(await keyward(["review", directory])).toMatchObject({ code: 3, out: "" });
    });
  });
});
