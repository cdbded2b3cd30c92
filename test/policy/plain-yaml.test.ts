/** The fast YAML reader: it reads the same tree as the `yaml` package, and it accepts most policies. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { IssueLog } from "../../src/policy/issue-log.js";
import { readPlainYaml } from "../../src/policy/text/plain-yaml.js";
import { Source } from "../../src/policy/text/source.js";
import { parseAnyYaml } from "../../src/policy/text/yaml.js";
import { ROOT } from "../support/built.js";
import "../support/seed.js";
import { sized } from "../support/size.js";

/** Whether the fast reader accepts the document. If so, expects the same tree as the package's, positions included. */
function isRead(text: string): boolean {
  const tree = readPlainYaml(text);
  if (tree === undefined) return false;
  const log = new IssueLog();
  expect(tree).toEqual(parseAnyYaml(new Source("a.yaml", text), log, "server"));
  expect(log.inOrder).toEqual([]);
  return true;
}

function documentsIn(...folders: readonly string[]): readonly (readonly [path: string, text: string])[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".yaml"))
      .sort()
      .map((path) => [`${folder}/${path}`, readFileSync(join(ROOT, folder, path), "utf8")] as const),
  );
}

const POLICIES = documentsIn("policies/permissions", "policies/platform");
const OTHERS = documentsIn("examples", "test/recorded");
const OTHER_POLICIES = OTHERS.filter(([, text]) => /^apiVersion:/m.test(text));

test.each(POLICIES)("%s is read", (_, text) => {
  expect(isRead(text)).toBe(true);
});

/** The same documents as JSON, on many lines and on one. */
const JSONS = [...POLICIES, ...OTHER_POLICIES.filter(([, text]) => isRead(text))].flatMap(([path, text]) => {
  const value: unknown = parse(text);
  return [
    [`${path}, as JSON`, JSON.stringify(value, null, 2)],
    [`${path}, as JSON on a line`, `${JSON.stringify(value)}\n`],
  ] as const;
});

test("policies in JSON are read", () => {
  expect(JSONS.length).toBeGreaterThan(60);
  expect(JSONS.filter(([, text]) => !isRead(text)).map(([path]) => path)).toEqual([]);
});

test.each([
  '{"a": {}, "b": [], "c": [{}, [[]]]}',
  "{\n}\n",
  '{"": 1, "__proto__": "\\"\\\\\\n\\t\\/"} # a comment\n',
  '---\n{"a": [1, -2.5, 1e3, 1.5E+3, 007, true, null, "null"]}\n\n',
  'a: {"b": [c, "d", 1], "e": {}}\n',
  'b:\n  - {"a": 1}\n',
  "a: |-\n  b \n",
])("in brackets and braces: %j", (text) => {
  expect(isRead(text)).toBe(true);
});

test.each([
  '{"a": 1, "a": 2}',
  '{"a": 1,}',
  '{"a"\n: 1}',
  '{"a":\n1}',
  '{"a": 1\n, "b": 2}',
  '{"a": [1 2]}',
  '{"a": "b\nc"}',
  '{"a": "\\u0041"}',
  '{"a": 1e}',
  '{"a": .inf}',
  '{"a": &b 1}',
  '{"a": 1 # a comment\n}',
  '{"a": 1}\nb: 2',
  '{"a": 1}\n\n  # a comment',
  '{"a": 1}, {}',
  ' {"a": 1}',
  'a: {\n  "b": 1}',
  "a: [\n  b]",
  "[1]",
  '{"a"',
  '{"a":',
  '{"a": [',
])("left to the package: %j", (text) => {
  expect(isRead(text)).toBe(false);
});

test("most policies of others are read", () => {
  const read = OTHER_POLICIES.filter(([, text]) => isRead(text));
  expect(OTHER_POLICIES.length).toBeGreaterThan(30);
  expect(read.length / OTHER_POLICIES.length).toBeGreaterThan(0.5);
});

/** Pieces to insert: everything with a meaning in YAML. */
const PIECES = [
  ...[
    ": ",
    " #",
    "#",
    "# a\n",
    "'",
    '"',
    "''",
    "[",
    "]",
    "[]",
    "[a, 'b']",
    "{",
    "}",
    "{}",
    '{"a": 1}',
    '"a": ',
    '"a":',
    ",",
    ", ",
    ":",
    "\\u0041",
    "1e3",
    "- ",
    "-",
    "- - ",
    "? ",
  ],
  ...[
    "|\n",
    ">\n",
    "|-\n",
    ">-\n",
    "|+\n",
    "|2\n",
    "&a ",
    "*a",
    "!!str ",
    "!a ",
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "\n  ",
  ],
  ...[
    "---\n",
    "\n---\n",
    "...\n",
    "%YAML 1.2\n",
    "\t",
    "\r\n",
    "@",
    "`",
    "\\",
    "\\n",
    "~",
    "null",
    "true",
    "1.5",
    "007",
    "0x1F",
  ],
  ...[
    "<<: ",
    "key: ",
    "\nkey:\n",
    "a: b\n",
    "é",
    "\u00a0",
    "\u0085",
    "😀",
    "\ufeff",
    ".inf",
    "\n\n  - x\n",
    "''x",
    "=",
    "<",
    "\0",
  ],
];

interface Edit {
  readonly at: number;
  readonly piece: string;
  readonly lines: number;
  readonly how: "insert" | "delete" | "repeat" | "indent" | "outdent" | "replace";
}

/** Applies edits of whole lines and insertions of pieces. */
function edited(text: string, { at, piece, lines, how }: Edit): string {
  const all = text.split("\n");
  const line = Math.floor(at * all.length);
  const taken = all.slice(line, line + lines);
  const instead = (others: readonly string[]) => all.toSpliced(line, taken.length, ...others).join("\n");
  switch (how) {
    case "insert": {
      const place = Math.floor(at * text.length);
      return text.slice(0, place) + piece + text.slice(place);
    }
    case "replace": {
      const place = Math.floor(at * text.length);
      return text.slice(0, place) + piece + text.slice(place + lines);
    }
    case "delete":
      return instead([]);
    case "repeat":
      return instead([...taken, ...taken]);
    case "indent":
      return instead(taken.map((each) => ` ${each}`));
    case "outdent":
      return instead(taken.map((each) => each.replace(/^ {1,2}/, "")));
  }
}

describe("documents with something else in them", () => {
  test.each([
    ["YAML", [...POLICIES, ...OTHERS], 1 / 6],
    ["JSON", JSONS, 1 / 12],
  ] as const)("are read as by the package, or left to it: %s", (_, documents, atLeast) => {
    const edits = fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      piece: fc.constantFrom(...PIECES),
      lines: fc.integer({ min: 1, max: 3 }),
      how: fc.constantFrom("insert", "insert", "replace", "delete", "repeat", "indent", "outdent"),
    });
    const texts = documents.map(([, text]) => text).filter(isRead);
    const count = sized(10_000);
    let read = 0;
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(edits, { minLength: 1, maxLength: 3 }), (text, all) => {
        if (isRead(all.reduce(edited, text))) read++;
      }),
      { numRuns: count },
    );
    expect(read / count).toBeGreaterThan(atLeast);
  });
});

const LENGTH = 1_000_000;

test.each([
  ["a text in quotes", `a: '${"b".repeat(LENGTH)}'\n`, true],
  ["one of nothing but quotes", `a: '${"''".repeat(LENGTH)}'\n`, true],
  ["one of escapes", `a: "${"\\n".repeat(LENGTH)}"\n`, true],
  ["one that is never closed", `a: '${"''".repeat(LENGTH)}\n`, false],
  ["escapes that are never closed", `a: "${"\\n".repeat(LENGTH)}\n`, false],
  ["white space in a text", `a: b${" ".repeat(LENGTH)}c\n`, true],
  ["white space before what cannot follow", `a: "b"${" ".repeat(LENGTH)}c\n`, false],
  ["a key without a colon", `${"a".repeat(LENGTH)}\n`, false],
  ["words in brackets", `a: [${"b, ".repeat(LENGTH)}b]\n`, true],
  ["a key in braces", `{"${"a".repeat(1_000)}": 1}`, false],
  ["brackets within brackets", `{"a": ${"[".repeat(LENGTH)}`, false],
  ["braces within braces", '{"a": '.repeat(LENGTH), false],
  ["entries in braces", `{${Array.from({ length: LENGTH / 10 }, (_, i) => `"a${i}": 1`).join()}}`, true],
] as const)("a line of any length: %s", (_, text, read) => {
  expect(readPlainYaml(text) !== undefined).toBe(read);
});
