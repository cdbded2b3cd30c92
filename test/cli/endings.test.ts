/** Every command that ends with 4 or 5 says why in its last line on standard error, in every format. */

import { generateKeyPairSync } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { policy, supportAll, when } from "../support/compose.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const rule = (expr: string) => `name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;

const suite = (expected: string) => `name: reads
keys: { k: { id: k, roles: [user], attr: {} } }
resources: { d: { kind: doc, id: d, attr: { x: 1 } } }
accounts: { a: { id: a, attr: {} } }
cases:
  - { name: one, key: k, operation: read, resource: d, account: a, expect: ${expected} }
`;

const setOf = (expr: string, more: Files = {}): Files => ({
  ...Object.fromEntries(supportAll("doc").map(({ path, text }) => [path, text])),
  "doc.yaml": policy({ rules: [rule(expr)] }),
  ...more,
});

const claims = (never: string, assume: string) =>
  `claims:\n  - { claim: Nobody reads, operations: read, never: ${never}, assume: ${JSON.stringify(assume)} }\n`;

const ONE = setOf("R.attr.x == 1");
const TWO = setOf("R.attr.x == 1 || R.attr.x == 2");
/** The search cannot tell these two apart, and without a solver nothing else is asked. */
const [PATTERN, SAME_PATTERN] = [setOf('R.attr.x.matches("^a+$")'), setOf('R.attr.x.matches("^aa*$")')];
const WARNED = setOf("R.attr.x == 1 && R.attr.x == 2");

interface Ending {
  readonly files: Files;
  /** The files of OLD in `args`. */
  readonly older?: Files;
  /** DIR and OLD stand for directories. */
  readonly args: readonly string[];
  readonly code: 4 | 5;
  readonly why: RegExp;
  readonly formats: readonly string[];
  readonly formatOption?: string;
}

const REPORTS = ["text", "json", "github", "sarif"];

const ENDINGS: readonly Ending[] = [
  {
    files: WARNED,
    args: ["check", "DIR", "--max-warnings", "0"],
    code: 4,
    why: /1 warning, and no more than 0 are accepted/,
    formats: REPORTS,
  },
  {
    files: setOf("true", { "a.decisions.yaml": suite("forbidden") }),
    args: ["test", "DIR"],
    code: 4,
    why: /1 of 1 test failed/,
    formats: ["tree", "list", "json", "junit", "github", "sarif"],
    formatOption: "--output",
  },
  {
    files: setOf("true", { "a.decisions.yaml": "cases: 1\n" }),
    args: ["test", "DIR", "--min-coverage", "90"],
    code: 4,
    why: /1 suite could not be run; coverage is 0 %, less than --min-coverage 90/,
    formats: ["tree", "json"],
    formatOption: "--output",
  },
  {
    files: TWO,
    older: ONE,
    args: ["diff", "OLD", "DIR", "--no-solver"],
    code: 4,
    why: /Decisions change: more is allowed \(1 way\)\./,
    formats: REPORTS,
  },
  {
    files: SAME_PATTERN,
    older: PATTERN,
    args: ["diff", "OLD", "DIR", "--no-solver"],
    code: 5,
    why: /No change was found, but this is not proved\. Not proved unchanged: 1 operation\./,
    formats: REPORTS,
  },
  {
    files: setOf("R.attr.x == 1", { "a.claims.yaml": claims("allow", "resource.attr.x == 1") }),
    args: ["prove", "DIR", "--no-solver"],
    code: 4,
    why: /laws or claims are broken: \d proved, 1 broken, \d unproven/,
    formats: ["text", "json"],
  },
  {
    files: setOf('R.attr.x.matches("^aa*$")', { "a.claims.yaml": claims("allow", "!resource.attr.x.matches('^a+$')") }),
    args: ["prove", "DIR", "--no-solver"],
    code: 5,
    why: /not all laws and claims are proved: \d proved, 0 broken, \d unproven/,
    formats: ["text", "json"],
  },
  {
    files: ONE,
    args: ["who", "read", "--policies", "DIR", "--no-solver"],
    code: 5,
    why: /the list is not proved complete for read on doc/,
    formats: ["text", "json"],
  },
  {
    files: setOf("true", { "a.decisions.yaml": suite("forbidden") }),
    args: ["review", "DIR"],
    code: 4,
    why: /1 of 1 test fails/,
    formats: ["json", "markdown"],
  },
  {
    files: SAME_PATTERN,
    older: PATTERN,
    args: ["review", "DIR", "--against", "OLD", "--no-solver"],
    code: 5,
    why: /No problem was found, but not everything is proved\..* Not proved: \d+ statements?\./,
    formats: ["json", "markdown"],
  },
];

describe.each(ENDINGS)("$args: $code", ({ files, older = {}, args, code, why, formats, formatOption = "--format" }) => {
  test.each(formats)("%s", async (format) => {
    await withFiles(older, (old) =>
      withFiles(files, async (directory) => {
        const given = args.map((arg) => (arg === "DIR" ? directory : arg === "OLD" ? old : arg));
        const ended = await keyward([...given, formatOption, format]);
        expect(ended.code).toBe(code);
        expectReason(ended.err, String(args[0]), code, why);
      }),
    );
  });
});

test("verify: 4", async () => {
  await withFiles(ONE, async (directory) => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const [key, open, bundle] = ["key.pem", "public.pem", "set.mjs"].map((name) => join(directory, name));
    await writeFile(String(key), privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(String(open), publicKey.export({ type: "spki", format: "pem" }));
    await keyward([
      "build",
      directory,
      "--no-solver",
      "--output",
      String(bundle),
      "--sign",
      String(key),
      "--set-version",
      "1",
    ]);
    await appendFile(String(bundle), " ");
    const { code, err } = await keyward(["verify", String(bundle), "--public-key", String(open)]);
    expect(code).toBe(4);
    expect(err).toContain("error forged");
    expectReason(err, "verify", 4, /set\.mjs is refused/);
  });
});

test("types: 4", async () => {
  await withFiles({ ...ONE, "types.ts": "" }, async (directory) => {
    const { code, err } = await keyward(["types", directory, "--output", join(directory, "types.ts"), "--check"]);
    expect(code).toBe(4);
    expectReason(err, "types", 4, /types\.ts is out of date/);
  });
});

function expectReason(err: string, command: string, code: number, why: RegExp): void {
  expect(err.endsWith("\n")).toBe(true);
  const last = err.trimEnd().split("\n").at(-1) ?? "";
  expect(last).toMatch(why);
  expect(last.startsWith(`keyward ${command}: `)).toBe(true);
  expect(last.endsWith(` (exit ${code})`)).toBe(true);
}
