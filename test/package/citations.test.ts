/** Comments cite existing sections of documents, and documents link to existing targets. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/built.js";

const FOLDERS = ["src", "test", "service", "bench", "scripts", "examples", "policies", "docs"];
const TEXTS = /\.(?:ts|mts|mjs|yaml|md)$/;
const ELSEWHERE = /(?:^|\/)(?:node_modules|dist|\.build)\//;

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => TEXTS.test(path) && !ELSEWHERE.test(path)),
);
/** Documents at the top level; paths of files that they mention must also exist. */
const TOP = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const DOCUMENTS = [...TOP, ...FILES.filter((path) => path.endsWith(".md"))];

function read(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

/** The citable numbers of a page: those of headings, of rules in numbered lists below them, and of rows in tables. */
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

/** The anchors of a page's headings, in GitHub's form. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The text with line breaks inside comments removed, since a citation may span two lines. */
function flowing(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/|#)?\s*/g, " ");
}

/** Citations such as `docs/contract.md §7.2 and §7.5`: the page and one number for each. */
function citationsIn(text: string): readonly [page: string, number: string][] {
  return [...flowing(text).matchAll(/\b(docs\/[\w-]+\.md)((?:(?:,| and| or| to)? §\d+(?:\.\d+)*)+)/g)].flatMap(
    ([, page = "", numbers = ""]) =>
      [...numbers.matchAll(/§([\d.]+)/g)].map(([, number = ""]): [string, string] => [page, number]),
  );
}

/** Numbers without a page. They belong to the first page that the text names. Numbers of RFCs are excluded. */
function bareCitationsIn(text: string): readonly [page: string, number: string][] {
  const [first] = /\bdocs\/[\w-]+\.md/.exec(text) ?? ["no page"];
  const others = /\b(?:docs\/[\w-]+\.md|RFC \d+|SARIF [\d.]+)(?:(?:,| and| or| to)? §\d+(?:\.\d+)*)+/g;
  const rest = flowing(text).replace(others, "");
  return [...rest.matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, number = ""]) => [first, number]);
}

/** The citations without a target, with the citing file. */
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

  test("a number without a page is of the page that the file names", () => {
    const code = FILES.filter((path) => !path.endsWith(".md") && !path.startsWith("test/package/"));
    const bare = (path: string) => (code.includes(path) ? bareCitationsIn(read(path)) : []);
    expect(code.flatMap(bare).length).toBeGreaterThan(30);
    expect(missing(bare)).toEqual([]);
  });

  test("comments cite no page that is not here", () => {
    const elsewhere =
      /\breference(?: §|\/cerbos)|(?<![\w-])(?:cel|cerbos|DESIGN)\.md\b|(?<!docs\/)\bcontract(?:\.md)? §/;
    const code = FILES.filter((path) => !path.startsWith("test/package/"));
    expect(code.filter((path) => elsewhere.test(read(path)))).toEqual([]);
  });

  test("the rules that policies say they keep are rules of the contract", () => {
    const rules = numbersOf(read("docs/contract.md"));
    const kept = FILES.filter((path) => path.startsWith("policies/")).flatMap((path) =>
      [...read(path).matchAll(/keyward\.clause\/\S+: "(.*)"/g)].map(([, number = ""]) => number),
    );
    expect(kept.filter((number) => !rules.has(number))).toEqual([]);
    expect(new Set(kept).size).toBe(7);
  });

  test("invariants that comments rely on are kept somewhere, by that name", () => {
    const kept = new Map<string, string[]>();
    for (const path of FILES.filter((one) => /^(service\/)?src\//.test(one))) {
      for (const [, name = ""] of flowing(read(path)).matchAll(/\bINVARIANT \(([^)]*)\)/g)) {
        kept.set(name, [...(kept.get(name) ?? []), path]);
      }
    }
    expect(kept.size).toBeGreaterThan(5);
    expect([...kept].filter(([, paths]) => paths.length > 1)).toEqual([]);
    const cited = [...FILES, ...TOP].flatMap((path) =>
      [...flowing(read(path)).matchAll(/\binvariant "([^"]*)"/g)].map(([, name = ""]) => ({ path, name })),
    );
    expect(cited.filter(({ path, name }) => !kept.has(name) && !path.startsWith("test/package/"))).toEqual([]);
    const names = new Set(cited.map(({ name }) => name));
    expect([...kept.keys()].filter((name) => !names.has(name))).toEqual([]);
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

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("files that %s names are there", (document) => {
  const named = [...read(document).matchAll(/`((?:src|test|docs|schemas|scripts|bench|service|policies)\/[\w./-]*)`/g)];
  expect(named.length).toBeGreaterThan(10);
  expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(ROOT + path))).toEqual([]);
});
