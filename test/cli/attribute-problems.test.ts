/** Cases of decision suites are held to the schemas, unless they say `damaged: true`. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import type { PolicyFile } from "../../src/index.js";
import { hasFailures, type RunOptions, runSuites, type TestReport } from "../../src/testing/index.js";
import { policy, when } from "../support/compose.js";
import { keyward, withFiles } from "../support/terminal.js";

const KEY = { type: "object", properties: { team: { type: "string" } }, additionalProperties: true };
const DOC = {
  type: "object",
  required: ["locked"],
  properties: {
    locked: { type: "boolean" },
    state: { enum: ["open", "closed"] },
    size: { type: "object", properties: { width: { type: "integer" } }, additionalProperties: false },
  },
};
const ACCOUNT = { type: "object", properties: { plan: { enum: ["free", "pro"] } } };

const schemas = (principal: string) =>
  `schemas: {principalSchema: {ref: cerbos:///${principal}.json}, resourceSchema: {ref: cerbos:///doc.json}}`;
const rule = "name: own, actions: [read], roles: [user], effect: EFFECT_ALLOW";
const FILES: readonly PolicyFile[] = [
  { path: "doc.yaml", text: policy({ body: schemas("key"), rules: [`${rule}, ${when("!R.attr.locked")}`] }) },
  {
    path: "platform.yaml",
    text: policy({
      ...{ version: "platform", body: schemas("account") },
      rules: ["name: supported, actions: [read], roles: [account], effect: EFFECT_ALLOW"],
    }),
  },
  ...Object.entries({ key: KEY, doc: DOC, account: ACCOUNT }).map(([name, schema]) => ({
    path: `_schemas/${name}.json`,
    text: JSON.stringify(schema),
  })),
];

const SUITE = `name: docs
keys: { user: { id: u, roles: [user], attr: { team: a } } }
accounts: { pro: { id: a, attr: { plan: pro } } }
resources: { doc: { kind: doc, id: d, attr: { locked: false, size: { width: 1 } } } }
defaults: { key: user, account: pro, resource: doc, operation: read }
cases:
  - `;

function run(fields: string, options: RunOptions = {}): TestReport {
  const suites = new Map([["doc.decisions.yaml", `${SUITE}{ name: one, ${fields} }\n`]]);
  const report = runSuites(FILES, suites, options);
  if (isLeft(report)) throw new Error(JSON.stringify(report.left));
  return report.right;
}

const problems = (fields: string) =>
  run(fields).decisionSuites.flatMap(({ tests }) => tests.flatMap((one) => one.problems ?? []));

describe("a case with attributes that the schemas do not allow could not be run", () => {
  test.each([
    ["with: { resource: { lockd: true } }", ['no schema declares resource.attr.lockd (did you mean "locked"?)']],
    ["with: { key: { teem: a } }", ['no schema declares key.attr.teem (did you mean "team"?)']],
    ["with: { account: { plam: free } }", ['no schema declares account.attr.plam (did you mean "plan"?)']],
    [
      "with: { resource: { size: { widht: 2 } } }",
      ['no schema declares resource.attr.size.widht (did you mean "width"?)'],
    ],
    ["without: { resource: [locked] }", ["resource.attr: missing properties: 'locked'"]],
    ["with: { resource: { locked: 1 } }", ["resource.attr.locked: expected boolean, but got number"]],
    ["with: { resource: { state: new } }", ['resource.attr.state: value must be one of "open", "closed"']],
    ["with: { account: { plan: gold } }", ['account.attr.plan: value must be one of "free", "pro"']],
  ])("%s", (fields, expected) => {
    const report = run(`${fields}, expect: allow`);
    expect(problems(`${fields}, expect: allow`)).toEqual(expected);
    expect(hasFailures(report)).toBe(true);
    expect(report.summary).toMatchObject({ overallResult: "RESULT_ERRORED", testsCount: 1 });
    expect(report.decisionSuites[0]?.tests[0]?.actual).toBeUndefined();
  });

  test("unless it says damaged: true, or schemas are ignored", () => {
    const fields = "with: { resource: { lockd: true } }, expect: allow";
    for (const report of [run(`damaged: true, ${fields}`), run(fields, { ignoreSchemas: true })]) {
      expect(report.summary.overallResult).toBe("RESULT_PASSED");
    }
  });

  test("sound ones run, and so do those of kinds without a schema", () => {
    expect(problems("with: { resource: { state: open, size: { width: 3 } } }, expect: allow")).toEqual([]);
    expect(
      problems("operation: burn, with: { resource: { state: open } }, expect: forbidden, fault: unknown_operation"),
    ).toEqual([]);
  });
});

test("keyward test shows the problem with its place and the way out; exit 4", async () => {
  const files = Object.fromEntries(FILES.map(({ path, text }) => [path, text]));
  const text = `${SUITE}{ name: locked, with: { resource: { lockd: true } }, expect: allow }\n`;
  await withFiles({ ...files, "testdata/doc.decisions.yaml": text }, async (directory) => {
    const { code, out, err } = await keyward(["test", directory]);
    expect([code, err]).toEqual([4, "keyward test: 1 of 1 test could not be run (exit 4)\n"]);
    for (const line of ["no schema declares resource.attr.lockd", "damaged: true", "testdata/doc.decisions.yaml:7:5"]) {
      expect(out).toContain(line);
    }
    for (const format of ["github", "junit", "sarif"]) {
      expect((await keyward(["test", directory, "--format", format])).out).toContain("resource.attr.lockd");
    }
    expect((await keyward(["test", directory, "--ignore-schemas"])).code).toBe(0);
    const mutated = await keyward(["mutate", directory]);
    expect(mutated.code).toBe(4);
    expect(mutated.err).toContain(
      "a test fails on the policies themselves: testdata/doc.decisions.yaml:7:5 locked: no schema",
    );
  });
});
