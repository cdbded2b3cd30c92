/** The hash of a policy set identifies the policies that decided. */

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { type PolicyFile, type PolicySet, policySetHash } from "../../src/index.js";
import { loadPolicies } from "../../src/node/index.js";
import { writeLock } from "../../src/node/lock.js";
import { LOCK_FILE } from "../../src/policy/lock.js";
import { ROOT } from "../support/built.js";
import { policy } from "../support/compose.js";
import { compiled, SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import "../support/seed.js";

const HASH = /^sha256:[0-9a-f]{64}$/;
/** The shipped set, built from other files. */
const setOf = (files: readonly PolicyFile[], hash?: string): PolicySet => {
  const { permission, platform, tables, model, configuration, warnings } = shipped;
  return { permission, platform, tables, model, configuration, files, hash, warnings };
};
const hashOf = (files: readonly PolicyFile[]) => policySetHash(setOf(files));

test("equal for the same files in any order, and computed once", async () => {
  const hash = await policySetHash(shipped);
  expect(hash).toMatch(HASH);
  expect(policySetHash(shipped)).toBe(policySetHash(shipped));
  expect(await policySetHash(compiled([...shippedFiles].reverse()))).toBe(hash);
  expect(await policySetHash(compiled(shippedFiles, { codegen: false, schemaEnforcement: "reject" }))).toBe(hash);
});

test("another for other texts, paths and numbers of files", async () => {
  const [first, ...rest] = shippedFiles;
  if (first === undefined) throw new Error("there are no shipped policies");
  const sets = [
    shippedFiles,
    [{ ...first, text: `${first.text} ` }, ...rest],
    [{ ...first, text: `${first.text}\n` }, ...rest],
    [...shippedFiles, { path: "_schemas/unused.json", text: "{}" }],
    [...shippedFiles, { path: "_schemas/unused2.json", text: "{}" }],
    [{ ...first, path: `other/${first.path}` }, ...rest],
    rest,
    [],
  ];
  const hashes = await Promise.all(sets.map(hashOf));
  expect(new Set(hashes).size).toBe(sets.length);
});

test("of a set out of a bundle, which has no files, it is what the bundle says", async () => {
  const hash = await hashOf(shippedFiles.slice(1));
  expect(await policySetHash(setOf([], hash))).toBe(hash);
});

test("it does not follow what a caller does to the list later", async () => {
  const files = shippedFiles.map((file) => ({ ...file }));
  const policies = compiled(files);
  for (const file of files) file.text = "";
  files.pop();
  expect(await policySetHash(policies)).toBe(await policySetHash(shipped));
});

test("no two sets of paths and texts have one list of lines", async () => {
  const line = (hash: string, path: string) => `${hash}  ${path}`;
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");
  // A path that imitates the line of another file.
  const [policy, ...others] = shippedFiles;
  if (policy === undefined) throw new Error("there are no shipped policies");
  const one = [...shippedFiles, { path: "_schemas/a.json", text: "{}" }, { path: "_schemas/b.json", text: "[]" }];
  const two = [policy, ...others, { path: `_schemas/a.json\n${line(sha("[]"), "_schemas/b.json")}`, text: "{}" }];
  expect(await hashOf(one)).not.toBe(await hashOf(two));
});

const noCommand = spawnSync("sha256sum", ["--version"]).status !== 0 || process.platform === "win32";

describe.skipIf(noCommand)("as the command of the documentation has it (skipped without sha256sum)", () => {
  const [command = ""] = [...readFileSync(`${ROOT}docs/embedding.md`, "utf8").matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, block = ""]) => block)
    .filter((block) => block.includes("sha256sum"));

  const RULE = "actions: [read], roles: [account], effect: EFFECT_ALLOW";
  const OTHERS = {
    "platform/a page.yml": policy({ resource: "page", version: "platform", rules: [RULE] }),
    "platform/more pages/leaf.yaml": policy({ resource: "leaf", version: "platform", rules: [RULE] }),
    "_schemas/a schema.json": "{}",
    "PAGE.YAML": policy({ resource: "upper", version: "platform", rules: [RULE] }),
    "platform/b_test.c/more_test.yaml.YML": policy({ resource: "deep", version: "platform", rules: [RULE] }),
    "platform/folder.yaml/d.claims.json.Json": policy({ resource: "folder", version: "platform", rules: [RULE] }),
    "_schemas/B.JSON": "{}",
    "_schemas/testdata/c_test.json": "{}",
    // Files that are not policies.
    "_schemas/a.yaml": "{}",
    "platform/page_TEST.YAML": "name: none",
    "platform/page.Decisions.yml": "name: none",
    "platform/page_test.yaml": "name: none",
    "platform/page.decisions.yml": "name: none",
    "platform/page.claims.json": "{}",
    "platform/testdata/a.yaml": "a: 1",
    ".hidden/a.yaml": "a: 1",
    "platform/.a.yaml": "a: 1",
    "README.md": "",
  };

  test.each([
    ["the shipped policies", {}],
    ["policies of any name that is read, among other files", OTHERS],
  ])("for %s, loaded from their directory; it is the hash of their lock", async (_, others) => {
    const directory = mkdtempSync(join(tmpdir(), "keyward-hash-"));
    try {
      const policies = join(directory, "policies");
      cpSync(SHIPPED_ROOT, policies, { recursive: true });
      for (const [path, text] of Object.entries(others)) {
        mkdirSync(dirname(join(policies, path)), { recursive: true });
        writeFileSync(join(policies, path), text);
      }
      const printed = execFileSync("sh", ["-c", command], { cwd: directory, encoding: "utf8" });
      const loaded = await loadPolicies(policies)();
      if (isLeft(loaded)) throw new Error(JSON.stringify(loaded.left));
      expect(await policySetHash(loaded.right)).toBe(`sha256:${printed.slice(0, 64)}`);
      await writeLock(policies, loaded.right.files);
      const lock = execFileSync("sha256sum", [join(policies, LOCK_FILE)], { encoding: "utf8" });
      expect(lock.slice(0, 64)).toBe(printed.slice(0, 64));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

test("whatever the paths: the order is that of their bytes", async () => {
  const path = fc.string({ unit: "binary", minLength: 1, maxLength: 6 }).map((name) => `_schemas/${name}.json`);
  const schemas = fc
    .uniqueArray(path, { maxLength: 12 })
    .map((paths) => paths.map((each) => ({ path: each, text: "1" })));
  await fc.assert(
    fc.asyncProperty(schemas, async (more) => {
      const files = [{ path: "policy.yaml", text: "" }, ...more];
      const lines = files
        .map(({ path: name, text }) => ({ name: Buffer.from(name), text }))
        .sort((a, b) => Buffer.compare(a.name, b.name))
        .map(({ name, text }) => {
          const plain = name.toString();
          const escaped = plain.replace(/[\\\n\r]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[c] ?? c);
          const mark = escaped === plain ? "" : "\\";
          return `${mark}${createHash("sha256").update(text).digest("hex")}  ${escaped}\n`;
        });
      const expected = createHash("sha256").update(lines.join("")).digest("hex");
      expect(await hashOf(files)).toBe(`sha256:${expected}`);
    }),
    { numRuns: 300 },
  );
});
