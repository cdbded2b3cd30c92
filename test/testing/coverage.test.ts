import { describe, expect, test } from "vitest";
import { type CoverageReport, coverageLines, lcovOf } from "../../src/testing/index.js";
import { POLICIES, run, suite } from "./support.js";

function covered(...cases: readonly string[]): CoverageReport {
  const { coverage } = run({ "testdata/a.decisions.yaml": suite(...cases) }, { coverage: true });
  if (coverage === undefined) throw new Error("no coverage");
  return coverage;
}

const ALL = [
  "{ name: read, expect: allow }",
  "{ name: read other, with: { resource: { owner: other } }, expect: insufficient_permissions }",
  "{ name: boss, key: boss, operation: write, expect: allow }",
  "{ name: high, key: boss, operation: write, with: { resource: { open: false }, key: { level: 6 } }, expect: allow }",
  "{ name: low, key: boss, operation: write, with: { resource: { open: false } }, expect: insufficient_permissions }",
  "{ name: frozen, operation: write, with: { account: { frozen: true } }, expect: forbidden }",
  "{ name: early, operation: timed, now: 2025-12-31T00:00:00Z, expect: insufficient_permissions }",
  "{ name: late, operation: timed, now: 2026-12-31T00:00:00Z, expect: allow }",
];

test("all of it", () => {
  const report = covered(...ALL);
  expect(coverageLines(report)).toEqual([
    "Coverage 100 %",
    "  rules that decided     5/5 (100 %)",
    "  conditions, both ways  12/12 (100 %)",
    "  operands that decided  4/4 (100 %)",
    "  derived roles          2/2 (100 %)",
    "  variables              3/3 (100 %)",
    "  outputs                3/3 (100 %)",
  ]);
  expect(report.percent).toBe(100);
});

test("none of it: everything is missing, by place", () => {
  const lines = coverageLines(covered("{ name: a, skip: true, expect: allow }"));
  expect(lines[0]).toBe("Coverage 0 %");
  expect(lines).toContain("doc.yaml:11:7 rule resource.doc.vdefault#reader: never reached");
  expect(lines).toContain("doc.yaml:8:19 variable same_owner `R.attr.owner == P.attr.owner`: never evaluated");
  expect(lines).toContain("roles.yaml:5:13 derived role boss: never evaluated");
  expect(lines).toContain('doc.yaml:21:67 output of writer `"no"`: never put out');
});

test("each case that is left out leaves a gap", () => {
  for (const [i, left] of ALL.entries()) {
    const { goals } = covered(...ALL.toSpliced(i, 1));
    expect(goals.total - goals.covered, left).toBeGreaterThan(0);
  }
});

describe("what is said of a point", () => {
  test("only ever true, only ever false, erred, reached and never decisive", () => {
    const lines = coverageLines(
      covered(
        "{ name: read, expect: allow }",
        "{ name: no frozen, operation: write, key: boss, without: { account: [frozen], resource: [open] }, expect: forbidden }",
        "{ name: no time, operation: timed, expect: insufficient_permissions }",
      ),
    );
    expect(lines).toContain("doc.yaml:15:35 condition of reader `V.same_owner`: never false");
    expect(lines).toContain(
      "doc.yaml:20:49 condition of writer `R.attr.open == true`: never true, never false, erred 1 times",
    );
    expect(lines).toContain("doc.yaml:20:80 condition of writer `P.attr.level > 5`: never evaluated");
    expect(lines).toContain("doc.yaml:16:7 rule resource.doc.vdefault#writer: reached, never decided");
    // A derived role is evaluated for operations with rules that list it.
    expect(lines.filter((line) => line.includes("boss"))).toEqual([
      "roles.yaml:5:13 derived role boss: never false",
      "roles.yaml:7:35 condition of boss `P.attr.boss == true`: never false",
    ]);
  });

  test("counts of what the points were", () => {
    const { points } = covered(...ALL);
    const rule = (name: string) => points.find((point) => point.kind === "rule" && point.name === name);
    expect(rule("reader")).toMatchObject({ reached: 2, decisive: 1, file: "doc.yaml", line: 11 });
    expect(rule("frozen")).toMatchObject({ reached: 4, decisive: 1, effect: "deny" });
    expect(points.find((point) => point.kind === "derivedRole")).toMatchObject({
      name: "boss",
      policy: "resource.doc.vdefault",
    });
    expect(points.find((point) => "expression" in point && point.expression === "R.attr.open == true")).toMatchObject({
      trues: 1,
      falses: 2,
      errors: 0,
    });
  });
});

test("constant conditions have one value, and unconditional derived roles none", () => {
  const policies = POLICIES.map(({ path, text }) => ({
    path,
    text: text.replace("{ expr: V.same_owner }", '{ expr: "true" }').replace(/\n {6}condition: .*boss == true.*/, ""),
  }));
  const texts = { "testdata/a.decisions.yaml": suite("{ name: a, operations: [read, write], expect: allow }") };
  const { coverage } = run(texts, { coverage: true }, policies);
  const points = coverage?.points ?? [];
  expect(points.find(({ line, kind }) => kind === "condition" && line === 15)).toMatchObject({
    constant: true,
    trues: 1,
  });
  expect(points.find(({ kind }) => kind === "derivedRole")).toMatchObject({ conditional: false });
  const lines = coverageLines(coverage ?? covered());
  expect(lines.filter((line) => /reader|boss/.test(line))).toEqual([]);
});

const WHOLE = [
  ...POLICIES,
  {
    path: "role.yaml",
    text: `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: clerk
  scope: acme
  parentRoles: [user]
  rules:
    - resource: doc
      allowActions: [read]
    - resource: doc
      allowActions: [write]
      condition: { match: { expr: R.attr.open == true } }
`,
  },
  {
    path: "acme.yaml",
    text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  rules:
    - actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition: { match: { expr: R.attr.shown == true } }
`,
  },
  {
    path: "eve.yaml",
    text: `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: eve
  version: default
  rules:
    - resource: doc
      actions: [{ action: read, effect: EFFECT_DENY, name: not_eve, condition: { match: { expr: R.attr.open == true } } }]
`,
  },
];

test("Cerbos suites count too; so do role policies, principal policies and scopes", () => {
  const texts = {
    "a_test.yaml": `name: S
principals:
  user: { id: u, roles: [user], attr: { owner: acme } }
  clerk: { id: c, roles: [clerk], attr: { owner: acme, boss: true } }
  eve: { id: eve, roles: [user], attr: { owner: acme } }
resources:
  doc: { kind: doc, id: d, scope: acme, attr: { owner: acme, open: true, shown: true } }
  hidden: { kind: doc, id: d, scope: acme, attr: { owner: acme, open: false, shown: false } }
tests:
  - name: all
    input: { principals: [user, clerk, eve], resources: [doc, hidden], actions: [read, write] }
    expected:
      - { principals: [user, clerk], resource: doc, actions: { read: EFFECT_ALLOW } }
      - { principal: clerk, resource: doc, actions: { write: EFFECT_ALLOW } }
`,
  };
  const { coverage, summary } = run(texts, { coverage: true }, WHOLE);
  expect(summary).toMatchObject({ overallResult: "RESULT_PASSED", testsCount: 12 });
  const rule = (file: string, line: number) =>
    coverage?.points.find((point) => point.file === file && point.line === line);
  expect(rule("eve.yaml", 7)).toMatchObject({ kind: "rule", name: "not_eve", reached: 2, decisive: 1 });
  expect(rule("role.yaml", 7)).toMatchObject({ kind: "rule", name: "doc", effect: "restrict", decisive: 1 });
  // The rule lets the clerk write one document, and stops the clerk from writing the other.
  expect(rule("role.yaml", 9)).toMatchObject({
    kind: "rule",
    name: "doc",
    effect: "restrict",
    reached: 2,
    decisive: 2,
  });
  // The scope only restricts, so the condition is negated internally. The count is for the condition as written.
  const shown = coverage?.points.find((point) => "expression" in point && point.expression === "R.attr.shown == true");
  expect(shown).toMatchObject({ kind: "condition", trues: 2 });
  expect(
    coverage?.points
      .filter(({ file }) => file === "platform.yaml")
      .every((point) => !("reached" in point) || point.reached === 0),
  ).toBe(true);
});

test("coverage changes no result", () => {
  const texts = { "testdata/a.decisions.yaml": suite(...ALL) };
  const { coverage: _, ...measured } = run(texts, { coverage: true });
  expect(measured).toEqual(run(texts));
});

describe("lcov", () => {
  /** The records of an lcov file. As geninfo(1) demands, the totals must agree with the records. */
  function records(text: string): ReadonlyMap<string, readonly string[]> {
    const all = text.split("end_of_record\n").slice(0, -1);
    return new Map(
      all.map((record) => {
        const lines = record.trim().split("\n");
        return [lines.find((line) => line.startsWith("SF:"))?.slice(3) ?? "", lines];
      }),
    );
  }

  function count(lines: readonly string[], prefix: string): number {
    return lines.filter((line) => line.startsWith(`${prefix}:`)).length;
  }

  const text = lcovOf(covered(...ALL.slice(0, 3)), "some/where/");

  test("a record for each file, with sums that agree", () => {
    const found = records(text);
    expect([...found.keys()]).toEqual(["some/where/doc.yaml", "some/where/platform.yaml", "some/where/roles.yaml"]);
    for (const lines of found.values()) {
      expect(lines).toContain(`FNF:${count(lines, "FN")}`);
      expect(lines).toContain(`BRF:${count(lines, "BRDA")}`);
      expect(lines).toContain(`LF:${count(lines, "DA")}`);
      const hit = lines.filter((line) => /^DA:\d+,[1-9]/.test(line)).length;
      expect(lines).toContain(`LH:${hit}`);
      expect(lines).toContain(`BRH:${lines.filter((line) => /^BRDA:.*,[1-9]\d*$/.test(line)).length}`);
      const places = lines.filter((line) => line.startsWith("DA:")).map((line) => Number(line.slice(3).split(",")[0]));
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    }
  });

  test("functions are rules, branches the values of conditions", () => {
    const lines = records(text).get("some/where/doc.yaml") ?? [];
    expect(lines).toContain("FN:11,resource.doc.vdefault#reader");
    expect(lines).toContain("FNDA:1,resource.doc.vdefault#reader");
    expect(lines).toContain("FNDA:0,resource.doc.vdefault#timed");
    expect(lines).toContain("BRDA:15,35,0,1");
    expect(lines).toContain("BRDA:15,35,1,1");
    // The branch was never evaluated.
    expect(lines).toContain("BRDA:26,36,0,-");
    expect(lines).toContain("DA:22,0");
  });
});
