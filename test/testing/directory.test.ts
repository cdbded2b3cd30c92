import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { MAX_FILE_SIZE } from "../../src/limits.js";
import { readPolicyDirectory } from "../../src/node/directory.js";
import { parseFilter, readSuiteDirectory } from "../../src/testing/index.js";
import { withFiles } from "../support/terminal.js";

describe("what is read of a directory", () => {
  test("suites anywhere, and what lies in testdata", async () => {
    const files = Object.fromEntries(
      [
        "a_test.yaml",
        ".hidden/b_TEST.JSON",
        "x/c.decisions.yml",
        "x/testdata/d.decisions.yaml",
        "x/testdata/deep/fixtures.json",
        "policy.yaml",
        "a_test.txt",
        "x/testdata/notes.txt",
        "decisions.yaml",
      ].map((path) => [path, path]),
    );
    await withFiles(files, async (directory) => {
      await symlink(join(directory, "policy.yaml"), join(directory, "link_test.yaml"));
      await symlink(join(directory, "x"), join(directory, "dir_test.yaml"));
      const read = await readSuiteDirectory(directory)();
      expect(isRight(read) && [...read.right].map(([path, text]) => `${path}: ${text}`)).toEqual([
        ".hidden/b_TEST.JSON: .hidden/b_TEST.JSON",
        "a_test.yaml: a_test.yaml",
        "link_test.yaml: policy.yaml",
        "x/c.decisions.yml: x/c.decisions.yml",
        "x/testdata/d.decisions.yaml: x/testdata/d.decisions.yaml",
        "x/testdata/deep/fixtures.json: x/testdata/deep/fixtures.json",
      ]);
      await rm(join(directory, "dir_test.yaml"));
      // Test files are not policies, regardless of the case of their names.
      const policies = await readPolicyDirectory(directory)();
      expect(isRight(policies) && policies.right.map(({ path }) => path)).toEqual(["decisions.yaml", "policy.yaml"]);
    });
  });

  test("every file that cannot be had is an issue", async () => {
    const files = {
      "big_test.yaml": " ".repeat(MAX_FILE_SIZE + 1),
      "bytes_test.yaml": new Uint8Array([0x61, 0x0a, 0xff]),
    };
    await withFiles(files, async (directory) => {
      await symlink(join(directory, "nothing"), join(directory, "broken_test.yaml"));
      const read = await readSuiteDirectory(directory)();
      const found = isLeft(read) ? read.left.map(({ file, line, code }) => `${file}:${line} ${code}`) : [];
      expect(found).toEqual(["big_test.yaml:1 too_large", "broken_test.yaml:1 io", "bytes_test.yaml:2 not_text"]);
    });
    const none = await readSuiteDirectory("/nowhere/at/all")();
    expect(isLeft(none) && none.left[0]).toMatchObject({ code: "io", file: "/nowhere/at/all" });
  });
});

describe("filters", () => {
  const NAME = { suite: "My suite", test: "A test", principal: "alice", resource: "doc:1" };

  function skipped(texts: readonly string[], run?: string): string | undefined {
    const filter = parseFilter(texts, run);
    if (isLeft(filter)) throw new Error(filter.left);
    return filter.right.skips(NAME, ["view", "edit"]);
  }

  test.each([
    [[], undefined],
    [["", " "], undefined],
    [["my SUITE / a"], undefined],
    [["other", "a test"], undefined],
    [["other"], "Test did not match the test filter"],
    [["suite=My*"], undefined],
    [[" Suite = x , My suite ; ;"], undefined],
    [["suite=x", "suite=My*"], undefined],
    [["suite=my*"], "Suite did not match the test filter"],
    [["test=A"], "Test did not match the test filter"],
    [["principal=bob"], "Principal did not match the test filter"],
    // `:` is a separator, as in action patterns.
    [["resource=d*"], "Resource did not match the test filter"],
    [["resource=d**"], undefined],
    [["action=e*"], undefined],
    [["action=delete"], "No actions matched the test filter"],
    [["principal=bob;suite=x"], "Suite did not match the test filter"],
  ])("%j", (texts, reason) => {
    expect(skipped(texts)).toBe(reason);
  });

  test("a regular expression is matched against the server's name of a test", () => {
    expect(skipped([], 'suite/test_table_name:"A test" principal_key:"alice" resource_key:"doc:1"$')).toBeUndefined();
    expect(skipped([], "^A test")).toBe("Test name did not match the provided pattern");
  });
});
