/** The shipped policies pass their suites, with full coverage. */

import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { readPolicyDirectory } from "../../src/node/directory.js";
import { coverageLines, readSuiteDirectory, runSuites } from "../../src/testing/index.js";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { withFiles } from "../support/terminal.js";

const [policies, suites] = [await readPolicyDirectory(SHIPPED_ROOT)(), await readSuiteDirectory(SHIPPED_ROOT)()];
if (isLeft(policies) || isLeft(suites)) throw new Error("the shipped policies cannot be read");
const report = runSuites(policies.right, suites.right, { coverage: true });
if (isLeft(report)) throw new Error(JSON.stringify(report.left));
const { decisionSuites, summary, coverage } = report.right;
const tests = decisionSuites.flatMap((suite) => suite.tests);

test("every test passes", () => {
  expect(decisionSuites.flatMap(({ issues }) => issues)).toEqual([]);
  expect(tests.filter(({ result }) => result !== "RESULT_PASSED")).toEqual([]);
  expect(summary.overallResult).toBe("RESULT_PASSED");
  expect(summary.testsCount).toBeGreaterThan(150);
});

test("coverage is 100 %: every rule decides, every condition is true and false, every operand decides alone", () => {
  expect(coverage?.percent).toBe(100);
  // Nothing is listed as missing.
  const listed = coverage === undefined ? [] : coverageLines(coverage).filter((line) => line.includes(".yaml"));
  expect(listed.filter((line) => !line.endsWith(", and need not"))).toEqual([]);
  expect(coverage?.rules.total).toBeGreaterThan(30);
});

describe("each condition of the contract has cases on either side of its boundary", () => {
  const conditions = [...[1, 2, 3, 4, 5, 6].map((n) => `7.3.${n}`), ...[1, 2, 3, 4, 5, 6, 7].map((n) => `7.4.${n}`)];

  test.each(conditions)("%s", (condition) => {
    const named = tests.filter((each) => each.case.startsWith(`${condition} `));
    const refusal = condition.startsWith("7.3") ? "insufficient_permissions" : "forbidden";
    expect(new Set(named.map(({ expected }) => expected.outcome))).toEqual(new Set(["allow", refusal]));
    const refused = named.filter(({ expected }) => expected.outcome === refusal);
    expect(
      refused.every(({ expected }) => expected.reasons?.length === 1),
      "each refusal names its reason",
    ).toBe(true);
  });
});

test("every file names its schema, by a path that is there, in the repository and in a copy", async () => {
  const files = readdirSync(SHIPPED_ROOT, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".yaml"),
  );
  expect(files.length).toBeGreaterThan(10);
  await withFiles({ "node_modules/.package-lock.json": "{}" }, async (project) => {
    symlinkSync(ROOT, join(project, "node_modules/keyward"));
    for (const root of [SHIPPED_ROOT, `${project}/policies/`]) {
      for (const path of files) {
        const [first = ""] = readFileSync(SHIPPED_ROOT + path, "utf8").split("\n");
        const [, schema = ""] = /^# yaml-language-server: \$schema=(.*)$/.exec(first) ?? [];
        const url = new URL(schema, `file://${root}${path}`);
        const kind = /(?:^testdata\/.*)?\.(decisions|fixtures|claims|keyward)\.yaml$/.exec(path)?.[1] ?? "policy";
        expect(url.pathname.endsWith(`/schemas/${kind}.schema.json`), `${path}: ${schema}`).toBe(true);
        expect(JSON.parse(readFileSync(url, "utf8")).title).toBeTypeOf("string");
      }
    }
  });
});
