/** The help of the command, and its messages for typing mistakes. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { keyward } from "../support/terminal.js";

const { out: USAGE } = await keyward(["--help"]);
const COMMANDS = [...new Set([...USAGE.matchAll(/^ {2}keyward ([a-z-]+) /gm)].map(([, name = ""]) => name))];

/** The other arguments of each command that takes a directory: before it, and after it. */
const TAKING: { readonly [command: string]: readonly [before: readonly string[], after: readonly string[]] } = {
  check: [[], []],
  lock: [[], []],
  decide: [[], []],
  explain: [[], []],
  diff: [[SHIPPED_ROOT], []],
  prove: [[], []],
  who: [["read"], []],
  can: [[], ["--role", "r"]],
  review: [[], []],
  "check-resources": [[], []],
  "plan-resources": [[], []],
  matrix: [[], ["--keys=/nowhere", "--resources=/nowhere", "--accounts=/nowhere"]],
  replay: [[fileURLToPath(import.meta.url)], []],
  tighten: [[fileURLToPath(import.meta.url)], []],
  serve: [[], []],
  test: [[], []],
  mutate: [[], []],
  types: [[], []],
  mcp: [["check", fileURLToPath(import.meta.url)], []],
  build: [[], ["--output", "/nowhere/policies.mjs"]],
};

/** The arguments of a command about a directory: as its last argument and, but for `diff`, as an option. */
function taking(name: string, directory: string): readonly (readonly string[])[] {
  const [before, after] = TAKING[name] ?? [[], []];
  const asArgument = [name, ...before, directory, ...after];
  return name === "diff" ? [asArgument] : [asArgument, [name, ...before, "--policies", directory, ...after]];
}

/** Commands that accept a bundle instead. */
const BUNDLES: ReadonlySet<string> = new Set([
  "prove",
  "decide",
  "explain",
  "who",
  "can",
  "diff",
  "check-resources",
  "plan-resources",
  "replay",
  "tighten",
  "matrix",
  "mcp",
]);

/** Options of every command that takes policies. */
const POLICY_OPTIONS = [
  "--permission-only",
  "--permission-version V",
  "--other-version V",
  "--locked",
  "--follow-links",
];

const EVIDENCE = fileURLToPath(new URL("../../package.json", import.meta.url));
const UPGRADE = ["check", SHIPPED_ROOT, "--upgrade", "0.58"];
const MATRIX = ["matrix", SHIPPED_ROOT, "--keys=/nowhere", "--resources=/nowhere"];

test.each([
  [["check", SHIPPED_ROOT], ["--time-limit=1"], "goes with --prove or --upgrade"],
  [UPGRADE, ["--prove"], "does not go with --upgrade"],
  [UPGRADE, ["--name-rules"], "does not go with --upgrade"],
  [["review", SHIPPED_ROOT, "--format=json"], ["--examples=/nowhere"], "goes with --format html"],
  [["review", SHIPPED_ROOT, "--format=markdown"], ["--examples=/nowhere"], "goes with --format html"],
  [["review", SHIPPED_ROOT], ["--no-solver"], "goes with --against, --evidence, --register or --prove"],
  [["explain", SHIPPED_ROOT, "--reads"], ["--for=caller"], "does not go with --reads"],
  [["explain", SHIPPED_ROOT, "--reads"], ["--input=/nowhere"], "does not go with --reads"],
  [["diff", "--evidence", EVIDENCE, EVIDENCE], ["--reasons"], "does not go with --evidence"],
  [["diff", "--evidence", EVIDENCE, EVIDENCE], ["--other-version=v"], "does not go with --evidence"],
  [["diff", "--evidence", EVIDENCE, EVIDENCE], ["--total-time=1"], "does not go with --evidence"],
  [["verify", EVIDENCE, `--public-key=${EVIDENCE}`], ["--no-solver"], "goes with a bundle"],
  [["who", "keys.getKey", SHIPPED_ROOT, "--at=2026-01-31"], ["--public-key=/nowhere"], "goes with a bundle"],
  [[...MATRIX, "--accounts=/nowhere", "--against=/nowhere"], ["--allowed-only"], "does not go with --against"],
  [[...MATRIX, "--permission-only"], ["--account-by=owner"], "goes with --accounts"],
  [["lock", SHIPPED_ROOT], ["--locked"], "does not go with lock, which writes the lock"],
])("%j: an option without an effect is refused: %j", async (args, option, why) => {
  const [name = ""] = option[0]?.split("=") ?? [];
  expect(await keyward([...args, ...option])).toEqual({
    code: 2,
    out: "",
    err: `keyward ${args[0]}: ${name} ${why}\n`,
  });
});

test("these are all commands", () => {
  // `verify` takes a file, and `init` makes the directory.
  expect(COMMANDS.toSorted()).toEqual([...Object.keys(TAKING), "verify", "init"].toSorted());
});

describe("help", () => {
  test("is asked for in several ways, and is fine", async () => {
    for (const args of [["--help"], ["-h"], ["help"], ["help", "--help"]]) {
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
      ["--help", name],
      ["-h", name],
      [name, "/nowhere", "--no-such-option", "--help"],
    ]) {
      expect(await keyward(args)).toEqual(help);
    }
    const [, options = ""] = /^options:\n((?: {2}.*\n)+)/m.exec(help.out) ?? [];
    // Each option has a description.
    for (const line of options.trimEnd().split("\n")) expect(line).toMatch(/^ {2}--[a-z-]+( [^ ]+)? {2,}\S+ \S+/);
    for (const option of name in TAKING ? POLICY_OPTIONS : []) expect(options).toContain(`  ${option} `);
    // The synopsis names the required arguments.
    const [synopsis = ""] = help.out.split("\n").filter((line) => line.startsWith("  keyward "));
    for (const [option] of synopsis.matchAll(/--[a-z-]+/g)) expect(options).toContain(`  ${option} `);
  });

  test("the version is the package's, with the levels of the policy language", async () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
    expect(await keyward(["--version"])).toEqual({
      code: 0,
      out: `${version}\ncerbos 0.55 (default), 0.58\n`,
      err: "",
    });
  });
});

describe("2: a slip at the terminal", () => {
  test("no command, and one that there is not", async () => {
    expect(await keyward([])).toEqual({ code: 2, out: "", err: USAGE });
    const { code, out, err } = await keyward(["chekc"]);
    expect([code, out]).toEqual([2, ""]);
    const commands = `commands: ${COMMANDS.join(", ")}; see keyward --help\n`;
    expect(err).toBe(`keyward: unknown command "chekc" (did you mean "check"?)\n${commands}`);
    for (const help of ["help", "--help"]) expect(await keyward([help, "chekc"])).toEqual({ code, out, err });
  });

  test.each(COMMANDS)("keyward %s with an option that it has not", async (name) => {
    expect(await keyward([name, "--zzzzzzzzzzz=1"])).toEqual({
      code: 2,
      out: "",
      err: `keyward ${name}: unknown option --zzzzzzzzzzz; see keyward ${name} --help\n`,
    });
  });

  const SEE = "; see keyward decide --help\n";

  test.each([
    [["--polices", "p"], 'unknown option --polices (did you mean "--policies"?)'],
    [["-policies", "p"], 'unknown option -policies (did you mean "--policies"?)'],
    [["--__proto__"], "unknown option --__proto__"],
    [["--policies"], "--policies needs a value: --policies DIR|BUNDLE"],
    [["--policies", "--locked"], "--policies needs a value: --policies DIR|BUNDLE"],
    [["--locked=yes", "--policies", "p"], "--locked takes no value"],
    [["--policies", "p", "--policies=q"], "--policies is given twice"],
    [["--input", "p"], "DIR|BUNDLE is missing"],
    [["--policies", "p", "q"], "the policies are given twice: q and --policies p"],
    [["p", "q"], "unexpected argument: q"],
  ])("keyward decide %j", async (args, message) => {
    expect(await keyward(["decide", ...args])).toEqual({ code: 2, out: "", err: `keyward decide: ${message}${SEE}` });
  });

  test("what a switch says it may say again, and an option may be given several times if it takes several", async () => {
    const more = ["--permission-only", "--permission-only", "--other-version", "a", "--other-version", "b"];
    expect(await keyward(["check", SHIPPED_ROOT, ...more])).toMatchObject({ code: 0 });
  });

  test.each([
    ["check", [], "DIR"],
    ["diff", ["a"], "NEW"],
    ["who", ["--policies", "p"], "OPERATION"],
    ["who", ["read"], "DIR|BUNDLE"],
    ["build", [SHIPPED_ROOT], "--output FILE"],
  ])("keyward %s %j: %s is missing", async (name, args, what) => {
    const err = `keyward ${name}: ${what} is missing; see keyward ${name} --help\n`;
    expect(await keyward([name, ...args])).toEqual({ code: 2, out: "", err });
  });

  test.each([
    [["replay", "-", "-", SHIPPED_ROOT]],
    [["replay", "-", "a.log", "-", "--policies", SHIPPED_ROOT]],
    [["tighten", "-", "-", SHIPPED_ROOT]],
    [["matrix", SHIPPED_ROOT, "--keys=-", "--resources=-", "--accounts=a"]],
    [["matrix", SHIPPED_ROOT, "--keys=k", "--resources=-", "--accounts=-"]],
    [["matrix", SHIPPED_ROOT, "--keys=k", "--resources=r", "--accounts=-", "--against=-"]],
  ])("standard input twice: keyward %j", async (args) => {
    const message = "standard input (-) is given twice: name a file for one of them";
    expect(await keyward(args)).toEqual({ code: 2, out: "", err: `keyward ${args[0]}: ${message}\n` });
  });

  test("three directories are no comparison", async () => {
    const { code, out, err } = await keyward(["diff", SHIPPED_ROOT, SHIPPED_ROOT, SHIPPED_ROOT]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(`keyward diff: too many arguments: ${SHIPPED_ROOT}; see keyward diff --help\n`);
  });

  const TAKERS = Object.keys(TAKING).flatMap((name) =>
    taking(name, "DIR").map((args) => [args.join(" "), name, args] as const),
  );

  test.each(TAKERS)("keyward %s on a directory that is not there, or none", async (_, name, args) => {
    const on = (path: string) => keyward(args.map((arg) => (arg === "DIR" ? path : arg)));
    const message = "there is no directory /nowhere/policies";
    expect(await on("/nowhere/policies")).toEqual({ code: 2, out: "", err: `keyward ${name}: ${message}\n` });
    const file = `${SHIPPED_ROOT}platform/api.yaml`;
    for (const [path, message] of [
      [file, `${file} is not a directory${BUNDLES.has(name) ? ", nor a bundle" : ""}`],
      [`${file}/deeper`, `there is no directory ${file}/deeper`],
    ] as const) {
      expect(await on(path)).toMatchObject({ code: 2, err: `keyward ${name}: ${message}\n` });
    }
  });
});
