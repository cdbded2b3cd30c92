import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import {
  MAX_ALIASES,
  MAX_DOCUMENTS,
  MAX_ERRORS_PER_FILE,
  MAX_EXPRESSION_LENGTH,
  MAX_FILE_SIZE,
  MAX_GLOB_LENGTH,
  MAX_NESTING,
} from "../../src/limits.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { callsOf } from "../support/work.js";
import { issuesOf, placesOf, resourcePolicy, show } from "./support.js";

const OK = resourcePolicy("");
const constant = (value: string) => resourcePolicy(`constants: {local: {x: ${value}}}`);

describe("limits, at them and one past them", () => {
  test("characters of a file", () => {
    const padded = (length: number) => `${OK}#${"x".repeat(length - OK.length - 1)}`;
    expect(issuesOf(padded(MAX_FILE_SIZE))).toEqual([]);
    expect(placesOf(padded(MAX_FILE_SIZE + 1))).toEqual(["a.yaml:1:1 too_large"]);
  });

  test("characters of an expression", () => {
    const text = (length: number) =>
      resourcePolicy("", `condition: {match: {expr: 'P.id == "${"x".repeat(length - 10)}"'}}`);
    expect(issuesOf(text(MAX_EXPRESSION_LENGTH))).toEqual([]);
    expect(placesOf(text(MAX_EXPRESSION_LENGTH + 1))).toEqual(["a.yaml:9:33 too_large"]);
  });

  test("characters of a glob, not of a name", () => {
    const rule = (action: string) => resourcePolicy("").replace('actions: ["view"]', `actions: ["${action}"]`);
    expect(rule("x*")).toContain("x*");
    expect(issuesOf(rule("*a".repeat(MAX_GLOB_LENGTH / 2)))).toEqual([]);
    expect(placesOf(rule(`${"*a".repeat(MAX_GLOB_LENGTH / 2)}*`))).toEqual([
      expect.stringMatching(/^a\.yaml:\d+:\d+ too_large$/),
    ]);
    expect(issuesOf(rule("a".repeat(MAX_GLOB_LENGTH + 1)))).toEqual([]);
  });

  test("nesting", () => {
    const nested = (depth: number) => constant("[".repeat(depth) + "]".repeat(depth));
    // The document is one level, and the five mappings around the list are five more.
    expect(issuesOf(nested(MAX_NESTING - 6))).toEqual([]);
    expect(placesOf(nested(MAX_NESTING))).toEqual([expect.stringMatching(/^a\.yaml:5:\d+ too_large$/)]);
  });

  test("documents of a file", () => {
    const separated = (count: number) => `${"---\n".repeat(count)}${OK}`;
    expect(placesOf(separated(MAX_DOCUMENTS))).toEqual(["a.yaml:1:1 yaml"]);
    expect(placesOf(separated(MAX_DOCUMENTS + 5))).toEqual([expect.stringMatching(/^a\.yaml:100\d:\d+ too_large$/)]);
  });

  test("aliases", () => {
    const aliases = (count: number) => constant(`[&a 1, ${Array.from({ length: count }, () => "*a").join(", ")}]`);
    expect(issuesOf(aliases(MAX_ALIASES))).toEqual([]);
    expect(placesOf(aliases(MAX_ALIASES + 1))).toEqual([expect.stringMatching(/^a\.yaml:5:\d+ too_large$/)]);
  });
});

test("errors of a file", () => {
  const wrong = (count: number) => OK + Array.from({ length: count }, (_, i) => `x${i}: 1\n`).join("");
  expect(issuesOf(wrong(MAX_ERRORS_PER_FILE))).toHaveLength(MAX_ERRORS_PER_FILE);
  const issues = issuesOf(wrong(MAX_ERRORS_PER_FILE + 50));
  expect(issues).toHaveLength(MAX_ERRORS_PER_FILE + 1);
  expect(issues).toContain(`a.yaml:209:1 too_large more than ${MAX_ERRORS_PER_FILE} errors in this file`);
});

test("one path given twice", () => {
  const file = { path: "a.yaml", text: OK };
  const loaded = parsePolicyFiles([file, file]);
  expect(isLeft(loaded) && loaded.left.map(show)).toEqual(["a.yaml:1:1 duplicate this path was given twice"]);
});

describe("hostile files are refused at once", () => {
  test("an alias bomb", () => {
    const levels = Array.from({ length: 30 }, (_, i) => `k${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, *a${i - 1}`}]`);
    expect(placesOf(levels.join("\n"))).toContainEqual(expect.stringMatching(/^a\.yaml:19:\d+ too_large$/));
  });

  test.each([
    ["lists", "[".repeat(10_000)],
    ["mappings", "{a: ".repeat(10_000)],
    ["sequences on a line", "- ".repeat(10_000)],
    ["a million lists", "[".repeat(1_000_000)],
  ])("10,000 levels of %s", (_, text) => {
    expect(placesOf(text)).toEqual([expect.stringMatching(/^a\.yaml:1:\d+ too_large$/)]);
  });

  test.each([
    ["pairs of braces", "{}", 3],
    ["pairs of brackets", "[]", 3],
    ["closing brackets", "]", 1],
  ])("a million misplaced %s: the first is reported", (_, text, column) => {
    expect(placesOf(text.repeat(1_000_000))).toEqual([`a.yaml:1:${column} yaml`]);
  });

  test("conditions within conditions", () => {
    const nested = (depth: number) =>
      resourcePolicy("", `condition: {match: ${"{all: {of: [".repeat(depth)}{expr: "true"}${"]}}".repeat(depth)}}`);
    expect(issuesOf(nested(60))).toEqual([]);
    expect(placesOf(nested(10_000))).toEqual([expect.stringMatching(/^a\.yaml:9:\d+ too_large$/)]);
  });

  test("a schema of 10,000 levels", () => {
    const files = {
      "a.yaml": resourcePolicy("schemas: {principalSchema: {ref: 'cerbos:///p.json'}}"),
      "_schemas/p.json": `${'{"not":'.repeat(10_000)}{}${"}".repeat(10_000)}`,
    };
    expect(placesOf(files)).toEqual([expect.stringMatching(/^_schemas\/p\.json:1:\d+ too_large$/)]);
  });

  test("100,000 keys in a mapping are twice the work of 50,000", { tags: "long" }, () => {
    const calls = (size: number) => {
      const keys = Array.from({ length: size }, (_, i) => `k${i}: 1`).join("\n");
      return callsOf(() => expect(issuesOf(keys).length).toBeGreaterThan(0));
    };
    expect(calls(100_000) / calls(50_000)).toBeLessThan(2.1);
  });
});
