/** `keyward mutate`: its forms, its endings, and the cases that it writes. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { sarifOf } from "../support/sarif/valid.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";
import { whileWatching } from "../support/watching.js";

const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - name: owner
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: R.attr.owner == P.id && R.attr.state == "open"
`;

const SUITE = `name: docs
keys:
  user: { id: u1, roles: [user] }
resources:
  own: { kind: doc, id: d1, attr: { owner: u1, state: open } }
defaults: { key: user, operation: read, resource: own }
cases:
  - name: own
    expect: allow
    reasons: [owner]
  - name: of another
    with: { resource: { owner: u2 } }
    expect: insufficient_permissions
    reasons: [not_granted]
`;

const FILES: Files = {
  "doc.yaml": POLICY,
  "keyward.yaml": "platform: none\nglobals: {}\nschemaEnforcement: none\ntypedReads: true\nlenientScopeSearch: false\n",
  "testdata/doc.decisions.yaml": SUITE,
};

const SURVIVING = {
  file: "doc.yaml",
  line: 12,
  column: 37,
  from: ' && R.attr.state == "open"',
  to: "",
  change: 'conjunct left out: R.attr.state == "open"',
};

test("text: each survivor with its case, and the totals; exit 4", async () => {
  await withFiles(FILES, async (directory) => {
    const { code, out, err } = await keyward(["mutate", directory]);
    expect(code).toBe(4);
    expect(out).toContain(`survivor doc.yaml:12:37 ${SURVIVING.change}\n`);
    expect(out).toContain(`${JSON.stringify(SURVIVING.from)} becomes ""\n`);
    expect(out).toContain("    cases:\n      - name: doc.yaml:12:37#1\n");
    const totals = /^\d+ mutants: \d+ killed, 0 equivalent, 1 survivor, 0 unproven; score 87.5 %$/m.exec(out);
    expect(err).toBe(`keyward mutate: ${totals?.[0]} (exit 4)\n`);
  });
});

test("json: the counts, and each mutant with its place", async () => {
  await withFiles(FILES, async (directory) => {
    const { code, out } = await keyward(["mutate", "--policies", directory, "--format", "json"]);
    const report = JSON.parse(out);
    expect(code).toBe(4);
    expect(report).toMatchObject({ equivalent: [], unproven: [], survivors: [SURVIVING] });
    expect(report.mutants).toBe(report.killed + report.survivors.length);
    expect(report.score).toBeCloseTo((100 * report.killed) / report.mutants);
    expect(report.kills).toHaveLength(report.killed);
    const [survivor] = report.survivors;
    expect(survivor).toMatchObject({ before: { outcome: "insufficient_permissions" }, after: { outcome: "allow" } });
    expect(survivor.suite).toContain("expect: insufficient_permissions");
    expect(JSON.stringify(report.kills)).toContain("testdata/doc.decisions.yaml:8:5 own");
  });
});

test("sarif and github: a result a survivor", async () => {
  await withFiles(FILES, async (directory) => {
    const { code, out } = await keyward(["mutate", directory, "--format", "sarif"]);
    const [result, ...others] = sarifOf(out).runs[0]?.results ?? [];
    expect([code, others, result?.ruleId, result?.level]).toEqual([4, [], "survivor", "error"]);
    expect(result?.locations?.[0]?.physicalLocation?.region).toMatchObject({ startLine: 12, startColumn: 37 });
    const github = await keyward(["mutate", directory, "--format", "github"]);
    expect(github.out).toMatch(/^::error .*line=12,col=37,title=keyward%3A survivor::no test and no claim notices/);
  });
});

test("--write: the cases are appended, and kill; exit 0", async () => {
  await withFiles(FILES, async (directory) => {
    const file = join(directory, "testdata/doc.decisions.yaml");
    expect((await keyward(["mutate", directory, "--write", file])).code).toBe(4);
    const written = readFileSync(file, "utf8");
    for (const line of SUITE.split("\n")) expect(written).toContain(line);
    const again = await keyward(["mutate", directory]);
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(again.out).toMatch(/^\d+ mutants: \d+ killed, 0 equivalent, 0 survivors, 0 unproven; score 100 %\n$/);
    expect((await keyward(["test", directory])).code).toBe(0);
  });
});

test("--write into a new file", async () => {
  await withFiles(FILES, async (directory) => {
    const file = join(directory, "testdata/more.decisions.json");
    await keyward(["mutate", directory, "--write", file]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      name: "Survivors",
      cases: [{ description: SURVIVING.change }],
    });
    expect((await keyward(["mutate", directory])).code).toBe(0);
  });
});

test("--min: a score that suffices; --no-solver, --total-time: 5 if no request is found", async () => {
  await withFiles(FILES, async (directory) => {
    expect(await keyward(["mutate", directory, "--min", "50"])).toMatchObject({ code: 0, err: "" });
    const policy = POLICY.replace(' && R.attr.state == "open"', " && R.attr.owner == P.id");
    writeFileSync(join(directory, "doc.yaml"), policy);
    expect((await keyward(["mutate", directory])).code).toBe(0);
    const { code, err } = await keyward(["mutate", directory, "--no-solver"]);
    expect(code).toBe(5);
    expect(err).toMatch(/unproven; score .* \(exit 5\)\n$/);
    const briefly = await keyward(["mutate", directory, "--total-time", "0.001", "--format", "json"]);
    const { unproven } = JSON.parse(briefly.out);
    expect(briefly.code).toBe(5);
    expect(unproven).not.toEqual([]);
    for (const { why } of unproven) expect(why).toContain("time limit for all questions (0.001 s)");
  });
});

test("--since: the mutants of changed lines alone", async () => {
  await withFiles(FILES, async (directory) => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "one");
    const none = await keyward(["mutate", ".", "--since", "HEAD", "--format", "json"], "", directory);
    expect(JSON.parse(none.out)).toMatchObject({ mutants: 0, score: 100 });
    writeFileSync(join(directory, "doc.yaml"), POLICY.replace('"open"', '"new"'));
    writeFileSync(join(directory, "testdata/doc.decisions.yaml"), SUITE.replace("state: open", "state: new"));
    const { out } = await keyward(["mutate", ".", "--since", "HEAD", "--format", "json"], "", directory);
    const { kills, survivors } = JSON.parse(out);
    expect(new Set([...kills, ...survivors].map(({ line }) => line))).toEqual(new Set([12]));
    const unknown = await keyward(["mutate", ".", "--since", "nowhere"], "", directory);
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toContain('--since: there is no revision "nowhere"');
  });
});

test("policies that a test or claim refuses, and slips", async () => {
  await withFiles(FILES, async (directory) => {
    const fails = (args: readonly string[]) => keyward(["mutate", directory, ...args]);
    expect((await fails(["--write", "a.yaml"])).err).toContain("--write takes a decision suite");
    expect((await fails(["--min", "101"])).err).toContain("--min must be a number from 0 to 100");
    expect((await fails(["--max", "0"])).err).toContain("--max must be a number of 1 or more");
    expect((await fails(["--format", "xml"])).code).toBe(2);
    writeFileSync(join(directory, "a.claims.yaml"), "claims:\n  - { claim: A., operations: [fly], never: allow }\n");
    expect(await fails([])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("a.claims.yaml:2") });
    writeFileSync(join(directory, "testdata/doc.decisions.yaml"), SUITE.replace("expect: allow", "expect: forbidden"));
    const { code, err } = await fails([]);
    expect([code, err]).toEqual([
      4,
      "keyward mutate: a test fails on the policies themselves: testdata/doc.decisions.yaml:8:5 own (exit 4)\n",
    ]);
    writeFileSync(join(directory, "doc.yaml"), "a: 1");
    expect((await fails([])).code).toBe(3);
  });
});

test("--watch: another run after a change, with progress on a terminal", async () => {
  let clock = 0;
  const now = vi.spyOn(performance, "now").mockImplementation(() => {
    clock += 200;
    return clock;
  });
  let err = "";
  const code = await whileWatching(
    "mutate",
    FILES,
    async (directory, next) => {
      expect(await next()).toContain("1 survivor,");
      expect(err.replaceAll("\u001b", "ESC")).toMatch(/\rESC\[K\d+ of \d+ mutants/);
      writeFileSync(
        join(directory, "testdata/more.decisions.yaml"),
        `${SUITE}  - { name: closed, with: { resource: { state: closed } }, expect: insufficient_permissions }\n`,
      );
      expect(await next()).toContain("0 survivors,");
    },
    {
      errIsTerminal: true,
      err: (text) => {
        err += text;
      },
    },
  );
  now.mockRestore();
  expect(code).toBe(0);
});

test("--watch: a change ends the run, and results of a part are not shown", async () => {
  let shown = "";
  const code = await whileWatching("mutate", FILES, async (directory, next) => {
    shown = await next();
    for (let i = 0; i < 3; i++) writeFileSync(join(directory, `testdata/${i}.decisions.yaml`), SUITE);
    expect(await next()).toBe(shown);
    writeFileSync(join(directory, "doc.yaml"), "a: [");
    expect(await next()).toBe("");
  });
  expect(code).toBe(3);
});

test.each(["--output", "--write"])("--watch does not go with %s", async (option) => {
  await withFiles(FILES, async (directory) => {
    const run = await keyward(["mutate", directory, "--watch", option, join(directory, "x.decisions.yaml")]);
    expect(run).toMatchObject({ code: 2, out: "", err: `keyward mutate: ${option} FILE does not go with --watch\n` });
  });
});
