/** `keyward test`. */

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { type Files, keyward, type Run, withFiles } from "../support/terminal.js";
import { whileWatching } from "../support/watching.js";
import { PERMISSION, PLATFORM, ROLES, suite } from "../testing/support.js";

const POLICIES: Files = { "doc.yaml": PERMISSION, "platform.yaml": PLATFORM, "roles.yaml": ROLES };
const PASSING = suite("{ name: reads, expect: allow }");
const FAILING = suite("{ name: reads, expect: allow }", "{ name: writes, operation: write, expect: allow }");

const CERBOS = `name: Cerbos suite
principals: { u: { id: u, roles: [user], attr: { owner: acme } } }
resources: { d: { kind: doc, id: d, attr: { owner: acme } }, e: { kind: doc, id: e, attr: { owner: "<other> & more" } } }
tests:
  - name: reads
    input: { principals: [u], resources: [d, e], actions: [read] }
    expected: [{ principal: u, resources: [d, e], actions: { read: EFFECT_ALLOW } }]
  - name: skipped
    skip: true
    skipReason: not "now"
    input: { principals: [u], resources: [d], actions: [read] }
    expected: [{ principal: u, resource: d, actions: { read: EFFECT_DENY } }]
  - name: clock
    input: { principals: [u], resources: [d], actions: [timed] }
    expected: [{ principal: u, resource: d, actions: { timed: EFFECT_ALLOW } }]
`;

function tested(files: Files, ...args: string[]): Promise<Run> {
  return withFiles(files, async (directory) => {
    const given = args.map((arg) => arg.replace("DIR", directory));
    const { code, out, err } = await keyward(["test", directory, ...given]);
    return { code, out: out.replaceAll(directory, "DIR"), err: err.replaceAll(directory, "DIR") };
  });
}

describe("exit codes", () => {
  test("0: every test passes", async () => {
    const { code, out, err } = await tested({ ...POLICIES, "testdata/a.decisions.yaml": PASSING });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe("Test results\n└──Suite (testdata/a.decisions.yaml) [1 OK]\n\n1 tests executed [1 OK]\n");
  });

  test("4: a suite cannot be read, and is counted apart from tests", async () => {
    const good = { ...POLICIES, "testdata/a.decisions.yaml": PASSING };
    const one = await tested({ ...good, "testdata/b.decisions.yaml": "cases: 1\n" });
    expect([one.code, one.err]).toEqual([4, "keyward test: 1 suite could not be run (exit 4)\n"]);
    expect(one.out).toMatch(/\n1 tests executed \[1 OK\], 1 suite not executed \[ERROR\]\n$/);
    const two = await tested({ ...good, "testdata/b.decisions.yaml": "cases: 1\n", "b_test.yaml": "tests: 1\n" });
    expect(two.out).toMatch(/\n1 tests executed \[1 OK\], 2 suites not executed \[ERROR\]\n$/);
    // In Cerbos's format, summaries equal Cerbos's.
    const json = await tested({ ...good, "b_test.yaml": "tests: 1\n" }, "--format", "json");
    expect(JSON.parse(json.out).summary).toEqual({
      overallResult: "RESULT_ERRORED",
      testsCount: 1,
      resultCounts: [{ result: "RESULT_PASSED", count: 1 }],
    });
  });

  test("2: there is no suite, unless that is fine", async () => {
    const { code, out, err } = await tested(POLICIES);
    expect([code, out, err]).toEqual([
      2,
      "Test results\n\n0 tests executed\n",
      "DIR: no test suites (*_test.yaml, *.decisions.yaml); --pass-with-no-tests if that is meant\n",
    ]);
    const json = await tested(POLICIES, "--format", "json", "--pass-with-no-tests");
    expect([json.code, JSON.parse(json.out), json.err]).toEqual([
      0,
      { summary: {} },
      "DIR: no test suites (*_test.yaml, *.decisions.yaml)\n",
    ]);
  });

  test.each([
    ["--filter", "nothing"],
    ["--filter", "action=delete"],
    ["--run", "^nothing$"],
  ])("2: no test is what %s asks for", async (option, value) => {
    for (const suite of [{ "testdata/a.decisions.yaml": PASSING }, { "a_test.yaml": CERBOS }]) {
      const { code, err } = await tested({ ...POLICIES, ...suite }, option, value, "--pass-with-no-tests");
      expect([code, err]).toEqual([2, "DIR: no test matches the filter\n"]);
    }
  });

  test("4: a suite cannot be run, and a filter leaves out all the others", async () => {
    const files = { ...POLICIES, "testdata/a.decisions.yaml": PASSING, "testdata/b.decisions.yaml": "- a" };
    expect((await tested(files, "--filter", "nothing")).code).toBe(4);
  });

  test("4: a test fails, or a suite cannot be run", async () => {
    expect((await tested({ ...POLICIES, "testdata/a.decisions.yaml": FAILING })).code).toBe(4);
    expect((await tested({ ...POLICIES, "testdata/a.decisions.yaml": "- a" })).code).toBe(4);
    expect((await tested({ ...POLICIES, "a_test.yaml": "- a" })).code).toBe(4);
  });

  test("3: the policies are invalid, or decision suites have no second layer", async () => {
    const invalid = await tested({ "a.yaml": "a: [", "testdata/a.decisions.yaml": PASSING });
    expect([invalid.code, invalid.out]).toEqual([3, ""]);
    expect(invalid.err).toMatch(/^DIR\/a\.yaml:1:\d+ error yaml /);
    const { "platform.yaml": _, ...permission } = POLICIES;
    const single = await tested({ ...permission, "testdata/a.decisions.yaml": PASSING });
    expect([single.code, single.err]).toEqual([3, expect.stringContaining("no_platform_policies")]);
    // Cerbos suites need no second layer.
    expect((await tested({ ...permission, "a_test.yaml": CERBOS }, "--filter", "skipped")).code).toBe(0);
  });

  test.each([
    [[], "keyward test: DIR is missing;"],
    [["--format", "xml"], "--format must be one of tree, list, json, junit"],
    [["--min-coverage", "101"], "--min-coverage must be a number from 0 to 100"],
    [["--min-coverage", ""], "--min-coverage must be a number"],
    [["--coverage", "html"], "--coverage must be one of text, json, lcov"],
    [["--coverage-file", "x"], "--coverage-file goes with --coverage"],
    [["--coverage", "lcov", "--format", "json"], "--coverage lcov beside --format json needs a --coverage-file"],
    [["--filter", "color=red"], 'invalid filter: unknown filter dimension "color"'],
    [["--filter", "test="], "invalid filter: a filter must contain at least one glob"],
    [["--run", "("], 'invalid filter: "(" is not a regular expression'],
    [["--unknown"], "unknown option --unknown"],
    [["--tests", "/nowhere/at/all"], "there is no directory /nowhere/at/all"],
    [["--coverage", "text", "--coverage-file", "/nowhere/at/all"], "cannot write /nowhere/at/all"],
  ])("2: %j", async (args, message) => {
    const { code, err } = args.length === 0 ? await keyward(["test"]) : await tested(POLICIES, ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("failures", () => {
  const FILES = { ...POLICIES, "testdata/a.decisions.yaml": FAILING, "a_test.yaml": CERBOS };

  test("as a tree, with the account of keyward explain", async () => {
    const { out } = await tested(FILES);
    const [above, account = "", below] = out.split(/(\n\n {8}insufficient_permissions: .*)(?=\n\n6 tests)/s);
    expect(account).toContain("\n        Permission layer (what the key may do): denies, not_granted\n");
    expect(account).toContain("\n          - key.attr.boss = true");
    expect(`${above}\n${below}`.replace("\n\n\n", "\n\n")).toBe(`Test results
├─┬Cerbos suite (a_test.yaml) [1 SKIPPED] [1 OK] [1 FAILED] [1 ERROR]
│ ├─┬reads
│ │ └─┬u
│ │   └─┬e
│ │     └─┬read [FAILED]
│ │       └──OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY
│ ├─┬skipped
│ │ └─┬u
│ │   └─┬d
│ │     └─┬read [SKIPPED]
│ │       └──not "now"
│ └─┬clock
│   └─┬u
│     └─┬d
│       └─┬timed [ERROR]
│         └──ERROR: a policy used a time-based condition, but \`now\` was not provided in the test options
└─┬Suite (testdata/a.decisions.yaml) [1 OK] [1 FAILED]
  └─┬writes
    └─┬user, write, doc, acme [FAILED]
      ├──EXPECTED: allow
      ├──ACTUAL: insufficient_permissions (not_granted)
      └──at testdata/a.decisions.yaml:12:5

6 tests executed [1 SKIPPED] [2 OK] [2 FAILED] [1 ERROR]
`);
  });

  test("into a file, and in the format that --output names, with a notice", async () => {
    const list = await tested(FILES, "--format", "list");
    const older = await tested(FILES, "--output", "list");
    expect(older).toEqual({
      ...list,
      err: `keyward test: --output list names a format; write --format list\n${list.err}`,
    });
    await withFiles(FILES, async (directory) => {
      const file = join(directory, "results.txt");
      const { code, out } = await keyward(["test", directory, "--format", "list", "--output", file]);
      expect([code, out, await readFile(file, "utf8")]).toEqual([list.code, "", list.out]);
      const watched = await keyward(["test", directory, "--output", file, "--watch"]);
      expect(watched).toMatchObject({ code: 2, err: "keyward test: --output FILE does not go with --watch\n" });
    });
  });

  test("as a list, with what passed", async () => {
    const { out } = await tested(FILES, "--format", "list", "--verbose", "--filter", "test=reads");
    expect(out).toBe(`Test results
Cerbos suite (a_test.yaml) [1 OK] [1 FAILED]
  reads
    u
      d
        read [OK]
          RESULT: EFFECT_ALLOW
      e
        read [FAILED]
          OUTCOME: expected: EFFECT_ALLOW, actual: EFFECT_DENY
Suite (testdata/a.decisions.yaml) [1 OK]
  reads
    user, read, doc, acme [OK]
      RESULT: allow (reader)

3 tests executed [2 OK] [1 FAILED]
`);
  });

  test("suites that cannot be run say why", async () => {
    const { out } = await tested({
      ...POLICIES,
      "a_test.yaml": "- a",
      "testdata/a.decisions.yaml": PASSING.replace("key: user", "key: usr"),
    });
    expect(out).toContain("└──failed to load test suite: 1:1 the document must be a mapping\n");
    expect(out).toContain(
      'testdata/a.decisions.yaml:9:18 error unknown_fixture there is no key "usr" among the fixtures (did you mean "user"?)',
    );
  });

  test("as JUnit: well-formed, with a case for each test", async () => {
    const { code, out } = await tested(FILES, "--format", "junit");
    expect(code).toBe(4);
    const elements = [...out.matchAll(/<testcase name="(.*?)" classname="(.*?)" file="(.*?)">/g)];
    expect(elements.map(([, ...parts]) => parts.join(" "))).toEqual([
      "reads u.d.read a_test.yaml",
      "reads u.e.read a_test.yaml",
      "skipped u.d.read a_test.yaml",
      "clock u.d.timed a_test.yaml",
      "reads user.read.doc.acme testdata/a.decisions.yaml",
      "writes user.write.doc.acme testdata/a.decisions.yaml",
    ]);
    expect(out).toContain('<testsuites tests="6" failures="2" errors="1" skipped="1">');
    expect(out).toContain('<skipped message="not &quot;now&quot;"/>');
    expect(out).toContain('<property name="operation" value="write"/>');
    expect(isBalanced(out)).toBe(true);
  });

  test("a malformed suite is an error in JUnit, and nothing in a name breaks the document", async () => {
    const named = PASSING.replace("name: reads", 'name: "]]> <a> & \\u0001 \\""');
    const files = {
      ...POLICIES,
      "testdata/a.decisions.yaml": named,
      "a_test.yaml": "- a",
      "b_test.yaml": "name: '&<'",
    };
    const { out } = await tested(files, "--format", "junit");
    expect(out).toContain(
      '<error type="RESULT_ERRORED">failed to load test suite:\n1:1 the document must be a mapping</error>',
    );
    expect(out).toContain('name="]]> &lt;a> &amp; \ufffd &quot;"');
    expect(isBalanced(out)).toBe(true);
  });
});

/** Whether every XML element is closed, and no text contains a raw `<`. */
function isBalanced(xml: string): boolean {
  const open: string[] = [];
  const tokens = xml
    .replace(/^<\?xml[^>]*\?>/, "")
    .matchAll(/<(\/?)([a-z]+)((?:\s[a-z]+="[^"<]*")*)\s*(\/?)>|[^<]+|</gi);
  for (const [token, closing, name = "", , empty] of tokens) {
    if (token === "<") return false;
    if (name === "" || empty === "/") continue;
    if (closing !== "/") open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}

describe("coverage", () => {
  const FILES = { ...POLICIES, "testdata/a.decisions.yaml": PASSING };

  test("as text, after the results", async () => {
    const { code, out } = await tested(FILES, "--coverage", "text");
    expect(code).toBe(0);
    expect(out).toContain("1 tests executed [1 OK]\nCoverage ");
    expect(out).toContain("doc.yaml:16:7 rule resource.doc.vdefault#writer: never reached\n");
  });

  test("--min-coverage fails below, and not at, what there is", async () => {
    const percent = Number(/Coverage ([\d.]+) %/.exec((await tested(FILES, "--coverage", "text")).out)?.[1]);
    expect(percent).toBeGreaterThan(10);
    expect((await tested(FILES, "--min-coverage", String(percent))).code).toBe(0);
    const { code, out, err } = await tested(FILES, "--min-coverage", String(percent + 0.1));
    expect([code, err]).toEqual([
      4,
      `keyward test: coverage is ${percent} %, less than --min-coverage ${percent + 0.1} (exit 4)\n`,
    ]);
    expect(out).not.toContain("Coverage");
    expect((await tested(POLICIES, "--min-coverage", "1")).code).toBe(4);
  });

  test("as JSON and lcov, in a file", async () => {
    await withFiles(FILES, async (directory) => {
      const file = join(directory, "out.info");
      await keyward(["test", directory, "--format", "json", "--coverage", "lcov", "--coverage-file", file]);
      expect(await readFile(file, "utf8")).toMatch(/^TN:\nSF:.*\/doc\.yaml\n/);
      const { out } = await keyward(["test", directory, "--coverage", "json", "--coverage-file", file]);
      expect(out).not.toContain("percent");
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ rules: { total: 5, covered: 2 } });
    });
  });

  test("the shipped policies: 100 %", async () => {
    const { code, out } = await keyward(["test", SHIPPED_ROOT, "--coverage", "text", "--min-coverage", "100"]);
    expect(code).toBe(0);
    expect(out).toContain("Coverage 100 %\n");
  });
});

test("suites elsewhere: --tests", async () => {
  await withFiles({ ...POLICIES }, async (directory) => {
    await withFiles({ "a.decisions.yaml": FAILING }, async (tests) => {
      const { code, out } = await keyward(["test", directory, "--tests", tests, "--format", "json"]);
      expect(code).toBe(4);
      expect(JSON.parse(out).decisionSuites[0].file).toBe("a.decisions.yaml");
    });
  });
});

test("colours, where there may be some, and the same words without", async () => {
  await withFiles({ ...POLICIES, "testdata/a.decisions.yaml": FAILING }, async (directory) => {
    let out = "";
    const streams = { stdin: (async function* () {})(), out: (text: string) => (out += text), err: () => {} };
    await run(["test", directory], { ...streams, colors: true });
    const painted = out;
    out = "";
    await run(["test", directory], streams);
    expect(painted).not.toBe(out);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for.
    expect(painted.replace(/\x1b\[[\d;]*m/g, "")).toBe(out);
  });
});

describe("--watch", () => {
  const watching = (files: Files, use: (directory: string, next: () => Promise<string>) => Promise<void>) =>
    whileWatching("test", files, use);

  test("runs again when a policy, a suite or a fixture changes, and clears nothing", async () => {
    const code = await watching({ ...POLICIES, "testdata/a.decisions.yaml": PASSING }, async (directory, next) => {
      expect(await next()).toContain("[1 OK]");
      await writeFile(join(directory, "testdata/a.decisions.yaml"), FAILING);
      expect(await next()).toContain("[1 FAILED]");
      await writeFile(join(directory, "doc.yaml"), PERMISSION.replace("V.same_owner }", '"false" }'));
      expect(await next()).toContain("2 tests executed [2 FAILED]");
      await mkdir(join(directory, "more"));
      await writeFile(join(directory, "more/b.decisions.yaml"), PASSING);
      expect(await next()).toContain("3 tests executed");
      await rm(join(directory, "more"), { recursive: true });
      const last = await next();
      expect(last).toContain("2 tests executed");
      expect(last).not.toContain("\x1b");
    });
    expect(code).toBe(4);
  });

  test("goes on after policies that cannot be loaded", async () => {
    const code = await watching({ ...POLICIES, "testdata/a.decisions.yaml": PASSING }, async (directory, next) => {
      await next();
      await writeFile(join(directory, "doc.yaml"), "a: [");
      expect(await next()).toBe("");
      await writeFile(join(directory, "doc.yaml"), PERMISSION);
      expect(await next()).toContain("[1 OK]");
    });
    expect(code).toBe(0);
  });
});
