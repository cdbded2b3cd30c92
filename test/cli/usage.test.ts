/** What the command says of itself, and what it makes of slips at the terminal. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { keyward } from "../support/terminal.js";

const { out: USAGE } = await keyward(["--help"]);
const COMMANDS = [...new Set([...USAGE.matchAll(/^ {2}keyward ([a-z-]+) /gm)].map(([, name = ""]) => name))];

/** The arguments by which each command takes a directory. */
const TAKING: { readonly [command: string]: (directory: string) => readonly string[] } = {
  check: (directory) => [directory],
  lock: (directory) => [directory],
  decide: (directory) => ["--policies", directory],
  explain: (directory) => ["--policies", directory],
  diff: (directory) => [SHIPPED_ROOT, directory],
  prove: (directory) => [directory],
  who: (directory) => ["read", "--policies", directory],
  review: (directory) => [directory],
  "check-resources": (directory) => ["--policies", directory],
  "plan-resources": (directory) => ["--policies", directory],
  test: (directory) => [directory],
  types: (directory) => [directory],
  build: (directory) => [directory, "--output", "/nowhere/policies.mjs"],
};

/** Those that take a bundle in its place. */
const BUNDLES: ReadonlySet<string> = new Set(["decide", "explain", "who", "diff", "check-resources", "plan-resources"]);

test("these are all commands", () => {
  // What is verified is a file.
  expect(COMMANDS.toSorted()).toEqual([...Object.keys(TAKING), "verify"].toSorted());
});

describe("help", () => {
  test("is asked for in several ways, and is fine", async () => {
    for (const args of [["--help"], ["-h"], ["help"], ["--help", "check"]]) {
      expect(await keyward(args)).toEqual({ code: 0, out: USAGE, err: "" });
    }
    for (const name of COMMANDS) expect(USAGE).toContain(`  keyward ${name} `);
  });

  test.each(COMMANDS)("keyward %s --help: its own usage, whatever else is there", async (name) => {
    const help = await keyward([name, "--help"]);
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toMatch(new RegExp(`^usage:\\n {2}keyward ${name} `));
    expect(help.out).toContain("exit codes: 0 fine");
    const others = COMMANDS.filter((other) => other !== name && help.out.includes(`  keyward ${other} `));
    expect(others).toEqual([]);
    for (const args of [
      [name, "-h"],
      ["help", name],
      [name, "/nowhere", "--no-such-option", "--help"],
    ]) {
      expect(await keyward(args)).toEqual(help);
    }
    expect(help.out.includes("--permission-version V")).toBe(help.out.includes("[POLICY OPTIONS]"));
  });

  test("the version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
    expect(await keyward(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("2: a slip at the terminal", () => {
  test("no command, and one that there is not", async () => {
    expect(await keyward([])).toEqual({ code: 2, out: "", err: USAGE });
    const { code, out, err } = await keyward(["chekc"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err.startsWith('keyward: unknown command "chekc" (did you mean "check"?)\n')).toBe(true);
    expect((await keyward(["help", "chekc"])).code).toBe(2);
  });

  test.each(COMMANDS)("keyward %s with an option that it has not", async (name) => {
    const { code, out, err } = await keyward([name, "--no-such-option"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("--no-such-option");
  });

  test.each(Object.entries(TAKING))("keyward %s on a directory that is not there, or none", async (name, taking) => {
    const missing = await keyward([name, ...taking("/nowhere/policies")]);
    expect(missing).toEqual({
      code: 2,
      out: "",
      err: `keyward ${name}: there is no directory /nowhere/policies\n`,
    });
    const file = `${SHIPPED_ROOT}platform/api.yaml`;
    for (const [path, message] of [
      [file, `${file} is not a directory${BUNDLES.has(name) ? ", nor a bundle" : ""}`],
      [`${file}/deeper`, `there is no directory ${file}/deeper`],
    ] as const) {
      expect(await keyward([name, ...taking(path)])).toMatchObject({ code: 2, err: `keyward ${name}: ${message}\n` });
    }
  });
});
