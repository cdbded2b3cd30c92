/** Examples in the documents work as written. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compilePolicies, type PolicyFile } from "../../src/index.js";
import { SUITE_SHAPE } from "../../src/testing/decisions/shape.js";
import { runSuites } from "../../src/testing/index.js";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { blocks, DOCUMENTS } from "../support/documents.js";
import { shippedFiles } from "../support/policies.js";

test("the README has an example in JavaScript, by the package's name", () => {
  expect(blocks("README.md", "js").map(([, block]) => /from "keyward"/.test(block))).toContain(true);
});

describe.skipIf(!BUILT)("examples of the README (skipped without dist/: npm run build)", { tags: "long" }, () => {
  test.each(blocks("README.md", "js"))("%s runs as it is", (_, block) => {
    // Node lets a program inside the repository import the package by its name.
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", block], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(output).toContain("forbidden");
    expect(output).toContain("This operation is not allowed");
  });
});

test.skipIf(!BUILT)("the front page's example prints what it says", { tags: "long" }, () => {
  const [[, block = ""] = []] = blocks("site/home.md", "js");
  expect(block.split("\n").filter((line) => line !== "").length).toBe(10);
  const [, printed] = /\/\/ (.*)\n$/.exec(block) ?? [];
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", block], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(output.trim()).toBe(printed);
});

test("the front page's figures are those of docs/benchmarks.md", () => {
  /** The first and the last cell of each row in a page's tables. */
  const rows = (document: string): readonly string[] =>
    readFileSync(ROOT + document, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| --"))
      .map((line) => line.replaceAll("**", "").split(" | "))
      .map((cells) => `${cells[0]?.slice(2).trim()} = ${cells.at(-1)?.replace("|", "").trim()}`);
  const figures = rows("site/home.md");
  expect(figures.length).toBeGreaterThan(8);
  expect(rows("docs/benchmarks.md")).toEqual(expect.arrayContaining([...figures]));
});

describe.skipIf(!BUILT)("commands in documents (skipped without dist/: npm run build)", { tags: "long" }, () => {
  const lines = DOCUMENTS.flatMap((document) => blocks(document, "sh")).flatMap(([where, block]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .flatMap((line) => line.replace(/(^| )# .*/, "").split(/[|;]|&&/))
      .map((command) => [where, command.trim()] as const),
  );
  const help = new Map<string, string>();
  const helpOf = (command: string): string => {
    const known = help.get(command) ?? execFileSync(process.execPath, [BIN, command, "--help"], { encoding: "utf8" });
    help.set(command, known);
    return known;
  };

  const commands = lines.filter(([, line]) => /^(npx )?keyward /.test(line));

  test.each(commands)("%s: %s", (_, line) => {
    const [command = "", ...words] = line.replace(/^(npx )?keyward /, "").split(/\s+/);
    if (command.startsWith("--")) return;
    const usage = helpOf(command);
    for (const word of words) {
      const [option] = /^--[\w-]+/.exec(word) ?? [];
      if (option !== undefined) expect(usage).toContain(option);
    }
  });

  test.each(lines.filter(([, line]) => line.startsWith("npm run ")))("%s: %s", (_, line) => {
    const [, script = ""] = /^npm run (?:--silent )?([\w:-]+)/.exec(line) ?? [];
    const workspace = /(?:-w|--workspace) (\w+)/.exec(line)?.[1] ?? ".";
    const { scripts } = JSON.parse(readFileSync(`${ROOT}${workspace}/package.json`, "utf8"));
    expect(Object.keys(scripts)).toContain(script);
  });

  test("there are some of most commands", () => {
    expect(commands.length).toBeGreaterThan(20);
  });
});

describe("policies in documents", () => {
  /** A block's policies, with the shipped policies for everything else. */
  const policies = DOCUMENTS.flatMap((document) => blocks(document, "yaml")).filter(([, block]) =>
    /^apiVersion:/m.test(block),
  );

  test.each(policies)("%s is a policy", (_, block) => {
    const files: PolicyFile[] = [...shippedFiles, { path: "example.yaml", text: block }];
    const loaded = compilePolicies(files);
    const issues = loaded._tag === "Left" ? loaded.left.filter(({ file }) => file === "example.yaml") : [];
    // The block may redefine a shipped policy, and import definitions from another block.
    expect(issues.filter(({ code }) => code !== "duplicate" && code !== "missing_import")).toEqual([]);
  });
});

test.each(blocks("docs/testing.md", "yaml").filter(([, block]) => /^cases:/m.test(block)))(
  "%s is a decision suite that passes on the shipped policies",
  (_, block) => {
    const fixtures = readFileSync(`${ROOT}policies/testdata/service.fixtures.yaml`, "utf8");
    const suites = new Map([
      ["testdata/service.fixtures.yaml", fixtures],
      ["testdata/example.decisions.yaml", block],
    ]);
    const report = runSuites(shippedFiles, suites);
    expect(report).toMatchObject({ right: { summary: { overallResult: "RESULT_PASSED" } } });
  },
);

test("docs/testing.md explains every field of a decision suite", () => {
  const text = readFileSync(`${ROOT}docs/testing.md`, "utf8");
  const { properties = {} } = SUITE_SHAPE;
  const fields = [properties, properties.cases?.items?.properties ?? {}].flatMap((each) => Object.keys(each));
  for (const field of fields.filter((name) => name !== "$schema")) expect(text).toContain(`\`${field}\``);
});
