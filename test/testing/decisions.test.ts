import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import {
  type DecisionSuiteDocument,
  hasFailures,
  parseFilter,
  runSuites,
  type TestFilter,
  testResults,
} from "../../src/testing/index.js";
import { shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { FIXTURES, files, POLICIES, run, suite } from "./support.js";

const PATH = "testdata/a.decisions.yaml";

/** `case key operation resource account result` of each test. */
function results(text: string, filter?: TestFilter): readonly string[] {
  const [first] = run({ [PATH]: text }, filter === undefined ? {} : { filter }).decisionSuites;
  expect(first?.issues).toEqual([]);
  return (first?.tests ?? []).map((each) =>
    [each.case, each.key, each.operation, each.resource, each.account, each.result.replace("RESULT_", "")].join(" "),
  );
}

/** The issues of a suite, as `line:column code message (hint)`. */
function issues(text: string, more: { readonly [path: string]: string } = {}): readonly string[] {
  const report = run({ [PATH]: text, ...more });
  const [first] = report.decisionSuites;
  expect(first?.tests).toEqual([]);
  expect(report.summary.overallResult).toBe("RESULT_ERRORED");
  expect(hasFailures(report)).toBe(true);
  return (first?.issues ?? []).map(
    ({ file, line, column, code, message, hint }) =>
      `${file === PATH ? "" : `${file}:`}${line}:${column} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`,
  );
}

describe("expectations", () => {
  test("outcomes", () => {
    const text = suite(
      "{ name: reads, expect: allow }",
      "{ name: writes, operation: write, expect: insufficient_permissions }",
      "{ name: frozen, operation: write, key: boss, with: { account: { frozen: true } }, expect: forbidden }",
      "{ name: unlisted, operation: burn, expect: forbidden }",
      "{ name: unknown, operation: burn, expect: forbidden, fault: unknown_operation }",
      "{ name: known, operation: write, expect: insufficient_permissions, fault: unknown_operation }",
      "{ name: erring, operation: write, without: { account: [frozen] }, expect: forbidden }",
      "{ name: err, operation: write, without: { account: [frozen] }, expect: forbidden, fault: evaluation }",
      "{ name: wrong, operation: write, expect: allow }",
    );
    expect(results(text)).toEqual([
      "reads user read doc acme PASSED",
      "writes user write doc acme PASSED",
      "frozen boss write doc acme PASSED",
      "unlisted user burn doc acme FAILED",
      "unknown user burn doc acme PASSED",
      "known user write doc acme FAILED",
      "erring user write doc acme PASSED",
      "err user write doc acme PASSED",
      "wrong user write doc acme FAILED",
    ]);
  });

  test.each([
    ["reasons: [frozen]", true],
    ["reasons: []", false],
    ["reasons: [frozen, other]", false],
    ["reasonsInclude: [frozen]", true],
    ["reasonsInclude: [other]", false],
    ["reasons: [frozen, frozen], reasonsInclude: [frozen]", true],
  ])("%s: %s", (reasons, passes) => {
    const text = suite(
      `{ name: a, operation: write, with: { account: { frozen: true } }, expect: forbidden, ${reasons} }`,
    );
    expect(results(text)).toEqual([`a user write doc acme ${passes ? "PASSED" : "FAILED"}`]);
  });

  test("of several reasons, in any order", () => {
    const both = POLICIES.map(({ path, text }) =>
      path !== "platform.yaml"
        ? { path, text }
        : { path, text: `${text}${text.slice(text.indexOf("    - name: frozen")).replaceAll("frozen", "solid")}` },
    );
    const given = suite(
      "{ name: a, operation: write, with: { account: { frozen: true } }, expect: forbidden, reasons: [solid, frozen] }",
      "{ name: b, operation: write, with: { account: { frozen: true } }, expect: forbidden, reasons: [solid] }",
    );
    const [first] = run({ [PATH]: given }, {}, both).decisionSuites;
    expect(first?.tests.map(({ result }) => result)).toEqual(["RESULT_PASSED", "RESULT_FAILED"]);
  });

  test("a failure has what was decided, and where the case stands", () => {
    const [first] = run({
      [PATH]: suite("{ name: a, operation: write, expect: allow, reasons: [writer] }"),
    }).decisionSuites;
    const [failed] = first?.tests ?? [];
    expect(failed).toMatchObject({
      at: { file: PATH, line: 11, column: 5 },
      expected: { outcome: "allow", reasons: ["writer"] },
      actual: { outcome: "insufficient_permissions", reasons: [{ kind: "default", reason: "not_granted" }] },
      failure: {
        request: { key: { id: "user", roles: ["user"] }, operation: "write", account: { id: "acme" } },
        decision: { outcome: "insufficient_permissions", platform: { effect: "allow" } },
      },
    });
    expect(
      JSON.parse(JSON.stringify(testResults(run({ [PATH]: suite("{ name: a, expect: forbidden }") })))),
    ).toMatchObject({
      summary: { overallResult: "RESULT_FAILED", testsCount: 1, resultCounts: [{ result: "RESULT_FAILED", count: 1 }] },
      decisionSuites: [{ file: PATH, name: "Suite", tests: [{ case: "a", result: "RESULT_FAILED" }] }],
    });
  });

  test("the time is the suite's to give", () => {
    const text = suite(
      "{ name: none, operation: timed, expect: insufficient_permissions, reasons: [timed] }",
      "{ name: early, operation: timed, now: 2025-12-31T23:59:59Z, expect: insufficient_permissions, reasons: [not_granted] }",
      "{ name: late, operation: timed, now: 2026-01-01T01:00:00.001+01:00, expect: allow }",
    );
    expect(results(text).filter((line) => !line.endsWith("PASSED"))).toEqual([]);
    const always = text.replace("operation: read }", "operation: read, now: 2027-01-01T00:00:00Z }");
    expect(results(always)[0]).toContain("FAILED");
  });
});

describe("combinations", () => {
  test("lists are multiplied", () => {
    const text = suite("{ name: m, keys: [user, boss], operations: [read, write], expect: allow }");
    expect(results(text)).toEqual([
      "m user read doc acme PASSED",
      "m user write doc acme FAILED",
      "m boss read doc acme PASSED",
      "m boss write doc acme PASSED",
    ]);
  });

  test("a table has an outcome for each operation and key", () => {
    const text = suite(
      "{ name: t, table: { read: { user: allow, boss: allow }, write: { user: insufficient_permissions, boss: forbidden } } }",
    );
    expect(results(text)).toEqual([
      "t user read doc acme PASSED",
      "t boss read doc acme PASSED",
      "t user write doc acme PASSED",
      "t boss write doc acme FAILED",
    ]);
  });

  test("skipped, as a case and as a whole", () => {
    const text = suite("{ name: a, skip: true, skipReason: later, expect: forbidden }", "{ name: b, expect: allow }");
    expect(results(text)).toEqual(["a user read doc acme SKIPPED", "b user read doc acme PASSED"]);
    const { decisionSuites, summary } = run({ [PATH]: `skip: true\nskipReason: all of it\n${text}` });
    expect(decisionSuites[0]).toMatchObject({ skipReason: "all of it", tests: [] });
    expect(summary).toEqual({ overallResult: "RESULT_SKIPPED" });
  });

  test.each([
    ["principal=boss", ["m boss write doc acme PASSED"]],
    ["action=read", []],
    ["suite=S*;test=m;resource=d*c", ["m user write doc acme FAILED", "m boss write doc acme PASSED"]],
    ["SUIT", ["m user write doc acme FAILED", "m boss write doc acme PASSED"]],
    ["nothing of it", []],
  ])("filter %s", (filter, expected) => {
    const parsed = parseFilter([filter]);
    if (isLeft(parsed)) throw new Error(parsed.left);
    const text = suite("{ name: m, keys: [user, boss], operation: write, expect: allow }");
    expect(results(text, parsed.right).filter((line) => !line.endsWith("SKIPPED"))).toEqual(expected);
  });
});

describe("fixtures", () => {
  /** The request of the only test case. */
  function request(text: string, more: { readonly [path: string]: string } = {}) {
    const [first] = run({ [PATH]: text, ...more }).decisionSuites;
    expect(first?.issues).toEqual([]);
    return first?.tests[0]?.failure?.request;
  }

  test("extend each other: objects are merged, lists replaced, attributes left out", () => {
    const text = `name: S
keys:
  c: { extends: b, without: [gone, deep.less] }
  b: { extends: a, roles: [y], attr: { list: [3], deep: { more: 2 } } }
  a: { roles: [x], attr: { list: [1, 2], deep: { less: 1, kept: 0 }, gone: 1 }, scope: s }
accounts: { d: {} }
resources: { e: { kind: doc }, f: { extends: e, id: other } }
cases:
  - { name: n, key: c, account: d, resource: f, operation: read, expect: allow }
`;
    expect(JSON.parse(JSON.stringify(request(text)))).toEqual({
      key: { id: "c", roles: ["y"], attr: { list: [3], deep: { kept: 0, more: 2 } }, scope: "s" },
      operation: "read",
      resource: { kind: "doc", id: "other", attr: {} },
      account: { id: "d", attr: {} },
    });
  });

  test("go by their own names, unless an id is written, in one that they extend perhaps", () => {
    const ids = (keys: string) =>
      request(`name: S
keys: ${keys}
accounts: { d: {} }
resources: { e: { kind: doc } }
cases:
  - { name: n, key: c, account: d, resource: e, operation: read, expect: allow }
`)?.key.id;
    const roles = "roles: [x]";
    expect(ids(`{ a: { ${roles} }, b: { extends: a }, c: { extends: b } }`)).toBe("c");
    expect(ids(`{ a: { ${roles}, id: key_a }, b: { extends: a }, c: { extends: b } }`)).toBe("key_a");
    expect(ids(`{ a: { ${roles}, id: key_a }, b: { extends: a, id: key_b }, c: { extends: b } }`)).toBe("key_b");
    expect(ids(`{ a: { ${roles}, id: key_a }, c: { extends: a, id: key_c } }`)).toBe("key_c");
  });

  test("are changed by a case, for that case alone", () => {
    const text = suite(
      "{ name: a, with: { account: { limits: { docs: 6 } } }, without: { key: [owner], account: [limits.keys] }, expect: forbidden }",
      "{ name: b, expect: forbidden }",
    );
    const [first] = run({ [PATH]: text }).decisionSuites;
    const [a, b] = (first?.tests ?? []).map(({ failure }) => failure?.request);
    expect(a?.account?.attr).toEqual({ frozen: false, limits: { docs: 6 } });
    expect(a?.key.attr).toEqual({ boss: false, level: 1 });
    expect(b?.account?.attr).toEqual({ frozen: false, limits: { docs: 5, keys: 6 } });
    expect(b?.key.attr).toEqual({ owner: "acme", boss: false, level: 1 });
  });

  test("are shared by files, by their path from the suite", () => {
    const body =
      "cases:\n  - { name: a, key: user, operation: read, resource: doc, account: acme, expect: forbidden }\n";
    const shared = { "testdata/shared.fixtures.yaml": FIXTURES };
    expect(request(`name: S\nfixtures: [shared.fixtures.yaml]\n${body}`, shared)?.key.id).toBe("user");
    const deeper = run({
      "testdata/x/y.decisions.yaml": `name: S\nfixtures: [../shared.fixtures.yaml]\n${body}`,
      ...shared,
    });
    expect(deeper.summary.overallResult).toBe("RESULT_FAILED");
  });

  test("`__proto__` is a name like another", () => {
    const text = suite("{ name: a, with: { key: { __proto__: { owner: evil } } }, expect: forbidden }");
    const attr = request(text)?.key.attr ?? {};
    expect(Object.keys(attr)).toContain("__proto__");
    expect(Object.hasOwn(Object.prototype, "owner")).toBe(false);
  });
});

describe("what is wrong with a suite", () => {
  test.each([
    [
      "an unknown key, with a hint",
      "{ name: a, key: usr, expect: allow }",
      '11:21 unknown_fixture there is no key "usr" among the fixtures (did you mean "user"?)',
    ],
    [
      "in a list",
      "{ name: a, accounts: [acme, nope], expect: allow }",
      '11:33 unknown_fixture there is no account "nope" among the fixtures',
    ],
    [
      "in a table",
      "{ name: a, table: { read: { bos: allow } } }",
      '11:33 unknown_fixture there is no key "bos" among the fixtures (did you mean "boss"?)',
    ],
    [
      "an outcome",
      "{ name: a, expect: alow }",
      '11:24 shape "expect" must be one of allow, insufficient_permissions, forbidden (did you mean "allow"?)',
    ],
    ["no outcome", "{ name: a }", '11:5 shape the field "expect" is missing'],
    ["a field", "{ name: a, expct: allow }", '11:16 shape unknown field "expct" (did you mean "expect"?)'],
    [
      "one and many",
      "{ name: a, key: user, keys: [boss], expect: allow }",
      '11:21 shape "key" and "keys" cannot both be there',
    ],
    [
      "a table and an outcome",
      "{ name: a, expect: allow, table: { read: { user: allow } } }",
      '11:16 shape a case with a table has no "expect"',
    ],
    ["a time", "{ name: a, now: noon, expect: allow }", '11:21 shape "now" must be an RFC 3339 timestamp'],
    [
      "an attribute to leave out",
      "{ name: a, without: { key: [ownr] }, expect: allow }",
      '11:33 shape there is no attribute "ownr" to leave out (did you mean "owner"?)',
    ],
    ["an empty table", "{ name: a, table: {} }", '11:23 shape "table" must have an operation'],
    ["an empty row", "{ name: a, table: { read: {} } }", '11:31 shape "read" must have a key'],
    ["an empty list", "{ name: a, keys: [], expect: allow }", '11:22 shape "keys" must not be empty'],
  ])("%s", (_, text, issue) => {
    expect(issues(suite(text))).toEqual([issue]);
  });

  test("a name twice", () => {
    expect(issues(suite("{ name: a, expect: allow }", "{ name: a, expect: allow }"))).toEqual([
      '12:13 duplicate the case "a" is defined twice: first in line 11',
    ]);
  });

  test("more tests than anyone means", () => {
    const many = Array.from({ length: 1001 }, (_, i) => `k${i}`);
    const keys = many.map((name) => `  ${name}: { extends: user }\n`).join("");
    const text = suite(
      `{ name: a, keys: [${many}], operations: [${many}], expect: allow }`,
      "{ name: b, expect: allow }",
    ).replace("accounts:", `${keys}accounts:`);
    expect(issues(text)[0]).toBe("1012:5 too_large with this case, more than 1000000 tests");
  });

  test("everything at once", () => {
    const text = suite("{ name: a, key: x, expect: allow }", "{ name: b, resource: y, now: z, expect: allow }");
    expect(issues(text)).toHaveLength(3);
  });

  test("fixtures that extend what is not there, or themselves, or lack what they need", () => {
    const text = `name: S
keys:
  a: { extends: b, roles: [x] }
  b: { extends: a }
  c: { extends: nowhere, roles: [x] }
  d: { attr: {} }
resources:
  r: { attr: {} }
accounts: { acc: {} }
cases: [{ name: n, key: a, account: acc, resource: r, operation: o, expect: allow }]
`;
    expect(issues(text)).toEqual([
      '3:17 shape the key "a" extends itself',
      '4:17 shape the key "b" extends itself',
      '5:17 unknown_fixture there is no key "nowhere" among the fixtures',
      '6:6 shape the field "roles" is missing',
      '8:6 shape the field "kind" is missing',
    ]);
  });

  test("a fixture file that is not there, or leads out, or is wrong", () => {
    const missing = suite("{ name: a, expect: allow }").replace("keys:", "fixtures: [share.yaml, ../../x.yaml]\nkeys:");
    expect(issues(missing, { "testdata/shared.yaml": FIXTURES })).toEqual([
      '2:12 missing_import there is no file testdata/share.yaml: fixture files lie in a testdata directory of the suites (did you mean "testdata/shared.yaml"?)',
      "2:24 missing_import there is no file ../../x.yaml: fixture files lie in a testdata directory of the suites",
    ]);
    const wrong = suite("{ name: a, expect: allow }").replace("keys:", "fixtures: [shared.yaml]\nkeys:");
    expect(issues(wrong, { "testdata/shared.yaml": "keys: []\n" })).toEqual([
      'testdata/shared.yaml:1:7 shape "keys" must be a mapping',
    ]);
    expect(issues(wrong, { "testdata/shared.yaml": FIXTURES })).toContain(
      'testdata/shared.yaml:2:3 duplicate the key "user" is defined twice: first in testdata/a.decisions.yaml, line 4',
    );
  });

  test.each([
    ["", "1:1 shape the file is empty: it must be a decision suite"],
    ["- a", "1:1 shape a decision suite must be a mapping"],
    [
      "name: [",
      "1:8 yaml Flow sequence in block collection must be sufficiently indented and end with a ] (close the bracket, and indent its content)",
    ],
    ["name: a", '1:1 shape the field "cases" is missing'],
  ])("the file %j", (text, issue) => {
    expect(issues(text)).toEqual([issue]);
  });

  test("does not keep other suites from running", () => {
    const report = run({ [PATH]: "- a", "testdata/b.decisions.yaml": suite("{ name: a, expect: allow }") });
    expect(report.decisionSuites.map(({ summary }) => summary.overallResult)).toEqual([
      "RESULT_ERRORED",
      "RESULT_PASSED",
    ]);
  });
});

test("decision suites need both layers; Cerbos suites do not", () => {
  const permission = POLICIES.filter(({ path }) => path !== "platform.yaml");
  const refused = runSuites(permission, files({ [PATH]: suite("{ name: a, expect: allow }") }));
  expect(isLeft(refused) && refused.left.map(({ code }) => code)).toEqual(["no_platform_policies"]);
  expect(isLeft(runSuites(permission, files({})))).toBe(false);
});

test("a suite that is written in TypeScript runs as its JSON", () => {
  const suite: DecisionSuiteDocument = {
    name: "typed",
    keys: { admin: { roles: ["admin"], attr: ask("apis.getApi").key.attr ?? {} } },
    accounts: { owner: { id: ask("apis.getApi").account.id, attr: ask("apis.getApi").account.attr ?? {} } },
    resources: { api: { kind: "api", attr: ask("apis.getApi").resource.attr ?? {} } },
    cases: [
      { name: "reads", key: "admin", operation: "apis.getApi", resource: "api", account: "owner", expect: "allow" },
      {
        name: "is full",
        key: "admin",
        operation: "keys.createKey",
        resource: "api",
        account: "owner",
        with: { account: { usage: { apis: 1, keys: 1_000_000 } } },
        expect: "forbidden",
        reasons: ["quota_exceeded"],
      },
    ],
  };
  const report = runSuites(shippedFiles, new Map([["typed.decisions.yaml", JSON.stringify(suite)]]));
  expect(report).toMatchObject({ right: { summary: { overallResult: "RESULT_PASSED" } } });
});
