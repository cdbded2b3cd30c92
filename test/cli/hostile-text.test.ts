/** Text from policies and requests is printed as plain text, never as a command to a terminal or a CI system. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonText, printable, visibleJson } from "../../src/policy/escape.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

/** A text with every control sequence and workflow command that a terminal or a CI system would obey. */
const BAD =
  "::error::a\n::error file=x::b\r\n  ::stop-commands::c ##[error]d ##vso[task.complete]e ##VSO[f]g \u001b[2J\u009b31m\u202eh\u2028i\u0007";

/** The same text without brackets, which a resource kind cannot have. */
const KIND = BAD.replaceAll(/[[\]]/g, "");

/** JSON in ASCII: some characters are not allowed in a policy file. */
const ascii = (value: unknown) =>
  JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const policy = (version: string, body: object) =>
  ascii({ apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource: KIND, version, ...body } });

const rule = (more: object) => ({
  name: "named",
  actions: [BAD],
  roles: [BAD],
  effect: "EFFECT_ALLOW",
  ...more,
});
const condition = { match: { expr: `R.attr.x == ${ascii(BAD)} && R.attr[${ascii(BAD)}] == 1` } };

const FILES: Files = {
  "a.json": policy("default", { rules: [rule({ condition })] }),
  "p.json": policy("platform", {
    rules: [
      rule({ roles: ["account"] }),
      rule({
        name: "no",
        roles: ["account"],
        effect: "EFFECT_DENY",
        condition: { match: { expr: `R.attr.y == ${ascii(BAD)}` } },
        output: { when: { ruleActivated: ascii(BAD) } },
      }),
    ],
  }),
  "a_test.json": ascii({
    name: BAD,
    principals: { [BAD]: { id: BAD, roles: [BAD], attr: {} } },
    resources: { [BAD]: { id: BAD, kind: KIND, attr: { x: BAD } } },
    tests: [
      {
        name: BAD,
        input: { principals: [BAD], resources: [BAD], actions: [BAD] },
        expected: [{ principal: BAD, resource: BAD, actions: { [BAD]: "EFFECT_ALLOW" } }],
      },
    ],
  }),
  "a.decisions.json": ascii({
    name: BAD,
    keys: { [BAD]: { id: BAD, roles: [BAD], attr: {} } },
    resources: { [BAD]: { kind: KIND, id: BAD, attr: { x: BAD } } },
    accounts: { [BAD]: { id: BAD, attr: {} } },
    cases: [{ name: BAD, key: BAD, operation: BAD, resource: BAD, account: BAD, expect: "allow", reasons: [BAD] }],
  }),
  "a.claims.json": ascii({ claims: [{ claim: BAD, assume: `resource.attr.x == ${ascii(BAD)}`, never: "allow" }] }),
};

/** The same text, with a fault that quotes it in its message. */
const FAULTY: Files = {
  ...FILES,
  [`::error ::${BAD.replaceAll("\n", " ")}.json`]: policy("default", { [BAD]: 1, rules: [] }),
};

const REQUEST = JSON.stringify({
  key: { id: BAD, roles: [BAD], attr: {} },
  operation: BAD,
  resource: { kind: KIND, id: BAD, attr: { x: BAD, [BAD]: 1 } },
  account: { id: BAD, attr: {} },
});
const CHECK = JSON.stringify({
  requestId: BAD,
  principal: { id: BAD, roles: [BAD], attr: {} },
  resources: [{ actions: [BAD], resource: { id: BAD, kind: KIND, attr: { x: BAD } } }],
});

const PLAN = JSON.stringify({
  requestId: BAD,
  includeMeta: true,
  principal: { id: BAD, roles: [BAD], attr: {} },
  resource: { kind: KIND, attr: { x: BAD } },
  actions: [BAD],
});

/** The parts of a text that a terminal or a CI system would obey: control characters, and lines that are commands. */
function obeyed(text: string): readonly string[] {
  return text.match(/[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]|^[^\S\n]*::.*$|##\[|##vso\[/gimu) ?? [];
}

const COMMANDS: readonly (readonly [string, readonly string[], string])[] = [
  ...["text", "json", "sarif", "github"].map((format) => ["check", ["check", "DIR", "--format", format], ""] as const),
  ...["tree", "list", "json", "junit", "sarif", "github"].flatMap((output) => [
    ["test", ["test", "DIR", "--output", output, "--verbose"], ""] as const,
  ]),
  ...["text", "json", "lcov"].map((form) => ["coverage", ["test", "DIR", "--coverage", form], ""] as const),
  ...["text", "json", "sarif", "github"].flatMap((output) => [
    ["diff", ["diff", "DIR", "OTHER", "--reasons", "--format", output], ""] as const,
    ["diff back", ["diff", "OTHER", "DIR", "--reasons", "--format", output], ""] as const,
  ]),
  ...["html", "json", "markdown"].map((format) => ["review", ["review", "DIR", "--format", format], ""] as const),
  ...["html", "json", "markdown"].flatMap((format) => [
    ["change", ["review", "DIR", "--against", "OTHER", "--no-solver", "--format", format], ""] as const,
    ["change back", ["review", "OTHER", "--against", "DIR", "--no-solver", "--format", format], ""] as const,
  ]),
  ["evidence", ["review", "DIR", "--against", "OTHER", "--no-solver", "--format", "json", "--evidence", "FILE"], ""],
  ...["text", "json"].map((format) => ["prove", ["prove", "DIR", "--no-solver", "--format", format], ""] as const),
  ["decide", ["decide", "--policies", "DIR"], REQUEST],
  ["invalid", ["decide", "--policies", "DIR"], `{"${"\\u001b"}::error::":1}\n{"a":1,"a":2}`],
  ["explain", ["explain", "--policies", "DIR"], REQUEST],
  ["explain", ["explain", "--policies", "DIR", "--format", "json"], REQUEST],
  ["explain", ["explain", "--policies", "DIR"], JSON.stringify({ [BAD]: 1 })],
  ["check-resources", ["check-resources", "--policies", "DIR"], CHECK],
  ["plan-resources", ["plan-resources", "--policies", "DIR"], PLAN],
  ["a command", [BAD], ""],
  ["an option", ["check", `--${BAD}`], ""],
  ["a file", ["decide", "--policies", "DIR", "--input", `/nowhere/${BAD}`], ""],
];

/** Annotations that `keyward` itself writes for GitHub's runner: one line for each finding. */
const ANNOTATION = /^::(error|warning|notice) [^\n]*\n/gm;

describe.each([
  ["policies that are valid", FILES],
  ["policies that are not", FAULTY],
])("%s", (_, files) => {
  test.each(COMMANDS)("%s %j", async (_name, args, input) => {
    const { "a_test.json": suite, "a.json": permissions, ...rest } = files;
    const other = {
      ...rest,
      "a.json": String(permissions).replace("EFFECT_ALLOW", "EFFECT_DENY"),
      "a_test.json": suite ?? "",
    };
    await withFiles(files, (directory) =>
      withFiles(other, async (changed) => {
        const file = join(changed, "written");
        const places = new Map([
          ["DIR", directory],
          ["OTHER", changed],
          ["FILE", file],
        ]);
        const { out: printed, err } = await keyward(
          args.map((arg) => places.get(arg) ?? arg),
          input,
        );
        const written = args.includes("FILE") ? await readFile(file, "utf8").catch(() => "") : "";
        const out = printed + written;
        // The file is written unless the policies are faulty, and its text is checked like the printed text.
        if (args.includes("FILE")) expect(written === "").toBe(files === FAULTY);
        const isGithub = args.includes("github");
        const said = isGithub ? out.replace(ANNOTATION, "") : out;
        if (isGithub) expect(said).toBe("");
        expect(out + err).not.toBe("");
        expect(obeyed(said)).toEqual([]);
        expect(obeyed(err)).toEqual([]);
        // Annotations contain no terminal control characters either.
        expect(out).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });
});

test("what is not valid is refused: a file counts whatever its name", async () => {
  await withFiles(FAULTY, async (directory) => {
    expect((await keyward(["check", directory])).code).toBe(3);
  });
});

test("the policies are valid, and their tests run", async () => {
  await withFiles(FILES, async (directory) => {
    expect(
      (await keyward(["check", directory])).out.split("\n").filter((line) => !/:\d+ (warning|note) /.test(line)),
    ).toEqual([""]);
    const { out } = await keyward(["test", directory, "--format", "json", "--verbose"]);
    expect(JSON.parse(out).summary.testsCount).toBe(2);
  });
});

test("JSON that is printed says what it said", () => {
  const value = { [BAD]: [BAD, "\u{e0001}", "####[", 1, null] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  expect(obeyed(jsonText(value))).toEqual([]);
  expect(visibleJson('"###[error]"')).toBe('"#\\u0023#[error]"');
});

test("ordinary text is printed as it is", () => {
  for (const text of ["a::b", "# a", "## b", "#[c]", "## [d]", "é 鍵 🔑", 'x = {"a": 1}']) {
    expect(printable(text)).toBe(text);
    expect(JSON.parse(jsonText(text))).toBe(text);
  }
});
