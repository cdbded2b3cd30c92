import { truncateSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { SHIPPED_ROOT } from "../support/policies.js";
import { type Files, keyward, type Run, withFiles } from "../support/terminal.js";

const PERMISSION = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - name: reader
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: R.attr.open == true
`;
const PLATFORM = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - name: supported
      actions: [read]
      roles: [account]
      effect: EFFECT_ALLOW
`;
const GOOD = { "a.yaml": PERMISSION, "b.yaml": PLATFORM };

/**
 * `file:line:column severity code message`, with the hint in brackets; file paths start with the directory argument.
 */
const ISSUE =
  /^(?:DIR\/)?(?<file>.*):(?<line>\d+):(?<column>\d+) (?<severity>error|warning|note) (?<code>[a-z_]+) (?<message>.+)$/;

function check(files: Files, ...args: string[]): Promise<Run> {
  return withFiles(files, async (directory) => {
    const run = await keyward(["check", directory, ...args]);
    return { ...run, out: run.out.replaceAll(directory, "DIR"), err: run.err.replaceAll(directory, "DIR") };
  });
}

/** Expects every output line to be an issue, and returns their positions and codes. */
function places({ out }: Run): string[] {
  const lines = out.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => {
    const { groups } = ISSUE.exec(line) ?? {};
    expect(groups, line).toBeDefined();
    return `${groups?.file}:${groups?.line}:${groups?.column} ${groups?.code}`;
  });
}

describe("policies that are fine", () => {
  test("exit 0, and what was found on standard error", async () => {
    expect(await check(GOOD)).toEqual({ code: 0, out: "", err: "DIR: 2 policies, no errors\n" });
  });

  test("the shipped ones", async () => {
    const { code, out } = await keyward(["check", SHIPPED_ROOT]);
    expect([code, out]).toEqual([0, ""]);
  });

  test("warnings are shown, and the exit code is 0", async () => {
    const denial =
      "    - {actions: [read], roles: [account], effect: EFFECT_DENY, condition: {match: {expr: R.attr.x}}}\n";
    const run = await check({ ...GOOD, "b.yaml": PLATFORM + denial });
    expect([run.code, places(run)]).toEqual([0, ["b.yaml:10:7 unnamed_rules", "b.yaml:10:7 unnamed_denial"]]);
    expect(run.out).toContain("DIR/b.yaml:10:7 warning unnamed_denial platform DENY rule ");
    expect(run.err).toBe("DIR: 2 policies, no errors, 1 warning, 1 note\n");
  });

  test("files that look like policies and are not asked are warnings", async () => {
    const files = {
      ...GOOD,
      ".keyward.yaml": "title: Documents\n",
      "empty.yaml": "",
      "comments.yml": "---\n# later\n",
      ".a.yaml": PERMISSION,
      "old/a.yaml.bak": PERMISSION,
      "a.yaml~": PERMISSION,
      "testdata/.a.yaml": PERMISSION,
      ".git/a.yaml.bak": PERMISSION,
      "notes.txt": "",
    };
    const run = await check(files);
    const names = [".a.yaml", "a.yaml~", "comments.yml", "empty.yaml", "old/a.yaml.bak"];
    expect([run.code, places(run)]).toEqual([0, names.map((name) => `${name}:1:1 overlooked`)]);
    expect(run.out).toContain("DIR/.a.yaml:1:1 warning overlooked this file is not read");
    expect(run.out).toContain("DIR/empty.yaml:1:1 warning overlooked there is no policy in this file");
    expect((await check(files, "--max-warnings", "0")).code).toBe(4);
  });

  test("a last line without an end is a warning: the file may have been cut", async () => {
    const cut = { ...GOOD, "b.yaml": PLATFORM.trimEnd() };
    const run = await check(cut);
    expect([run.code, run.out]).toEqual([0, expect.stringContaining("DIR/b.yaml:1:1 warning cut the last line")]);
  });

  test("in JSON", async () => {
    const { code, out, err } = await check(GOOD, "--format", "json");
    expect([code, JSON.parse(out), err]).toEqual([0, { valid: true, issues: [] }, ""]);
  });
});

const long = (text: string) => text.repeat(20);

describe("policies that are not: exit 3, each issue with its place, no stack trace", () => {
  const anchor = (name: string, of: string) => `  ${name}: &${name} [${long(`*${of}, `)}]\n`;
  const bomb = `a: &a [x]\nb:\n${anchor("c", "a")}${anchor("d", "c")}${anchor("e", "d")}${anchor("f", "e")}${anchor("g", "f")}`;

  test.each<[string, Files, string[]]>([
    ["an empty directory", {}, ["DIR:1:1 no_policies"]],
    [
      "binary noise",
      { ...GOOD, "c.yaml": Uint8Array.from({ length: 4_096 }, (_, i) => (i * 197 + 131) % 256) },
      ["c.yaml:1:1 not_text"],
    ],
    [
      "a duplicate key",
      { ...GOOD, "c.yaml": PERMISSION.replace("doc\n", "page\n  resource: page\n") },
      ["c.yaml:4:3 duplicate_key"],
    ],
    [
      "two documents",
      { ...GOOD, "c.yaml": `${PERMISSION.replace("doc", "page")}---\n${PERMISSION.replace("doc", "leaf")}` },
      ["c.yaml:14:1 multiple_documents"],
    ],
    [
      "a cyclic variable",
      {
        ...GOOD,
        "a.yaml": PERMISSION.replace("  rules:", "  variables:\n    local:\n      x: V.y\n      y: V.x\n  rules:"),
      },
      ["a.yaml:7:7 cyclic_variable"],
    ],
    [
      "an unknown field",
      { ...GOOD, "a.yaml": PERMISSION.replace("effect:", "efect:") },
      ["a.yaml:6:7 shape", "a.yaml:9:7 shape"],
    ],
    [
      "an unknown effect",
      { ...GOOD, "a.yaml": PERMISSION.replace("EFFECT_ALLOW", "EFFECT_DENNY") },
      ["a.yaml:9:15 shape"],
    ],
    [
      "CEL that does not parse",
      { ...GOOD, "a.yaml": PERMISSION.replace("R.attr.open == true", "R.attr.open true") },
      ["a.yaml:12:29 expression"],
    ],
    [
      "CEL over several lines that does not parse",
      {
        ...GOOD,
        "a.yaml": PERMISSION.replace(
          "expr: R.attr.open == true",
          "expr: >-\n            R.attr.open &&\n            R.attr.x true",
        ),
      },
      ["a.yaml:14:22 expression"],
    ],
    [
      "CEL that calls what does not exist",
      { ...GOOD, "a.yaml": PERMISSION.replace("== true", "== sha1(R.id)") },
      ["a.yaml:12:32 unknown_function"],
    ],
    [
      "CEL that cannot have a type",
      { ...GOOD, "a.yaml": PERMISSION.replace("R.attr.open == true", "1 == 1.0") },
      ["a.yaml:12:19 expression_type"],
    ],
    ["a policy defined twice", { ...GOOD, "c.yaml": PERMISSION }, ["c.yaml:3:13 duplicate"]],
    [
      "a rule defined twice",
      { ...GOOD, "a.yaml": `${PERMISSION}    - {name: reader, actions: [x], roles: [y], effect: EFFECT_ALLOW}\n` },
      ["a.yaml:13:14 duplicate"],
    ],
    [
      "an import that is missing",
      { ...GOOD, "a.yaml": PERMISSION.replace("  rules:", "  variables: {import: [gone]}\n  rules:") },
      ["a.yaml:5:24 missing_import"],
    ],
    ["no platform policies", { "a.yaml": PERMISSION }, ["DIR:1:1 no_platform_policies"]],
    [
      "a platform policy that reads the key",
      { ...GOOD, "b.yaml": PLATFORM.replace("[account]", "[account, admin]") },
      ["b.yaml:8:24 platform_reads_key"],
    ],
    [
      "a version that is in no layer",
      { ...GOOD, "c.yaml": PLATFORM.replace("version: platform", "version: plattform") },
      ["c.yaml:4:12 no_layer"],
    ],
    ["JSON that is none", { ...GOOD, "c.json": '{"apiVersion": ' }, ["c.json:1:16 yaml"]],
    [
      "faults in several files, all at once",
      { "a.yaml": PERMISSION.replace("name:", "nam:"), "b.yaml": PLATFORM.replace("version:", "versions:") },
      ["a.yaml:6:7 shape", "b.yaml:3:3 shape", "b.yaml:4:3 shape"],
    ],
  ])("%s", async (_, files, expected) => {
    const run = await check(files);
    expect([run.code, run.err]).toEqual([3, ""]);
    expect(places(run)).toEqual(expected);
    expect(run.out).not.toMatch(/^\s+at /m);
  });

  test("an alias bomb", async () => {
    const run = await check({ ...GOOD, "c.yaml": bomb });
    expect(run.code).toBe(3);
    expect(places(run).join()).toMatch(/c\.yaml:\d+:\d+ too_large/);
    expect(run.out.length).toBeLessThan(2_000);
  });

  test("a file of 3 GB, which is not read", async () => {
    const run = await withFiles(GOOD, async (directory) => {
      await writeFile(`${directory}/c.yaml`, "");
      truncateSync(`${directory}/c.yaml`, 3 * 1024 ** 3);
      return keyward(["check", directory]);
    });
    // Node cannot read files over 2 GB: without the size check this would be an I/O error.
    expect([run.code, places(run)]).toEqual([3, [expect.stringMatching(/\/c\.yaml:1:1 too_large$/)]]);
  });

  test("a hint is given where one is obvious", async () => {
    const { out } = await check({ ...GOOD, "a.yaml": PERMISSION.replace("EFFECT_ALLOW", "EFFECT_ALOW") });
    expect(out).toMatch(/\(did you mean "EFFECT_ALLOW"\?\)\n$/);
  });

  test("in JSON, the same issues with their fields", async () => {
    const { code, out, err } = await check(
      { ...GOOD, "a.yaml": PERMISSION.replace("EFFECT_ALLOW", "EFFECT_ALOW") },
      "--format",
      "json",
    );
    expect([code, err]).toEqual([3, ""]);
    expect(JSON.parse(out)).toEqual({
      valid: false,
      issues: [
        {
          severity: "error",
          file: "a.yaml",
          line: 9,
          column: 15,
          code: "shape",
          message: expect.stringContaining("effect"),
          hint: 'did you mean "EFFECT_ALLOW"?',
        },
      ],
    });
  });

  test("decide refuses them as well, and decides nothing", async () => {
    await withFiles({ ...GOOD, "a.yaml": PERMISSION.replace("effect:", "efect:") }, async (directory) => {
      const { code, out, err } = await keyward(["decide", "--policies", directory], "{}");
      expect([code, out]).toEqual([3, ""]);
      const said = err.replaceAll(directory, "DIR");
      expect(places({ code, out: said, err: "" })).toEqual(["a.yaml:6:7 shape", "a.yaml:9:7 shape"]);
    });
  });
});

test("a version that is meant to be in no layer is named", async () => {
  const files = { ...GOOD, "c.yaml": PLATFORM.replace("platform", "v1"), "d.yaml": PLATFORM.replace("platform", "v2") };
  expect((await check(files, "--other-version", "v1")).code).toBe(3);
  const run = await check(files, "--other-version", "v1", "--other-version", "v2");
  expect([run.code, run.out]).toEqual([0, ""]);
});

describe("findings in policies that load", () => {
  const odd = PERMISSION.replace("R.attr.open == true", 'R.attr.state == \\"a\\" && R.attr.state == \\"b\\"').replace(
    /expr: (.*)/,
    'expr: "$1"',
  );

  test("are printed as issues are, by file, line and column", async () => {
    const run = await check({ ...GOOD, "a.yaml": odd });
    expect([run.code, places(run)]).toEqual([0, ["a.yaml:6:7 contradictory_condition"]]);
    expect(run.err).toBe("DIR: 2 policies, no errors, 1 warning, 0 notes\n");
  });

  test("in the other forms", async () => {
    const json = JSON.parse((await check({ ...GOOD, "a.yaml": odd }, "--format", "json")).out);
    const found = { severity: "warning", file: "a.yaml", line: 6, column: 7, code: "contradictory_condition" };
    expect(json).toMatchObject({ valid: true, issues: [found] });
    expect((await check({ ...GOOD, "a.yaml": odd }, "--format", "github")).out).toMatch(
      /^::warning line=6,col=7,title=keyward%3A contradictory_condition|^::warning .*title=keyward%3A contradictory_condition/,
    );
    const { runs } = JSON.parse((await check({ ...GOOD, "a.yaml": odd }, "--format", "sarif")).out);
    expect(runs[0].results).toMatchObject([{ ruleId: "contradictory_condition", level: "warning" }]);
  });

  test.each([
    [["--max-warnings", "0"], 4],
    [["--max-warnings", "1"], 0],
    [["--max-warnings", "0", "--format", "json"], 4],
    [[], 0],
  ])("%j", async (args, code) => {
    const run = await check({ ...GOOD, "a.yaml": odd }, ...args);
    expect(run.code).toBe(code);
    expect(run.err.includes("1 warning, and no more than 0 are accepted (--max-warnings) (exit 4)\n")).toBe(code === 4);
  });

  describe("a mistake in a prohibition is an error", () => {
    const schema = { "_schemas/doc.json": '{"properties": {"open": {"type": "boolean"}}}' };
    const withSchema = (text: string) =>
      text.replace("  rules:", '  schemas: { resourceSchema: { ref: "cerbos:///doc.json" } }\n  rules:');
    const denial = (action: string, expr: string) =>
      `    - { name: denied, actions: [${action}], roles: ["*"], effect: EFFECT_DENY, condition: { match: { expr: ${expr} } } }\n`;
    const [resource = ""] = /resource: (.*)/.exec(PERMISSION)?.slice(1) ?? [];

    test.each<[name: string, files: { readonly [path: string]: string }, found: readonly string[], code: number]>([
      [
        "an undeclared attribute in a DENY rule of the permission layer",
        { "a.yaml": withSchema(PERMISSION) + denial('"*"', "R.attr.opne == false"), ...schema },
        ["error undeclared_attribute"],
        4,
      ],
      [
        "an undeclared attribute in an ALLOW rule of the permission layer",
        { "a.yaml": withSchema(PERMISSION).replace("R.attr.open", "R.attr.opne"), ...schema },
        ["warning undeclared_attribute"],
        0,
      ],
      [
        "an unknown operation in a DENY rule",
        { "a.yaml": PERMISSION + denial("archive", "R.attr.open == false") },
        ["error unknown_operation"],
        4,
      ],
    ])("%s", async (_, files, found, code) => {
      expect(resource).toBe("doc");
      const run = await check({ ...GOOD, ...files });
      expect(
        run.out
          .split("\n")
          .slice(0, -1)
          .map((line) => line.split(" ").slice(1, 3).join(" ")),
      ).toEqual(found);
      expect(run.code).toBe(code);
      if (code === 4) expect(run.err).toContain("keyward check: 1 error (exit 4)\n");
    });
  });

  test("errors come before the number of warnings", async () => {
    const run = await check({ ...GOOD, "a.yaml": odd.replace("EFFECT_ALLOW", "ALLOW") }, "--max-warnings", "0");
    expect(run.code).toBe(3);
  });
});

test("paths are those that can be opened from where the command is run", async () => {
  const files = { "sets/one/a.yaml": "a: [", "sets/one/b.yaml": PLATFORM, "sets/one/none/.hidden": "" };
  await withFiles(files, async (directory) => {
    const given = relative(process.cwd(), join(directory, "sets/one"));
    for (const args of [
      ["check", given],
      ["decide", "--policies", given],
      ["lock", given],
      ["test", given],
      ["types", given],
      ["build", given, "--output", join(directory, "policies.mjs")],
      ["prove", given],
      ["review", given],
      ["diff", given, SHIPPED_ROOT],
      ["explain", "--policies", given],
      ["who", "read", "--policies", given],
      ["check-resources", "--policies", given],
    ]) {
      const { out, err } = await keyward(args, "{}");
      expect(`${out}${err}`).toContain(`${given}/a.yaml:1:5 error yaml `);
      expect(`${out}${err}`.replaceAll(given, "")).not.toContain(directory);
      // The same holds for a directory without policies, and for a missing directory.
      const empty = await keyward(
        args.map((arg) => (arg === given ? `${given}/none` : arg)),
        "{}",
      );
      expect(`${empty.out}${empty.err}`).toContain(`${given}/none:1:1 error no_policies `);
      const none = await keyward(
        args.map((arg) => (arg === given ? `${given}/nowhere` : arg)),
        "{}",
      );
      expect(none.err).toContain(`: there is no directory ${given}/nowhere\n`);
    }
  });
});

describe("bad usage: exit 2", () => {
  test.each<[string, string[]]>([
    ["warnings that are no number", [SHIPPED_ROOT, "--max-warnings", "few"]],
    ["a layer's version as another", [SHIPPED_ROOT, "--other-version", "platform"]],
    ["no directory", []],
    ["two directories", [SHIPPED_ROOT, SHIPPED_ROOT]],
    ["an unknown format", [SHIPPED_ROOT, "--format", "xml"]],
    ["an unknown option", [SHIPPED_ROOT, "--fix"]],
  ])("%s", async (_, args) => {
    const { code, out, err } = await keyward(["check", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^keyward check: [^\n]+\n$/);
  });
});
