/**
 * YAML as the server reads policies. Its parser (goccy/go-yaml) reads some numbers as other numbers or as text, and
 * refuses documents that other parsers accept. Each case is checked on the server as well.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check } from "../../src/engine/evaluate/check.js";
import { compileCheckEngine } from "../../src/engine/evaluate/compile-check-engine.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { refusedByServer } from "../support/compile.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";

const HEAD = "apiVersion: api.cerbos.dev/v1\nresourcePolicy:\n  version: default\n";
const RULES = "  rules:\n    - actions: ['*']\n      roles: [user]\n      effect: EFFECT_ALLOW\n";

function policy(kind: string, fields = ""): string {
  return `${HEAD}  resource: ${kind}\n${fields}${RULES}`;
}

/** The value of a plain scalar as a constant, and as the text of a role; undefined if it is refused there. */
const SCALARS: readonly (readonly [written: string, constant: unknown, text: string | undefined])[] = [
  ["a", "a", "a"],
  ["15", 15, "15"],
  ["-1", -1, "-1"],
  ["+1", 1, "1"],
  ["+-1", 1, "1"],
  ["-0", 0, "0"],
  ["00", 0, "0"],
  ["007", 7, "7"],
  ["0777", 511, "511"],
  ["-01", -1, "-1"],
  ["08", "08", "08"],
  ["0x1F", 31, "31"],
  ["-0x1f", -31, "-31"],
  ["0X1F", "0X1F", "0X1F"],
  ["0x", "0x", "0x"],
  ["0o17", 15, "15"],
  ["0b11", 3, "3"],
  ["0b2", "0b2", "0b2"],
  ["1_000", 1000, "1000"],
  ["1_", 1, "1"],
  ["_1", "_1", "_1"],
  ["18446744073709551615", 18446744073709552000, "18446744073709551615"],
  ["18446744073709551616", "18446744073709551616", "18446744073709551616"],
  ["-9223372036854775808", -9223372036854776000, "-9223372036854775808"],
  ["-9223372036854775809", "-9223372036854775809", "-9223372036854775809"],
  ["1e3", "1e3", "1e3"],
  ["1e400", "1e400", "1e400"],
  ["1.5e400", "1.5e400", "1.5e400"],
  ["1.5", 1.5, undefined],
  ["1.0", 1, undefined],
  ["-.5", -0.5, undefined],
  ["5.", 5, undefined],
  ["1.e3", 1000, undefined],
  ["1_0.5", 10.5, undefined],
  ["007.5", 7.5, undefined],
  ["++1.5", 1.5, undefined],
  ["1.2.3", "1.2.3", "1.2.3"],
  ["0x1.8", "0x1.8", "0x1.8"],
  ["+.inf", "+.inf", "+.inf"],
  ["true", true, "true"],
  ["True", true, "True"],
  ["yes", "yes", "yes"],
  ["2020-01-01", "2020-01-01", "2020-01-01"],
  ["12:30", "12:30", "12:30"],
  ["!!str 007", 7, "7"],
  ["!!str true", true, "true"],
  ["'1.5'", "1.5", "1.5"],
];

const CONSTANTS = policy(
  "doc",
  `  constants:\n    local:\n${SCALARS.map(([written], i) => `      c${i}: ${written}\n`).join("")}`,
).concat(`      output: {when: {ruleActivated: "[${SCALARS.map((_, i) => `C.c${i}`).join(", ")}]"}}\n`);

/** The value of an alias in a constant: the anchored node, anywhere in the file. */
const ALIASED: readonly (readonly [written: string, constant: unknown])[] = [
  ["*kind", "aliases"],
  ["&number 1.5", 1.5],
  ["[*number, *kind]", [1.5, "aliases"]],
  ["&map {x: 1, y: [&true true, 2]}", { x: 1, y: [true, 2] }],
  ["*map", { x: 1, y: [true, 2] }],
  ["[*true, {z: *map}]", [true, { z: { x: 1, y: [true, 2] } }]],
  ["{<<: *map, y: 3}", { x: 1, y: 3 }],
  ["{w: {<<: *map}}", { w: { x: 1, y: [true, 2] } }],
  ["&nothing", null],
  ["*nothing", null],
];

const ALIASES = policy(
  "&kind aliases",
  `  constants:\n    local:\n${ALIASED.map(([written], i) => `      c${i}: ${written}\n`).join("")}`,
).concat(`      output: {when: {ruleActivated: "[${ALIASED.map((_, i) => `C.c${i}`).join(", ")}]"}}\n`);

/** Block scalars, and their texts. */
const BLOCKS: readonly (readonly [written: string, constant: string])[] = [
  ["|-\n        a  \n        b  \n", "a  \nb"],
  [">-\n        a\n        b \n\n", "a b"],
  ["|-\n        a\n          \n", "a\n"],
  ["|\n        a \n", "a \n"],
  [">+\n        a \n\n", "a \n\n"],
  ["|-\n        a\t\n", "a\t"],
  ["|-\n        a\u00a0\n", "a\u00a0"],
];

const BLOCK_TEXTS = policy(
  "blocks",
  `  constants:\n    local:\n${BLOCKS.map(([written], i) => `      c${i}: ${written}`).join("")}`,
).concat(`      output: {when: {ruleActivated: "[${BLOCKS.map((_, i) => `C.c${i}`).join(", ")}]"}}\n`);

const ROLES = `${HEAD}  resource: roles\n  rules:\n${SCALARS.filter(([, , text]) => text !== undefined)
  .map(([written]) => `    - actions: ['*']\n      roles: [${written}]\n      effect: EFFECT_ALLOW\n`)
  .join("")}`;

const FILES = [
  { path: "constants.yaml", text: CONSTANTS },
  { path: "aliases.yaml", text: ALIASES },
  { path: "blocks.yaml", text: BLOCK_TEXTS },
  { path: "roles.yaml", text: ROLES },
];

interface Asked {
  readonly allowed: boolean;
  readonly output: unknown;
}

type Ask = (kind: string, role: string) => Promise<Asked>;

function asked(ask: Ask): void {
  test("plain scalars as constants", async () => {
    const { output } = await ask("doc", "user");
    expect(output).toEqual(SCALARS.map(([, constant]) => constant));
  });

  test("aliases in constants", async () => {
    const { output } = await ask("aliases", "user");
    expect(output).toEqual(ALIASED.map(([, constant]) => constant));
  });

  test("blocks in constants", async () => {
    const { output } = await ask("blocks", "user");
    expect(output).toEqual(BLOCKS.map(([, constant]) => constant));
  });

  test("plain scalars as text", async () => {
    for (const [written, , text] of SCALARS) {
      if (text === undefined) continue;
      expect([written, (await ask("roles", text)).allowed]).toEqual([written, true]);
      if (text !== written && !written.startsWith("'")) {
        expect([written, (await ask("roles", written)).allowed]).toEqual([written, false]);
      }
    }
  });
}

describe("here", () => {
  const loaded = compileCheckEngine(FILES);
  if (isLeft(loaded)) throw new Error(JSON.stringify(loaded.left));
  asked(async (kind, role) => {
    const { policies, options } = loaded.right;
    const principal = { id: "p", roles: [role], attr: {}, policyVersion: "", scope: "" };
    const resource = { kind, id: "1", attr: {}, policyVersion: "", scope: "" };
    const { actions, outputs } = check(
      policies,
      { principal, resource, actions: ["view"], jwt: {}, now: undefined },
      options,
    );
    return { allowed: actions.get("view")?.effect === "allow", output: outputs[0]?.val };
  });
});

describe.skipIf(NO_SERVER !== undefined)(`on the server ${NO_SERVER ?? ""}`, { tags: "long" }, () => {
  let server: Server | undefined;
  let directory = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "keyward-yaml-"));
    for (const { path, text } of FILES) await writeFile(join(directory, path), text);
    server = await startServer(directory);
  });

  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  asked(async (kind, role) => {
    const principal = { id: "p", roles: [role] };
    const resources = [{ resource: { kind, id: "1" }, actions: ["view"] }];
    const answer = await server?.check({ principal, resources });
    const [result] = JSON.parse(answer?.text ?? "").results;
    return { allowed: result.actions.view === "EFFECT_ALLOW", output: result.outputs?.[0]?.val };
  });
});

const LOCAL = (fields: string) => `  constants:\n    local:\n${fields}`;

/** A policy with a constant. */
function value(kind: string, written: string): string {
  return policy(kind, LOCAL(`      x: ${written}\n`));
}

/** Accepted by the server, though it resembles refused text. */
const ACCEPTED: { readonly [title: string]: string } = {
  "a document of comments before the policy": `---\n# c\n---\n${policy("a0")}`,
  "a document of comments after it": `${policy("a1")}---\n# c\n`,
  "the end of a document": `${policy("a2")}...\n`,
  "a tab at the end of a line": policy("a3").replace("resource: a3", "resource: a3\t# c"),
  "a tab between a dash and its list": policy("a4").replace("[user]", "[\tuser]"),
  "a tab before the first key": `\t\n${policy("a5")}`,
  "JSON indented with tabs":
    '{\n\t"apiVersion": "api.cerbos.dev/v1",\n\t"derivedRoles": {"name": "a6", "definitions": [{"name": "x", "parentRoles":\t["y"]}]}\n}',
  "an alias in brackets": policy("a7").replace("['*']", "[&x view]").replace("[user]", "[*x, user]"),
  "an alias of something in the same constant": policy("a8", LOCAL("      x: {b: &x {z: 1}, c: *x, d: {<<: *x}}\n")),
  "an alias in braces, with white space before the next key": policy("a9").replace(
    "  rules:",
    "  variables: {local: {x: &y 'true', z: *y, w: 'true'}}\n  rules:",
  ),
  "enumerations by number": policy("a12", "  scopePermissions: 0\n").replace("EFFECT_ALLOW", "0x2"),
  "a merge of a mapping as it stands": policy(
    "a13",
    LOCAL("      <<: {x: 1, y: 9}\n      y: {<<: {z: {<<: {u: 1}}}}\n"),
  ),
  "a block of no lines before an item": policy("a14", LOCAL("      x:\n        - a: |-\n        - b: 1\n")),
  "a block of blank lines before a key": policy("a15", LOCAL("      x: |-\n\n      y: 1\n")),
  "enumerations of nothing": policy("a16", "  scopePermissions:\n"),
  "comments in brackets": value(
    "a19",
    "[ # c\n        # d\n        a, # e\n        {b: c # f\n        }, # g\n        d]",
  ),
  "a comment below a key in braces": value("a20", "{a:\n        # c\n        b, c: d}"),
  "a comment below an anchor": value("a21", "&q\n        # c\n        - a"),
  "comments below a list in brackets": `${value("a22", "[a]\n        # c\n# d")}# e\n`,
  "colons in brackets": value("a23", "{a: b:c, http://d: e:/f, 'g':h:i, j: ['k:l', m: n:o]}"),
  "a text in brackets that goes on further right": value("a24", "{a: b\n            c}"),
  "tabs at the end of texts": value("a25", "[a\t, 'b\tc', \"d\t\"]\t"),
  "CRLF in texts without quotes": value(
    "a26",
    "a\r\n        b\r\n      y: |\r\n        c\r\n\r\n      z: >-\r\n        d",
  ),
  "an escaped line break by CRLF": value("a27", '"a\\\r\n        b"'),
  "a tab before the text of a block of one line": value("a29", "|\n        \ta\n"),
  "a tab behind an indicated indentation": value("a30", "|2\n        \ta\n        b\n"),
  "a clipped block that ends with a space": value("a28", "|\n        a "),
  "quoted merge keys, which merge nothing": policy("a17", LOCAL("      x: {'<<': {y: 1}}\n      y: {\"<<\": 1}\n")),
  "merges in items of a list": policy("a18", LOCAL("      x: [<<: {y: 1}, <<: {y: 2}]\n")),
  "a pair in a list": policy("a11", LOCAL('      x: [a: 1, "b": 2]\n')),
};

/** Accepted by other parsers, refused by the server. */
const REFUSED: { readonly [title: string]: readonly [text: string, issue: string] } = {
  "a byte order mark": [
    `\ufeff${policy("r0")}`,
    "1:1 yaml a byte order mark, which the server takes for a part of the first key",
  ],
  "a directive": [`%YAML 1.2\n---\n${policy("r1")}`, "1:1 yaml a directive, which the server takes for a document"],
  "a fraction as text": [policy("r2").replace("[user]", "[1.5]"), '7:15 shape "roles[0]" must be text'],
  infinity: [policy("r3", LOCAL("      x: .inf\n")), "7:10 shape a number that JSON does not have"],
  "a tab at the end": [`${policy("r4")}\t`, "9:1 yaml a tab at the beginning of a line"],
  "a comment after a tab": [
    policy("r5").replace("  rules:", " \t# c\n  rules:"),
    "5:2 yaml a tab at the beginning of a line",
  ],
  "a tab before a key in braces": [policy("r6", "  constants: {local: {\tx: 1}}\n"), "5:24 yaml a tab before a key"],
  "a key marked by ?": [policy("r7", "  constants: {local: {? x : 1}}\n"), "5:23 unsupported a key marked by ?"],
  "a number as a key": [
    `metadata: {annotations: {1: x}}\n${policy("r8")}`,
    "1:26 shape the key must be text: quote it",
  ],
  "an anchor twice": [
    policy("r9", "  variables: {local: {x: &x 'true', y: &x 'false'}}\n"),
    '5:43 yaml the anchor "&x" is there twice',
  ],
  "an anchor on a key": [policy("r10", LOCAL("      &x x: 1\n")), "7:10 unsupported an anchor on a key"],
  "an anchor after a tag": [
    policy("r11", "  variables: !!map &x {local: {y: 'true'}}\n"),
    "5:20 yaml an anchor after a tag, which the server does not find",
  ],
  "an alias and a key without white space in between": [
    policy("r14", "  variables: {local: {x: &x 'true', y: *x,z: 'true'}}\n"),
    "5:44 yaml the server sees no : after an alias without white space in between",
  ],
  "a block of blank lines before an item": [
    policy("r20", LOCAL("      x:\n        - a: |-\n\n        # c\n        - b: 1\n")),
    "8:14 yaml a block of blank lines before an item",
  ],
  "a merge of a list": [policy("r18", LOCAL("      x: {<<: [{y: 1}]}\n")), "7:11 yaml a merge key takes a mapping"],
  "a merge of a list by alias": [
    policy("r19", LOCAL("      x: &x [{y: 1}]\n      z: {<<: *x}\n")),
    "8:11 yaml a merge key takes a mapping",
  ],
  "a merge of a mapping with an anchor": [
    policy("r20", LOCAL("      <<: &x {y: 1}\n")),
    "7:7 yaml a merge key takes a mapping",
  ],
  "a merge of a mapping with a tag": [
    policy("r21", LOCAL("      <<: !!map {y: 1}\n")),
    "7:7 yaml a merge key takes a mapping",
  ],
  "a merge twice": [policy("m0", LOCAL("      <<: {x: 1}\n      <<: {y: 1}\n")), '8:7 duplicate_key the key "<<" is'],
  "a merge twice in a rule": [
    policy("m1", LOCAL("      x: &x {roles: [a]}\n      y: &y {roles: [b]}\n")).replace(
      "roles: [user]",
      "<<: *x\n      <<: *y",
    ),
    '12:7 duplicate_key the key "<<" is',
  ],
  "a merge twice in brackets": [
    policy("m2", LOCAL("      x: {<<: {y: 1}, z: 1, <<: {y: 1}}\n")),
    '7:29 duplicate_key the key "<<" is',
  ],
  "a merge of a mapping that merges twice": [
    policy("m3", LOCAL("      x: {<<: {<<: {y: 1}, <<: {z: 1}}}\n")),
    '7:28 duplicate_key the key "<<" is',
  ],
  "a merge beside a quoted key": [
    policy("m4", LOCAL("      x: {'<<': 1, <<: {y: 1}}\n")),
    '7:20 duplicate_key the key "<<" is',
  ],
  "a merge with its tag": [policy("m5", LOCAL("      x: {!!merge <<: {y: 1}}\n")), "7:11 unsupported Unresolved tag"],
  "a tag on a merge": [policy("m6", LOCAL("      !!str <<: {y: 1}\n")), "7:13 unsupported a tag on a key"],
  "a tag on a field": [policy("m7").replace("  version", "  !!str version"), "3:9 unsupported a tag on a key"],
  "a tag on a key of a constant": [policy("m8", LOCAL("      x: {!!str y: 1}\n")), "7:17 unsupported a tag on a key"],
  "an alias as a key": [
    policy("m9", LOCAL("      x: &x y\n      z:\n        *x : 1\n")),
    "9:9 unsupported an alias as a key",
  ],
  "an alias as a key in brackets": [
    policy("m10", LOCAL("      x: &x y\n      z: {*x : 1}\n")),
    "8:11 unsupported an alias as a key",
  ],
  "a merge of nothing": [policy("r22", LOCAL("      <<:\n")), "7:7 yaml a merge key takes a mapping"],
  "half of a surrogate pair": [
    policy("r15").replace("[user]", '["\\ud83d"]'),
    "7:15 not_text half of a surrogate pair",
  ],
  "a pair in a list without white space": [
    policy("r16", LOCAL('      x: ["b":1]\n')),
    "7:14 yaml a : in a list without white space after it",
  ],
  "a hash that is no number": [`metadata: {hash: -1}\n${policy("r17")}`, "1:18"],
  "a marked key in a constant": [policy("s2", LOCAL("      x: {? a : 1}\n")), "7:11 unsupported a key marked by ?"],
  "a fraction as a key": [policy("s3", LOCAL("      x: {1.5: 1}\n")), "7:11 unsupported a key that is a number"],
  "a number as a key of a constant": [policy("k0", LOCAL("      x: {007: 1}\n")), "7:11 shape the key must be text"],
  "a boolean as a key of a constant": [
    policy("k1", LOCAL("      x: [{true: 2}]\n")),
    "7:12 shape the key must be text",
  ],
  "null as a key of a constant": [policy("k2", LOCAL("      x: {a: {null: 3}}\n")), "7:15 shape the key must be text"],
};

const COMMENT = "yaml a comment where the server takes none";
const JSON_POLICY =
  '{"apiVersion": "api.cerbos.dev/v1", "resourcePolicy": {"resource": "j", "version": "default", "rules": []}}';

/** Comments, line breaks, colons and tabs at places where other parsers accept them and the server does not. */
const REFUSED_PLACES: { readonly [title: string]: readonly [text: string, issue: string] } = {
  "a comment below a document in braces": [`${JSON_POLICY}\n# c\n`, `2:1 ${COMMENT}`],
  "a comment below such a document, behind an empty line": [`---\n${JSON_POLICY} # c\n\n  # d`, `4:3 ${COMMENT}`],
  "a comment of its own behind {": [value("p0", "{\n        # c\n        a: b}"), `8:9 ${COMMENT}`],
  "a comment of its own behind a comma in braces": [
    value("p1", "{a: b,\n        # c\n        c: d}"),
    `8:9 ${COMMENT}`,
  ],
  "a comment of its own before }": [value("p2", "{a: b\n        # c\n        }"), `8:9 ${COMMENT}`],
  "a second comment in braces": [value("p3", "{a: b, # c\n        # d\n        }"), `8:9 ${COMMENT}`],
  "a comment of its own before ]": [value("p4", "[a,\n        # c\n        ]"), `8:9 ${COMMENT}`],
  "a comment of its own before a comma": [value("p5", "[a\n        # c\n        , b]"), `8:9 ${COMMENT}`],
  "a comment behind a colon in a list": [value("p6", "[a: # c\n        b]"), `7:14 ${COMMENT}`],
  "a comment below an anchor, further left": [value("p7", "&q\n   # c\n        - a"), `8:4 ${COMMENT}`],
  "a colon below its key in brackets": [value("p8", "{a\n        : b}"), "8:9 yaml a : that is not in the line"],
  "a value below its key in a list": [value("p9", "[a:\n        b]"), "8:9 yaml a value in a list that is not"],
  "a text in brackets that goes on further left": [value("p10", "{a: b\n        c}"), "8:9 yaml a text in brackets"],
  "a colon in a list in braces": [
    policy("p11").replace(/ {4}- actions(?:.|\n)*/, "    - {actions: [doc:view], roles: [a], effect: EFFECT_ALLOW}\n"),
    "6:21 yaml a : in braces",
  ],
  "a colon before a slash in braces": [value("p12", "{'a':/b}"), "7:14 yaml a : before a / in braces"],
  "a colon behind a comment in braces": [value("p13", "{a: # c\n        b:c}"), "8:10 yaml a : in braces"],
  "a tab in double quotes": [value("p14", '"a\tb"'), "7:12 yaml a tab in a text"],
  "a tab between a key in quotes and its colon": [policy("p15", LOCAL("      'x'\t: 1\n")), "7:11 yaml a tab between"],
  "a tab before the text of a block": [
    value("p16", "|\n        \ta\n        \tb\n"),
    "8:1 yaml a tab before the first line",
  ],
  "a block of blank lines that are kept": [value("p17", "|+\n\n"), "8:1 yaml a block of blank lines"],
};

/** Loaded by the server with another meaning. */
const READ_OTHERWISE: { readonly [title: string]: readonly [text: string, issue: string] } = {
  "a colon in a key in braces": [value("q0", "{a:b}"), "7:12 yaml a : in braces"],
  "a colon in a text in a list in braces": [value("q1", "{a: [b:c]}"), "7:16 yaml a : in braces"],
  "a colon at the end of a list": [value("q2", "[a:]"), "7:12 yaml a : in a list without white space"],
  "a tab in a plain text": [value("q3", "a\tb"), "7:11 yaml a tab in a text"],
  "a tab before a line break in single quotes": [value("q4", "'a\t\n        b'"), "7:12 yaml a tab in a text"],
  "CRLF in single quotes": [value("q5", "'a\r\n        b'"), "7:12 yaml a line break by CRLF"],
  "CRLF in double quotes": [value("q6", '"a\r\n        b"'), "7:12 yaml a line break by CRLF"],
  "an escaped line break before an empty line": [value("q7", '"a\\\n\n        b"'), "7:12 yaml an escape at the end"],
  "an escaped space before a line break": [value("q8", '"a\\ \n        b"'), "7:12 yaml an escape at the end"],
  "an anchor of nothing above a comment": [value("q10", "&q\n         # c\n      y: 1"), "7:12 yaml an anchor without"],
};

/** Loaded by the server, refused by this library (docs/differences-from-cerbos.md). */
const STRICTER: { readonly [title: string]: readonly [text: string, issue: string] } = {
  "a tag of another type": [
    policy("s0", LOCAL("      x: !!int '3'\n")),
    "7:16 unsupported a value that is not of the type",
  ],
  "a tag of one's own": [policy("s1", LOCAL("      x: !mine 3\n")), "7:10 unsupported Unresolved tag: !mine"],
  "carriage returns": [policy("s4").replaceAll("\n", "\r"), "1:30 not_text a carriage return without a line feed"],
  "brackets that end further left": [policy("s5").replace("[user]", "[\nuser]"), "8:1 yaml"],
  "a tab in a name": [policy("s9").replace("default", "defa\tlt"), "3:16 yaml a tab in a text"],
  "text that goes on further left": [policy("s6").replace("[user]", "['a\n b']"), "7:17 yaml"],
  "a control character": [policy("s7").replace("[user]", '["a\u0001"]'), "7:17 not_text"],
  "a tab before the first key behind a separator": [`---\n\t${policy("s8")}`, "2:1 yaml Tabs are not allowed"],
};

/** The server crashes on these. */
const CRASHES: { readonly [title: string]: string } = {
  "before the policy": `---\n---\n${policy("c0")}`,
  "after it": `${policy("c1")}---\n`,
  "after its end": `${policy("c2")}...\n---\n`,
  "with a comment in its line": `--- # c\n---\n${policy("c3")}`,
};

function issueOf(text: string): string | undefined {
  const parsed = parsePolicyFiles([{ path: "a.yaml", text }]);
  if (isRight(parsed)) return undefined;
  const [{ line, column, code, message }] = parsed.left;
  return `${line}:${column} ${code} ${message}`;
}

describe("files", () => {
  test.each(Object.entries(ACCEPTED))("loaded: %s", (_, text) => {
    const parsed = parsePolicyFiles([
      { path: "a.yaml", text },
      { path: "b.yaml", text: policy("b") },
    ]);
    expect(isLeft(parsed) ? parsed.left : []).toEqual([]);
  });

  test.each(Object.entries({ ...REFUSED, ...REFUSED_PLACES }))("refused: %s", (_, [text, issue]) => {
    expect(issueOf(text)).toContain(issue);
  });

  test.each(Object.entries(CRASHES))("refused: an empty document %s", (_, text) => {
    expect(issueOf(text)).toMatch(/^\d+:1 yaml an empty document, which the server does not read$/);
  });

  test.each(Object.entries({ ...STRICTER, ...READ_OTHERWISE }))("refused here alone: %s", (_, [text, issue]) => {
    expect(issueOf(text)).toContain(issue);
  });

  test.skipIf(NO_SERVER !== undefined)(`and by the server ${NO_SERVER ?? ""}`, { tags: "long" }, async () => {
    const stricter = [...Object.values(STRICTER), ...Object.values(READ_OTHERWISE)].map(
      ([text], i) => [`s${i}.yaml`, text] as const,
    );
    expect(await refusedByServer(stricter)).toBeUndefined();
    const accepted = Object.values(ACCEPTED).map((text, i) => [`a${i}.yaml`, text] as const);
    expect(await refusedByServer(accepted)).toBeUndefined();
    const refused = [...Object.values(REFUSED), ...Object.values(REFUSED_PLACES)].map(
      ([text], i) => [`r${i}.yaml`, text] as const,
    );
    const said = (await refusedByServer(refused)) ?? "";
    for (const [path] of refused) expect(said).toContain(`${path}`);
    for (const text of Object.values(CRASHES)) expect(await refusedByServer([["c.yaml", text]])).toContain("panic");
  });
});
