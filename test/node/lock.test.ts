/**
 * With a lock file, a policy set is loaded completely or not at all.
 *
 * @module-tag long
 */

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { policySetHash } from "../../src/index.js";
import { readPolicyRevision } from "../../src/node/git.js";
import { loadCheckEngine, loadPolicies, type ReadOptions, readPolicyDirectory } from "../../src/node/index.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { checkLock, lockText } from "../../src/policy/lock.js";
import { beginnings, SHIPPED_PATHS, shippedCopy } from "../support/directory.js";
import { shipped } from "../support/policies.js";
import { sized } from "../support/size.js";
import { keyward } from "../support/terminal.js";

const LOCK = "keyward.lock";
const PATH = "platform/api.yaml";

async function lockedCopy(): Promise<string> {
  const directory = shippedCopy();
  expect((await keyward(["lock", directory])).code).toBe(0);
  return directory;
}

/** The issues of a directory, as `file:line code message`. */
async function issues(directory: string): Promise<readonly string[]> {
  const loaded = await loadPolicies(directory)();
  return isLeft(loaded) ? loaded.left.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`) : [];
}

describe("keyward lock", () => {
  test("writes what sha256sum can check, and whose hash is that of the set", async () => {
    const directory = shippedCopy();
    const { code, out, err } = await keyward(["lock", directory]);
    const hash = await policySetHash(shipped);
    expect([code, out]).toEqual([0, ""]);
    expect(err).toBe(`${join(directory, LOCK)}: ${SHIPPED_PATHS.length} files, ${hash}\n`);
    const sums = spawnSync("sha256sum", ["--check", "--strict", LOCK], { cwd: directory, encoding: "utf8" });
    if (sums.error === undefined) expect([sums.status, sums.stderr]).toEqual([0, ""]);
    expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([".keyward.yaml"]);
    const loaded = await loadPolicies(directory, { lock: "required" })();
    expect(isRight(loaded) && (await policySetHash(loaded.right))).toBe(hash);
    expect((await keyward(["check", directory, "--locked"])).code).toBe(0);
  });

  test("takes the directory that it is in, and writes over a lock that does not fit", async () => {
    const directory = await lockedCopy();
    appendFileSync(join(directory, PATH), "# more\n");
    expect((await keyward(["check", directory])).code).toBe(3);
    expect((await keyward(["lock", directory])).code).toBe(0);
    expect((await keyward(["check", directory])).code).toBe(0);
  });

  test("locks no policies that are not valid", async () => {
    const directory = shippedCopy();
    writeFileSync(join(directory, PATH), "a: b\n");
    const { code, err } = await keyward(["lock", directory]);
    expect(code).toBe(3);
    expect(err).toContain("platform/api.yaml:1:1 error shape ");
    expect(existsSync(join(directory, LOCK))).toBe(false);
  });
});

describe("a set that is another than its lock says is not loaded", () => {
  test("a file that differs, one more, one less", async () => {
    const directory = await lockedCopy();
    const line =
      readFileSync(join(directory, LOCK), "utf8")
        .split("\n")
        .findIndex((one) => one.endsWith(PATH)) + 1;
    const text = readFileSync(join(directory, PATH));
    appendFileSync(join(directory, PATH), "\n");
    expect(await issues(directory)).toEqual([`${PATH}:1 lock not the text that ${LOCK} has`]);
    rmSync(join(directory, PATH));
    expect(await issues(directory)).toEqual([`${LOCK}:${line} lock there is no file "${PATH}"`]);
    writeFileSync(join(directory, PATH), text);
    expect(await issues(directory)).toEqual([]);
    writeFileSync(join(directory, "_schemas", "more.json"), "{}");
    expect(await issues(directory)).toEqual([`_schemas/more.json:1 lock ${LOCK} does not have this file`]);
  });

  test("by no loader and no command, except for those that are told to", async () => {
    const directory = await lockedCopy();
    appendFileSync(join(directory, PATH), "\n");
    const loaders = [
      async (options: ReadOptions) => isRight(await loadPolicies(directory, options)()),
      async (options: ReadOptions) => isRight(await loadCheckEngine(directory, options)()),
      async (options: ReadOptions) => isRight(await readPolicyDirectory(directory, options)()),
    ];
    for (const load of loaders) expect([await load({}), await load({ lock: "ignored" })]).toEqual([false, true]);
    for (const args of [
      ["check", directory],
      ["review", directory],
      ["test", directory],
      ["diff", directory, directory],
      ["decide", "--policies", directory],
      ["explain", "--policies", directory],
      ["check-resources", "--policies", directory],
    ]) {
      const { code, out, err } = await keyward(args);
      expect([args[0], code, out + err]).toEqual([args[0], 3, expect.stringContaining(`${PATH}:1:1 error lock `)]);
    }
  });

  test("a set without one, where one is required", async () => {
    const directory = shippedCopy();
    const loaded = await loadPolicies(directory, { lock: "required" })();
    expect(loaded).toMatchObject({ left: [{ file: LOCK, line: 1, code: "lock" }] });
    expect((await keyward(["check-resources", "--policies", directory, "--locked"])).code).toBe(3);
    expect((await keyward(["check", directory, "--locked"])).code).toBe(3);
  });

  test("the same in a revision of a repository", async () => {
    const directory = await lockedCopy();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: directory });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "locked");
    appendFileSync(join(directory, PATH), "\n");
    git("commit", "--quiet", "-a", "-m", "another file");
    expect(isRight(await readPolicyRevision(directory, "HEAD~1", "."))).toBe(true);
    expect(await readPolicyRevision(directory, "HEAD", ".")).toMatchObject({ left: [{ file: PATH, code: "lock" }] });
    git("rm", "--quiet", "--cached", LOCK);
    git("commit", "--quiet", "-m", "no lock");
    expect(isRight(await readPolicyRevision(directory, "HEAD", "."))).toBe(true);
    expect(isLeft(await readPolicyRevision(directory, "HEAD", ".", { lock: "required" }))).toBe(true);
  });

  test("one that was cut in any file, at any line or anywhere: none is loaded", async () => {
    const directory = await lockedCopy();
    const each = Math.ceil(sized(2_000) / SHIPPED_PATHS.length);
    let cut = 0;
    for (const path of [...SHIPPED_PATHS, LOCK]) {
      const file = join(directory, path);
      const text = readFileSync(file, "utf8");
      for (const beginning of beginnings(text, each)) {
        writeFileSync(file, beginning);
        const loaded = await loadPolicies(directory)();
        const codes = isLeft(loaded) ? new Set(loaded.left.map(({ code }) => code)) : "loaded";
        expect([path, beginning.length, codes]).toEqual([path, beginning.length, new Set(["lock"])]);
        cut++;
      }
      writeFileSync(file, text);
    }
    expect(await issues(directory)).toEqual([]);
    expect(cut).toBeGreaterThan(sized(2_000) + 500);
  });
});

describe("the text of a lock", () => {
  const HASH = "0".repeat(64);
  const found = (lock: string, ...paths: string[]) => {
    const log = new IssueLog();
    checkLock(
      lock,
      paths.map((path) => ({ path, hash: HASH })),
      log,
    );
    return log.issues.map(({ file, line, message }) => `${file}:${line} ${message}`);
  };

  test("has any path, in the order of its bytes", () => {
    const paths = ["a b", "a\nb", "a\\n", "a\rb", "é", "z", "\u2028", "\u{1f511}", "\uffff"];
    const text = lockText(paths.map((path) => ({ path, hash: HASH })));
    expect(found(text, ...paths)).toEqual([]);
    expect(text.split("\n").map((line) => line.slice(line.indexOf(" ") + 2))).toEqual([
      "a\\nb",
      "a\\rb",
      "a b",
      "a\\\\n",
      "z",
      "é",
      "\u2028",
      "\uffff",
      "\u{1f511}",
      "",
    ]);
  });

  test.each([
    ["text", `${HASH}  a\nx\n`, "2 not a line of a lock: 64 hexadecimal digits, two spaces, a path"],
    ["a path twice", `${HASH}  a\n${HASH}  a\n`, '2 "a" is here twice'],
    ["a last line without its end", `${HASH}  a\n${HASH}  b`, "2 the lock ends in the middle of a line"],
    ["capital digits", `${"A".repeat(64)}  a\n`, "1 not a line of a lock: 64 hexadecimal digits, two spaces, a path"],
    ["lines as Windows ends them", `${HASH}  a\r\n`, '1 there is no file "a\\r"'],
  ])("is refused with %s", (_, lock, issue) => {
    expect(found(lock, "a")).toContain(`${LOCK}:${issue}`);
  });
});
