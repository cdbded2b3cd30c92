import { type FileHandle, mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_FILE_SIZE } from "../../src/limits.js";
import { readPolicyDirectory } from "../../src/node/directory.js";
import { show } from "./support.js";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "keyward-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(files: { readonly [path: string]: string | Uint8Array }): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** Returns the paths read, or the issues, with the temporary directory written as `ROOT`. */
async function read(directory = root): Promise<readonly string[]> {
  const result = await readPolicyDirectory(directory)();
  if (isLeft(result)) return result.left.map((issue) => show(issue).replaceAll(root, "ROOT"));
  return result.right.map((file) => file.path);
}

async function sparse(path: string, size: number): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(join(root, path), "w");
    await file.truncate(size);
  } finally {
    await file?.close();
  }
}

test("a byte order mark is kept: what it is in a policy or a schema is the loader's to say", async () => {
  const [policy, schema] = ["\ufeffapiVersion: api.cerbos.dev/v1\n", "\ufeff{}"];
  await write({ "a.yaml": policy, "_schemas/p.json": schema });
  const result = await readPolicyDirectory(root)();
  expect(isLeft(result) ? result.left : result.right.map(({ text }) => text)).toEqual([schema, policy]);
});

describe("which files of a directory are read", () => {
  test("policies and schemas, by path; not hidden files, tests, fixtures and other types", async () => {
    await write({
      "b.yaml": "b",
      "a/b.yml": "a",
      "a.yaml": "x",
      "A.JSON": "{}",
      "README.md": "no",
      ".hidden.yaml": "no",
      ".git/config.yaml": "no",
      "a_test.yaml": "no",
      "a_test.yml": "no",
      "all.decisions.yaml": "no",
      "a/testdata/x.yaml": "no",
      "a_test/c.yaml": "directories may be called so",
      "_schemas/p.json": "{}",
      "_schemas/deep/r.json": "{}",
      "_schemas/r.yaml": "no",
      "_schemas/.hidden/p.json": "no",
    });
    expect(await read()).toEqual([
      "A.JSON",
      "_schemas/deep/r.json",
      "_schemas/p.json",
      "a.yaml",
      "a/b.yml",
      "a_test/c.yaml",
      "b.yaml",
    ]);
  });

  test("a policy whose name has a line break in it, as on the server", async () => {
    await write({ "dir\n/deny\n.all.yaml": "", "b.yaml": "" });
    expect(await read()).toEqual(["b.yaml", "dir\n/deny\n.all.yaml"]);
  });

  test("links to files are followed, links to directories are an error unless they are hidden", async () => {
    await write({ "real/a.yaml": "", "outside.txt": "", "testdata/b.yaml": "" });
    await symlink(join(root, "outside.txt"), join(root, "link.yaml"));
    await symlink(join(root, "real"), join(root, "..data"));
    await symlink(join(root, "outside.txt"), join(root, "other.txt"));
    await symlink(join(root, "nothing"), join(root, "broken"));
    expect(await read()).toEqual(["link.yaml", "real/a.yaml"]);
    await symlink(root, join(root, "real", "cycle"));
    await symlink(join(root, "real"), join(root, "_schemas"));
    const message = "1:1 io a link to a directory, which is not followed";
    const hint = "(put the files where the link is, or link each of them)";
    expect(await read()).toEqual([`_schemas:${message} ${hint}`, `real/cycle:${message} ${hint}`]);
  });

  test.each(["keyward.yaml", ".keyward.yaml", "keyward.lock"])("a directory with the name %s", async (name) => {
    await write({ "a.yaml": "", [`${name}/b.yaml`]: "", [`sub/${name}/c.yaml`]: "" });
    expect(await read()).toEqual([`${name}:1:1 io a directory in the place of a file`]);
  });

  test("links that lead out of the directory are an error, unless they are asked for", async () => {
    await write({ "policies/a.yaml": "a", "policies-2/b.yaml": "b", "policies/deep/c.yaml": "c" });
    await symlink("../policies-2/b.yaml", join(root, "policies", "out.yaml"));
    await symlink("/etc/passwd", join(root, "policies", "deep", "far.yaml"));
    await symlink(join(root, "policies-2"), join(root, "policies", "_schemas.yaml"));
    await symlink("../deep/../a.yaml", join(root, "policies", "deep", "in.yaml"));
    await symlink("policies", join(root, "linked"));
    for (const name of ["policies", "linked"]) {
      const hint = "`followLinks`, on the command line `--follow-links`, follows it";
      const message = `1:1 io a link that leads out of the directory (${hint})`;
      const out = ["_schemas.yaml", "deep/far.yaml", "out.yaml"];
      expect(await read(join(root, name))).toEqual(out.map((path) => `${path}:${message}`));
    }
    await rm(join(root, "policies", "_schemas.yaml"));
    const followed = await readPolicyDirectory(join(root, "linked"), { followLinks: true })();
    expect(followed).toMatchObject({ right: { length: 5 } });
  });
});

describe("what cannot be read", () => {
  test.each([
    ["a directory that is not there", "nowhere", "io ENOENT: no such file or directory"],
    ["a file", "file.yaml", "io not a directory"],
    ["an empty directory", "empty", "no_policies there is no policy file here"],
    ["a directory of schemas only", "schemas", "no_policies there is no policy file here"],
  ])("%s", async (_, name, issue) => {
    await write({ "file.yaml": "a", "schemas/_schemas/p.json": "{}" });
    await mkdir(join(root, "empty"));
    expect(await read(join(root, name))).toEqual([`ROOT/${name}:1:1 ${issue}`]);
  });

  test("a path with a NUL in it", async () => {
    expect(await read("a\0b")).toEqual([expect.stringContaining(":1:1 io ")]);
  });

  test("100 MB, and one byte more than the limit: refused by their size", async () => {
    await sparse("a.yaml", 100 * 1024 * 1024);
    await sparse("b.yaml", MAX_FILE_SIZE + 1);
    await write({ "c.yaml": "x" });
    const message = `too_large larger than ${MAX_FILE_SIZE} bytes`;
    expect(await read()).toEqual([`a.yaml:1:1 ${message}`, `b.yaml:1:1 ${message}`]);
  });

  test("bytes that are not UTF-8, at the first of them", async () => {
    await write({ "a.yaml": Buffer.concat([Buffer.from("é: \ufffd\nb: "), Buffer.from([0xc3, 0x28])]) });
    await write({ "b.yaml": Buffer.from([0xff, 0xfe, 0x00]) });
    expect(await read()).toEqual(["a.yaml:2:4 not_text not UTF-8 text", "b.yaml:1:1 not_text not UTF-8 text"]);
  });

  test("links to nothing, to themselves and to directories, by the name of a policy", async () => {
    await write({ "dir/a.yaml": "a" });
    await symlink(join(root, "nothing"), join(root, "b.yaml"));
    await symlink(join(root, "c.yaml"), join(root, "c.yaml"));
    await symlink(join(root, "dir"), join(root, "d.yaml"));
    expect(await read()).toEqual([
      "b.yaml:1:1 io ENOENT: no such file or directory",
      "c.yaml:1:1 io ELOOP: too many symbolic links encountered",
      "d.yaml:1:1 io not a file",
    ]);
  });

  test("schemas that are not at the root", async () => {
    await write({ "a.yaml": "a", "policies/_schemas/p.json": "{}" });
    expect(await read()).toEqual(["policies/_schemas:1:1 schema _schemas must be at the root of the policies"]);
  });
});
