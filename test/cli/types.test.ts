import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { typesModule } from "../../src/audit/types/module.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import { keyward, withFiles } from "../support/terminal.js";

const MODULE = typesModule(shipped);

test("the module goes to standard output, or to a file", async () => {
  expect(await keyward(["types", SHIPPED_ROOT])).toEqual({ code: 0, out: MODULE, err: "" });
  await withFiles({ "old.ts": "old" }, async (directory) => {
    const output = join(directory, "old.ts");
    expect(await keyward(["types", SHIPPED_ROOT, "--output", output])).toEqual({ code: 0, out: "", err: "" });
    expect(await readFile(output, "utf8")).toBe(MODULE);
  });
});

test("--check writes nothing: 0 where the file is what would be written, 4 where it is not or is not there", async () => {
  await withFiles({ "types.ts": MODULE }, async (directory) => {
    const output = join(directory, "types.ts");
    const check = ["types", SHIPPED_ROOT, "--output", output, "--check"];
    expect(await keyward(check)).toEqual({ code: 0, out: "", err: "" });
    const other = `${MODULE}\n`;
    await writeFile(output, other);
    const { code, out, err } = await keyward(check);
    expect([code, out]).toEqual([4, ""]);
    expect(err).toContain(`${output} is out of date: the policies in ${SHIPPED_ROOT} give another module`);
    expect(await readFile(output, "utf8")).toBe(other);
    const missing = await keyward(["types", SHIPPED_ROOT, "--output", join(directory, "none.ts"), "--check"]);
    expect(missing.code).toBe(4);
  });
});

test("bad usage is 2, policies that are not valid 3", async () => {
  expect(await keyward(["types"])).toMatchObject({ code: 2, out: "" });
  for (const output of [[], ["--output", "-"]])
    expect(await keyward(["types", SHIPPED_ROOT, "--check", ...output])).toMatchObject({ code: 2, out: "" });
  const unwritable = await keyward(["types", SHIPPED_ROOT, "--output", join(SHIPPED_ROOT, "none", "x.ts")]);
  expect(unwritable).toMatchObject({ code: 2, out: "" });
  expect(unwritable.err).toContain("cannot write");
  const unreadable = await keyward(["types", SHIPPED_ROOT, "--output", SHIPPED_ROOT, "--check"]);
  expect(unreadable).toMatchObject({ code: 2, out: "" });
  await withFiles({ "a.yaml": "apiVersion: nonsense" }, async (directory) => {
    const { code, out, err } = await keyward(["types", directory]);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("a.yaml:1:1");
  });
});

test("a permission-only set is one by its option", async () => {
  const policy = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: v2
  rules:
    - {actions: [read], roles: [user], effect: EFFECT_ALLOW}
`;
  await withFiles({ "a.yaml": policy }, async (directory) => {
    expect(await keyward(["types", directory])).toMatchObject({ code: 3, out: "" });
    const { code, out } = await keyward(["types", directory, "--permission-only", "--permission-version", "v2"]);
    expect(code).toBe(0);
    expect(out).toContain('readonly platform: "none";');
    expect(out).toContain('readonly operations: "read";');
  });
});
