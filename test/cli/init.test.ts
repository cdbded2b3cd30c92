/** `keyward init`: sets that pass every check at once, and names and folders that are refused. */

import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultOperations, domainOf } from "../../src/cli/init/domain.js";
import { sortOf } from "../../src/cli/init/operation-sorts.js";
import { NEW_SETS } from "../support/new-sets.js";
import { keyward, withFiles } from "../support/terminal.js";

/** The files below a directory, by path. */
async function contents(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(paths.toSorted().map((path) => readFile(path, "utf8")));
  return new Map(paths.toSorted().map((path, i) => [path.slice(root.length + 1), texts[i] ?? ""]));
}

describe.each(NEW_SETS.map((args) => [args.join(" "), args] as const))("keyward init %s", (_, args) => {
  test("is checked, tested and decides without a fault, a warning or a gap", async () => {
    await withFiles({}, async (root) => {
      expect(await keyward(["init", root, ...args])).toMatchObject({ code: 0 });
      const checked = await keyward(["check", root, "--max-warnings", "0", "--locked"]);
      expect(checked).toEqual({ code: 0, out: "", err: `${root}: 2 policies, no errors\n` });
      const tested = await keyward(["test", root, "--coverage", "text", "--min-coverage", "100"]);
      expect(tested).toMatchObject({ code: 0, err: "" });
      expect(tested.out).toMatch(/^(\d+) tests executed \[\1 OK\]$/m);
      expect(tested.out).toMatch(/^Coverage 100 %$/m);
      const decided = await keyward(["decide", root, "--input", join(root, "testdata", "request.json")]);
      expect(decided).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(decided.out)).toMatchObject({ outcome: "allow" });
      const types = ["types", root, "--output", join(root, "policies.ts"), "--check"];
      expect(await keyward(types)).toEqual({ code: 0, out: "", err: "" });
    });
  });
});

test.each(NEW_SETS.slice(0, 3).map((args) => [args.join(" "), args] as const))(
  "keyward init %s writes the same bytes each time, and no file twice",
  async (_, args) => {
    await withFiles({}, async (root) => {
      for (const name of ["one", "two"])
        expect(await keyward(["init", name, ...args], "", root)).toMatchObject({ code: 0 });
      const [one, two] = [await contents(join(root, "one")), await contents(join(root, "two"))];
      expect(two).toEqual(one);
      expect(one.size).toBe(17);
      const again = await keyward(["init", "one", ...args], "", root);
      const listed = [...one.keys()].toSorted().map((path) => `  ${path}\n`);
      const message = "keyward init: nothing was written, because one has these files already:\n";
      expect(again).toEqual({ code: 2, out: "", err: message + listed.join("") });
      expect(await contents(join(root, "one"))).toEqual(one);
    });
  },
);

test("an empty directory is the default, and the output lists the files and the next commands", async () => {
  await withFiles({}, async (root) => {
    const { code, out, err } = await keyward(["init"], "", root);
    expect([code, err]).toEqual([0, ""]);
    const [files = "", next = ""] = out.split("\n\n");
    expect(new Set(files.split("\n"))).toEqual(new Set((await contents(root)).keys()));
    expect(next).toContain("npx keyward decide . --input testdata/request.json\n");
    expect(next).toMatch(/^ {2}npm install --global keyward@\S+ z3-solver@\S+\n {2}keyward prove \.$/m);
    expect(await keyward(["check", root, "--max-warnings", "0"])).toMatchObject({ code: 0 });
  });
});

test("in the folder of a program the policies have a folder of their own", async () => {
  await withFiles({ "package.json": "{}", "src/main.ts": "" }, async (root) => {
    expect(await keyward(["init", "--policies", root, "--framework", "hono"])).toMatchObject({ code: 0, err: "" });
    const written = await contents(root);
    expect([...written.keys()].filter((path) => !path.startsWith("policies/"))).toEqual([
      ".github/workflows/policies.yml",
      "handler-test.ts",
      "handler.ts",
      "package.json",
      "policies.ts",
      "src/main.ts",
    ]);
    expect(written.get("handler.ts")).toContain('from "keyward/http/hono"');
    expect(await keyward(["check", join(root, "policies"), "--locked", "--max-warnings", "0"])).toMatchObject({
      code: 0,
    });
    // Every command of the workflow names the folder.
    const commands = (written.get(".github/workflows/policies.yml") ?? "").match(/npx keyward \w+ \S+/g) ?? [];
    expect(commands.map((command) => command.split(" ").slice(2))).toEqual(
      ["check", "test", "prove", "mutate", "types"].map((name) => [name, "policies"]),
    );
  });
});

describe("refused, and nothing is written", () => {
  test.each([
    ["a file of the set", { "platform/document.yaml": "mine" }, "platform/document.yaml"],
    ["a file in the place of a folder", { testdata: "mine" }, "testdata"],
    ["another policy, which the lock would lack", { "deeper/mine.yml": "mine" }, "deeper/mine.yml"],
    ["a hidden configuration", { ".keyward.yaml": "platform: none" }, ".keyward.yaml"],
    ["a workflow of this name", { ".github/workflows/policies.yml": "mine" }, ".github/workflows/policies.yml"],
  ])("%s", async (_, files, listed) => {
    await withFiles(files as { readonly [path: string]: string }, async (root) => {
      const before = await contents(root);
      const message = `keyward init: nothing was written, because ${root} has these files already:\n  ${listed}\n`;
      expect(await keyward(["init", root])).toEqual({ code: 2, out: "", err: message });
      expect(await contents(root)).toEqual(before);
    });
  });

  test("a link that leads nowhere", async () => {
    await withFiles({}, async (root) => {
      await symlink("nowhere", join(root, "handler.ts"));
      expect(await keyward(["init", root])).toMatchObject({
        code: 2,
        err: expect.stringContaining("\n  handler.ts\n"),
      });
      expect(await readdir(root)).toEqual(["handler.ts"]);
    });
  });

  test("a directory that cannot be written: what was written before is removed", async () => {
    await withFiles({}, async (root) => {
      // Linux takes paths of 4,095 bytes: `_schemas/account.json` fits below this folder, and longer paths do not.
      await mkdir(join(root, "set"));
      let deep = join(root, "set");
      while (deep.length < 3800) deep = join(deep, "d".repeat(200));
      deep = join(deep, "d".repeat(4068 - deep.length));
      const { code, out, err } = await keyward(["init", deep]);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/^keyward init: nothing was written: /);
      expect(await readdir(join(root, "set"))).toEqual([]);
    });
  });

  test("a file in the place of DIR", async () => {
    await withFiles({ file: "" }, async (root) => {
      const path = join(root, "file");
      expect(await keyward(["init", path])).toEqual({
        code: 2,
        out: "",
        err: `keyward init: ${path} is not a directory\n`,
      });
    });
  });

  test.each([
    [["--kind", ""], "--kind: a name is empty"],
    [["--kind", "my kind"], '--kind: "my kind" is not a usable name'],
    [["--kind", "../up"], '--kind: "../up" is not a usable name'],
    [["--kind", "7up"], '--kind: "7up" is not a usable name'],
    [["--kind", "*"], '--kind: "*" is not a usable name'],
    [["--kind", "key"], '--kind: "key" is reserved'],
    [["--kind", "Account"], '--kind: "Account" is reserved'],
    [["--kind", "constructor"], '--kind: "constructor" is reserved'],
    [["--kind", "d".repeat(61)], "is longer than 60 characters"],
    [["--operations", ""], "--operations: a name is empty"],
    [["--operations", "a.read,,a.write"], "--operations: a name is empty"],
    [["--operations", "a.read,a.read"], '--operations: "a.read" is given twice'],
    [["--operations", "a.*"], '--operations: "a.*" is not a usable name'],
    [["--operations", "a..b"], '--operations: "a..b" is not a usable name'],
    [["--operations", "a.b.c,a_b.c,x.c"], '--operations: "a.b.c" and "a_b.c" would need the same permission, a_b_c'],
    [["--operations", Array.from({ length: 101 }, (_, i) => `a.b${i}`).join(",")], "101 names, and at most 100"],
    [["--plans", "free,free"], '--plans: "free" is given twice'],
    [["--plans", "a,b,c,d,e,f,g,h,i"], "9 names, and at most 8"],
    [["--framework", "koa"], "--framework must be one of fastify, express, hono"],
  ])("%j", async (args, message) => {
    await withFiles({}, async (root) => {
      const { code, out, err } = await keyward(["init", root, ...args]);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(message);
      expect(await readdir(root)).toEqual([]);
    });
  });
});

test.each([
  ["devices.create", "create"],
  ["devices.list", "list"],
  ["devices.get", "read"],
  ["devices.update", "write"],
  ["devices.delete", "delete"],
  ["apis.createApi", "create"],
  ["deleteAll", "delete"],
  ["read.everything", "read"],
  ["list.delete", "delete"],
  ["remove_user", "delete"],
  ["add-user", "create"],
  ["address.change", "write"],
  ["frobnicate", "write"],
  ["GET", "read"],
])("%s is an operation of the sort %s", (operation, sort) => {
  expect(sortOf(operation)).toBe(sort);
});

test("the default operations have one of each sort", () => {
  const { operations } = domainOf("device", defaultOperations("device"), ["free"]);
  expect(operations.map(({ name, sort }) => [name, sort])).toEqual([
    ["devices.create", "create"],
    ["devices.list", "list"],
    ["devices.read", "read"],
    ["devices.update", "write"],
    ["devices.delete", "delete"],
  ]);
});

test("--plans without an operation that creates is not passed over in silence", async () => {
  await withFiles({}, async (root) => {
    const { code, err } = await keyward(["init", root, "--operations", "a.read", "--plans", "x,y"]);
    expect([code, err]).toEqual([
      0,
      "keyward init: no operation creates, so no rule has a quota and none reads the plan\n",
    ]);
  });
});
