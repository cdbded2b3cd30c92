/** What comments cite of the documents is there, and so is what the documents link to. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/built.js";

const FOLDERS = ["src", "test", "service", "bench", "scripts", "policies", "docs"];
const TEXTS = /\.(?:ts|mts|mjs|yaml|md)$/;
const ELSEWHERE = /(?:^|\/)(?:node_modules|dist)\//;

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => TEXTS.test(path) && !ELSEWHERE.test(path)),
);
const DOCUMENTS = ["README.md", ...FILES.filter((path) => path.endsWith(".md"))];

function read(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

/** The numbers that can be cited of a page: those of headings, of rules in numbered lists below them, of rows of tables. */
function numbersOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^#+ (?:(\d+(?:\.\d+)*)\.? )?/.exec(line);
    const [, rule] = /^(\d+)\. /.exec(line) ?? [];
    const [, row] = /^\| (\d+(?:\.\d+)+) /.exec(line) ?? [];
    if (heading !== null) {
      section = heading[1] ?? "";
      found.add(section);
    } else if (rule !== undefined && section !== "") found.add(`${section}.${rule}`);
    else if (row !== undefined) found.add(row);
  }
  return found;
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** `docs/contract.md §7.2 and §7.5`, once for each number: the page, and the number. */
function citationsIn(text: string): readonly [page: string, number: string][] {
  // A citation may be broken between two lines of a comment.
  const flowing = text.replace(/\n\s*(?:\*|\/\/|#)?\s*/g, " ");
  return [...flowing.matchAll(/\b(docs\/[\w-]+\.md)((?:(?:,| and| or| to)? §\d+(?:\.\d+)*)+)/g)].flatMap(
    ([, page = "", numbers = ""]) =>
      [...numbers.matchAll(/§([\d.]+)/g)].map(([, number = ""]): [string, string] => [page, number]),
  );
}

/** Each that is cited and is not there, with the file that cites it. */
function missing(citations: (path: string) => readonly [page: string, number: string][]): readonly string[] {
  return FILES.flatMap((path) =>
    citations(path)
      .filter(([page, number]) => !existsSync(ROOT + page) || !numbersOf(read(page)).has(number))
      .map(([page, number]) => `${path}: ${page} §${number}`),
  );
}

describe("citations", () => {
  test("sections and rules that comments cite exist", () => {
    expect(FILES.flatMap((path) => citationsIn(read(path))).length).toBeGreaterThan(30);
    expect(missing((path) => citationsIn(read(path)))).toEqual([]);
  });

  test("the rules that policies say they keep are rules of the contract", () => {
    const rules = numbersOf(read("docs/contract.md"));
    const kept = FILES.filter((path) => path.startsWith("policies/")).flatMap((path) =>
      [...read(path).matchAll(/keyward\.clause\/\S+: "(.*)"/g)].map(([, number = ""]) => number),
    );
    expect(kept.filter((number) => !rules.has(number))).toEqual([]);
    expect(new Set(kept).size).toBe(7);
  });

  test.each(["docs/contract.md", "docs/cerbos-semantics.md"])("%s cites itself rightly", (page) => {
    const own = (path: string): [string, string][] =>
      path === page ? [...read(page).matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, number = ""]) => [page, number]) : [];
    expect(missing(own)).toEqual([]);
  });

  test("what is cited in two lines, or several at once, is found", () => {
    expect(
      citationsIn("/**\n * As in docs/contract.md\n * §7.2 and §7.5, or docs/cerbos-semantics.md §5.\n */"),
    ).toEqual([
      ["docs/contract.md", "7.2"],
      ["docs/contract.md", "7.5"],
      ["docs/cerbos-semantics.md", "5"],
    ]);
  });
});

test.each(DOCUMENTS)("links of %s lead somewhere", (document) => {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const broken = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : join(dirname(document), path);
      if (!existsSync(ROOT + target)) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
  expect(broken).toEqual([]);
});
