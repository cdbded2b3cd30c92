/** The commands that report findings print GitHub annotations and SARIF. */

import { describe, expect, test } from "vitest";
import { shippedFiles } from "../../support/policies.js";
import { sarifOf } from "../../support/sarif/valid.js";
import { type Files, keyward, type Run, withFiles } from "../../support/terminal.js";

const shipped: Files = Object.fromEntries(shippedFiles.map(({ path, text }) => [path, text]));
const API = "platform/api.yaml";

/** The shipped policies with one text replaced. */
function changed(path: string, from: string, to: string): Files {
  const text = shipped[path];
  if (typeof text !== "string" || !text.includes(from)) throw new Error(`${path} has no ${from}`);
  return { ...shipped, [path]: text.replace(from, to) };
}

const results = ({ out }: Run) => sarifOf(out).runs[0]?.results ?? [];

describe("keyward check", () => {
  const broken = changed(API, "EFFECT_ALLOW", "EFFECT_ALOW");

  test("--format sarif: each issue is a result, exit 3", async () => {
    await withFiles(broken, async (directory) => {
      const run = await keyward(["check", directory, "--format", "sarif"]);
      const { out } = await keyward(["check", directory, "--format", "json"]);
      const { issues } = JSON.parse(out);
      expect(run.code).toBe(3);
      const found = results(run).map(({ ruleId, level, locations }) => ({
        code: ruleId,
        severity: level,
        line: locations?.[0]?.physicalLocation?.region?.startLine,
        column: locations?.[0]?.physicalLocation?.region?.startColumn,
      }));
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(
        issues.map(({ code, severity, line, column }: Record<string, unknown>) => ({ code, severity, line, column })),
      );
      const uri = results(run)[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri ?? "";
      expect(uri).toMatch(new RegExp(`${API}$`));
    });
  });

  test("--format github: an annotation an issue, with the hint", async () => {
    await withFiles(broken, async (directory) => {
      const { code, out } = await keyward(["check", directory, "--format", "github"]);
      expect(code).toBe(3);
      expect(out).toMatch(/^::error .*line=\d+,col=\d+,title=keyward%3A shape::.*EFFECT_ALLOW/);
    });
  });

  test("nothing is found in the shipped policies", async () => {
    const run = await keyward(["check", "policies", "--format", "sarif"]);
    expect([run.code, results(run)]).toEqual([0, []]);
    expect(sarifOf(run.out).runs[0]?.tool.driver.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(await keyward(["check", "policies", "--format", "github"])).toMatchObject({ code: 0, out: "" });
  });

  test("a directory that is not there", async () => {
    const run = await keyward(["check", "no/such", "--format", "sarif"]);
    expect(run).toEqual({ code: 2, out: "", err: "keyward check: there is no directory no/such\n" });
  });
});

const SUITE = `tests:
  - name: reads what is published
    input: { principals: [reader], resources: [doc], actions: [read] }
    expected:
      - { principal: reader, resource: doc, actions: { read: EFFECT_DENY } }
name: Documents
principals: { reader: { id: r, roles: [user] } }
resources: { doc: { kind: doc, id: d } }
`;
const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - { actions: [read], roles: [user], effect: EFFECT_ALLOW }
`;

describe("keyward test", () => {
  test("--output github and sarif: what failed, and where; exit 4", async () => {
    await withFiles({ "doc.yaml": POLICY, "doc_test.yaml": SUITE }, async (directory) => {
      const run = await keyward(["test", directory, "--format", "sarif"]);
      expect([run.code, results(run)]).toMatchObject([
        4,
        [
          {
            ruleId: "test_failed",
            level: "error",
            message: { text: expect.stringContaining("expected EFFECT_DENY, got EFFECT_ALLOW") },
          },
        ],
      ]);
      const { code, out } = await keyward(["test", directory, "--format", "github"]);
      expect([code, out.split("\n").length]).toEqual([4, 2]);
      expect(out).toContain("title=keyward%3A test_failed::reads what is published: reader, doc, read: expected");
    });
  });

  test("a decision suite: at the case", async () => {
    const suite = "testdata/x.decisions.yaml";
    const decisions = `name: Deleting
keys:
  admin: { id: key_1, roles: [nobody], attr: {} }
accounts:
  acme: { id: acc_1, attr: {} }
resources:
  api: { kind: api, id: api_1, attr: {} }
cases:
  - name: anybody may read
    key: admin
    account: acme
    operation: apis.getApi
    resource: api
    damaged: true
    expect: allow
`;
    await withFiles({ ...shipped, [suite]: decisions }, async (directory) => {
      const run = await keyward(["test", directory, "--format", "sarif"]);
      const [result] = results(run);
      expect([run.code, result?.ruleId, run.err]).toEqual([4, "test_failed", expect.any(String)]);
      expect(result?.message.text).toMatch(
        /^anybody may read: .*expected allow, got insufficient_permissions because of/,
      );
      expect(result?.locations?.[0]?.physicalLocation?.region).toEqual({
        startLine: 9,
        startColumn: expect.any(Number),
      });
    });
  });

  test("a suite that cannot be read", async () => {
    await withFiles({ "doc.yaml": POLICY, "doc_test.yaml": "name: 1\n" }, async (directory) => {
      const run = await keyward(["test", directory, "--format", "sarif"]);
      expect([run.code, results(run)]).toMatchObject([4, [{ ruleId: "suite_error" }]]);
    });
  });

  test("policies that do not compile", async () => {
    await withFiles({ "doc.yaml": POLICY.replace("EFFECT_ALLOW", "X"), "doc_test.yaml": SUITE }, async (directory) => {
      const run = await keyward(["test", directory, "--format", "sarif"]);
      expect([run.code, results(run)[0]?.ruleId]).toEqual([3, "shape"]);
    });
  });
});

describe("keyward diff", () => {
  const widened = changed(API, "R.attr.deleteProtection == false", "R.attr.deleteProtection != 1.0");

  test("--output sarif: a widening is an error at the rule that decides now; exit 4", async () => {
    await withFiles(widened, async (directory) => {
      const run = await keyward(["diff", "policies", directory, "--no-solver", "--format", "sarif"]);
      expect(run.code).toBe(4);
      const [first] = results(run);
      expect(first).toMatchObject({ ruleId: "widening", level: "error" });
      expect(first?.message.text).toMatch(/^apis\.deleteApi on api: forbidden -> allow\n/);
      const { artifactLocation, region } = first?.locations?.[0]?.physicalLocation ?? {};
      expect(artifactLocation?.uri).toMatch(new RegExp(`${API}$`));
      expect(region?.startLine).toBeGreaterThan(1);
      const { out } = await keyward(["diff", "policies", directory, "--no-solver", "--format", "github"]);
      expect(out).toMatch(/^::error .*title=keyward%3A widening::apis\.deleteApi on api: forbidden -> allow%0A/);
    });
  });

  test("the other way round it is a warning; no difference is none", async () => {
    await withFiles(widened, async (directory) => {
      const [first] = results(await keyward(["diff", directory, "policies", "--no-solver", "--format", "sarif"]));
      expect(first).toMatchObject({ ruleId: "narrowing", level: "warning" });
      expect(first?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(`policies/${API}`);
    });
    expect(await keyward(["diff", "policies", "policies", "--format", "github"])).toMatchObject({ code: 0, out: "" });
  });
});
