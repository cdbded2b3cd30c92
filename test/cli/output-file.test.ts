/** `--output FILE` writes the standard output to a file, completely or not at all. */

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { keyward, withFiles } from "../support/terminal.js";

const LINE = `${JSON.stringify(ask("apis.getApi"))}\n`;
const CERBOS = join(ROOT, "examples/cerbos");
const CHECK = readFileSync(join(CERBOS, "check.json"), "utf8");
const PLAN = JSON.stringify({
  ...JSON.parse(CHECK),
  resources: undefined,
  resource: { kind: "invoice" },
  action: "view",
});

test.each([
  ["check", [SHIPPED_ROOT, "--permission-only"], ""],
  ["decide", ["--policies", SHIPPED_ROOT], `${LINE}{}\n${LINE}`],
  ["explain", ["--policies", SHIPPED_ROOT], LINE],
  ["check-resources", ["--policies", `${CERBOS}/policies`], CHECK],
  ["plan-resources", ["--policies", `${CERBOS}/policies`], PLAN],
  ["types", [SHIPPED_ROOT], ""],
  ["review", [SHIPPED_ROOT, "--format", "json", "--date", "2026-01-31"], ""],
  ["test", [SHIPPED_ROOT, "--format", "list"], ""],
])("keyward %s", async (name, args, input) => {
  await withFiles({ old: "old" }, async (directory) => {
    const printed = await keyward([name, ...args], input);
    expect(printed.out).not.toBe("");
    expect(await keyward([name, ...args, "--output", "-"], input)).toEqual(printed);
    for (const file of ["old", "new"]) {
      const written = await keyward([name, ...args, "--output", join(directory, file)], input);
      expect([written.code, written.out]).toEqual([printed.code, ""]);
      expect(readFileSync(join(directory, file), "utf8")).toBe(printed.out);
    }
    expect(readdirSync(directory)).toEqual(["new", "old"]);
  });
});

test.each([
  ["an input that is not there", ["--input", "/nowhere/requests.jsonl"]],
  ["an option that is none", ["--no-such-option"]],
  ["an error body without its parts", ["--error-body"]],
])("with %s, the file stays as it was", async (_, args) => {
  await withFiles({ old: "old" }, async (directory) => {
    const output = ["--output", join(directory, "old")];
    expect(await keyward(["decide", "--policies", SHIPPED_ROOT, ...args, ...output], LINE)).toMatchObject({ code: 2 });
    expect(readdirSync(directory)).toEqual(["old"]);
    expect(readFileSync(join(directory, "old"), "utf8")).toBe("old");
  });
});

test("until all is written the file is what it was, though decisions are not kept in memory", async () => {
  await withFiles({ old: "old" }, async (directory) => {
    const seen: string[][] = [];
    const streams = {
      stdin: (async function* () {
        yield LINE + LINE;
        seen.push(readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8")));
      })(),
      out: () => {},
      err: () => {},
    };
    expect(await run(["decide", "--policies", SHIPPED_ROOT, "--output", join(directory, "old")], streams)).toBe(0);
    expect(seen).toEqual([["old", expect.stringMatching(/^\{"outcome":"allow"/)]]);
    expect(readdirSync(directory)).toEqual(["old"]);
  });
});

test("a file keeps who may read it, and a link leads where it led", async () => {
  await withFiles({ "there/old": "old" }, async (directory) => {
    const [file, link] = [join(directory, "there/old"), join(directory, "link")];
    chmodSync(file, 0o600);
    symlinkSync(file, link);
    expect(await keyward(["types", SHIPPED_ROOT, "--output", link])).toMatchObject({ code: 0 });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).not.toBe("old");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

test.skipIf(process.platform === "win32")(
  "what is no file, such as a pipe, is written to and stays what it is",
  async () => {
    await withFiles({}, async (directory) => {
      const pipe = join(directory, "pipe");
      execFileSync("mkfifo", [pipe]);
      const reader = spawn("cat", [pipe]);
      const chunks: Buffer[] = [];
      reader.stdout.on("data", (chunk) => chunks.push(chunk));
      const closed = new Promise((resolve) => reader.once("close", resolve));
      expect(await keyward(["decide", "--policies", SHIPPED_ROOT, "--output", pipe], LINE)).toMatchObject({ code: 0 });
      await closed;
      expect(Buffer.concat(chunks).toString("utf8")).toBe(
        (await keyward(["decide", "--policies", SHIPPED_ROOT], LINE)).out,
      );
      expect(readdirSync(directory)).toEqual(["pipe"]);
      expect(statSync(pipe).isFIFO()).toBe(true);
    });
  },
);

test("what cannot be written is bad usage, in words of the one who named it", async () => {
  const missing = await keyward(["decide", "--policies", SHIPPED_ROOT, "--output", "/nowhere/x"], LINE);
  const why = "cannot write /nowhere/x: ENOENT: no such file or directory";
  expect(missing).toEqual({ code: 2, out: "", err: `keyward decide: ${why}\n` });
  expect(await keyward(["decide", "--policies", SHIPPED_ROOT, "--output", SHIPPED_ROOT], LINE)).toMatchObject({
    code: 2,
  });
  const { err } = await keyward(["decide", "--policies", SHIPPED_ROOT, "--output", "json"], LINE);
  expect(err).toBe("keyward decide: --output names a file, and --format a form: --format json\n");
});

describe("an output that is another file of the command is refused", () => {
  const same = (one: string, other: string) => `${one} and ${other} are the same file: write to another one`;

  test.each([
    ["decide", ["set", "--input", "a", "--output", "./a"], same("--output ./a", "--input a")],
    ["decide", ["set", "--input", "link", "--output", "a"], same("--output a", "--input link")],
    ["decide", ["set", "--input", "a", "--output", "linked/a"], same("--output linked/a", "--input a")],
    ["decide", ["set", "--parent", "k", "--parent", "a", "--output", "a"], same("--output a", "--parent a")],
    ["decide", ["a", "--output", "a"], same("--output a", "a")],
    ["replay", ["a", "set", "--output", "a"], same("--output a", "a")],
    ["types", ["set", "--globals", "a", "--output", "a"], same("--output a", "--globals a")],
    [
      "test",
      ["set", "--coverage=text", "--coverage-file", "x", "--output", "x"],
      same("--output x", "--coverage-file x"),
    ],
    ["review", ["set", "--evidence", "x", "--output", "x"], same("--output x", "--evidence x")],
    ["review", ["set", "--evidence", "x", "--output", "x.sig"], same("--output x.sig", "x.sig")],
    ["review", ["set", "--evidence", "a", "--examples", "a"], same("--evidence a", "--examples a")],
    [
      "mutate",
      ["set", "--write", "x.decisions.yaml", "--output", "x.decisions.yaml"],
      same("--output x.decisions.yaml", "--write x.decisions.yaml"),
    ],
    ["build", ["set", "--sign", "x.mjs", "--output", "x.mjs"], same("--output x.mjs", "--sign x.mjs")],
    [
      "matrix",
      ["set", "--keys", "a", "--resources", "k", "--format=xlsx", "--output", "a"],
      same("--output a", "--keys a"),
    ],
    ["serve", ["set", "--data", "a", "--decisions", "a"], same("--decisions a", "--data a")],
    [
      "review",
      ["set", "--evidence", "-"],
      "--evidence needs the name of a file: only --output may be - (standard output)",
    ],
    [
      "test",
      ["set", "--coverage=text", "--coverage-file", "-"],
      "--coverage-file needs the name of a file: only --output may be - (standard output)",
    ],
  ])("keyward %s %j", async (name, args, message) => {
    await withFiles({ a: LINE, k: "{}", "set/api.yaml": "", "old/api.yaml": "" }, async (directory) => {
      symlinkSync("a", join(directory, "link"));
      symlinkSync(".", join(directory, "linked"));
      const { code, out, err } = await keyward([name, ...args], LINE, directory);
      expect([code, out, err.replace(`${directory}/`, "")]).toEqual([2, "", `keyward ${name}: ${message}\n`]);
      expect(readFileSync(join(directory, "a"), "utf8")).toBe(LINE);
    });
  });

  test.each([
    ["a device", ["--output", "/dev/null", "--coverage=text", "--coverage-file", "/dev/null"]],
    ["a file beside the policies", ["--output", "set/results.json"]],
  ])("not %s", async (_, args) => {
    await withFiles({ "set/api.yaml": "apiVersion: nonsense", "set/.results/old": "" }, async (directory) => {
      const set = join(directory, "set");
      expect(await keyward(["test", set, ...args], "", directory)).toMatchObject({ code: 3 });
    });
  });
});

test.skipIf(!existsSync("/dev/full")).each([
  ["decide", ["--policies", SHIPPED_ROOT, "--output"]],
  ["types", [SHIPPED_ROOT, "--output"]],
  ["review", [SHIPPED_ROOT, "--format", "json", "--date", "2026-01-31", "--output"]],
  ["test", [SHIPPED_ROOT, "--coverage", "json", "--coverage-file"]],
])("keyward %s: a full disk ends it with 1", async (name, args) => {
  expect(await keyward([name, ...args, "/dev/full"], LINE)).toMatchObject({
    code: 1,
    err: `keyward ${name}: cannot write /dev/full: ENOSPC: no space left on device\n`,
  });
});

test.each([
  ["decide", "--input", ["--policies", SHIPPED_ROOT], LINE],
  ["explain", "--input", ["--policies", SHIPPED_ROOT], LINE],
  ["check-resources", "--input", ["--policies", `${CERBOS}/policies`], CHECK],
  ["plan-resources", "--input", ["--policies", `${CERBOS}/policies`], PLAN],
])("keyward %s %s -: standard input", async (name, option, args, input) => {
  const usual = await keyward([name, ...args], input);
  expect(usual.code).toBe(0);
  expect(await keyward([name, ...args, option, "-"], input)).toEqual(usual);
});

test("keyward review --examples -: standard input", async () => {
  const args = ["review", SHIPPED_ROOT, "--date", "2026-01-31", "--examples", "-"];
  expect(await keyward(args, LINE)).toMatchObject({ code: 0 });
  expect(await keyward(args, "{}")).toMatchObject({ code: 2 });
});
