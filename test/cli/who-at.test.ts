/**
 * `keyward who --at`: who could do something on a day, by the git history of the policies and the history of the keys.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { KEY_HISTORY_SCHEMA } from "../../src/cli/who/key-history-schema.js";
import { keyward, withFiles } from "../support/terminal.js";

const policy = (...roles: readonly string[]) => `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: {principalSchema: {ref: "cerbos:///key.json"}}
  rules:
    - {actions: [delete], roles: [${roles.join(", ")}], effect: EFFECT_ALLOW}
    - actions: [delete]
      roles: [custom]
      effect: EFFECT_ALLOW
      condition: {match: {expr: '"doc.delete" in P.attr.permissions'}}
`;
const SCHEMA = '{"type": "object", "properties": {"permissions": {"type": "array", "items": {"type": "string"}}}}';

function git(cwd: string, date: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    ...{ cwd, encoding: "utf8", stdio: "pipe" },
    env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
  });
}

/** Editors may from March on; since 1 June at 23:30 UTC only admins. A branch that was merged later has other policies. */
async function inHistory<T>(use: (root: string) => Promise<T>): Promise<T> {
  const files = { "policies/doc.yaml": policy("admin", "editor"), "policies/_schemas/key.json": SCHEMA };
  return await withFiles({ ...files, "policies/keyward.yaml": "platform: none\n" }, async (root) => {
    const commit = (date: string, text: string) => {
      writeFileSync(join(root, "policies/doc.yaml"), text);
      git(root, date, "add", "-A");
      git(root, date, "commit", "-q", "-m", date);
    };
    git(root, "", "init", "-q", "-b", "main");
    commit("2026-03-01T00:00:00Z", policy("admin", "editor"));
    git(root, "", "checkout", "-q", "-b", "other");
    commit("2026-04-01T00:00:00Z", policy("viewer"));
    git(root, "", "checkout", "-q", "main");
    commit("2026-06-02T01:30:00+02:00", policy("admin"));
    git(root, "2026-07-01T00:00:00Z", "merge", "-q", "-s", "ours", "-m", "merge", "other");
    return await use(root);
  });
}

const state = (id: string, roles: readonly string[], more: object = {}) => ({
  id,
  roles,
  attr: { permissions: [] },
  ...more,
});

const HISTORY = [
  state("admin", ["admin"]),
  state("reduced", ["editor"], { from: "2026-03-02" }),
  state("reduced", ["viewer"], { from: "2026-06-01T12:00:00Z" }),
  state("revoked", ["admin"], { from: "2026-03-02T10:00:00Z" }),
  { id: "revoked", from: "2026-05-01", revoked: true },
  state("ended", ["admin"], { from: "2026-03-02", to: "2026-05-15" }),
  state("later", ["admin"], { from: "2026-08-01" }),
  state("tuple", ["custom"], { attr: { permissions: ["doc.delete"] }, from: "2026-03-02" }),
  state("refused", ["admin"], { attr: { permissions: "all" } }),
];
const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

async function whoAt(root: string, at: string, ...more: readonly string[]) {
  const args = ["who", "delete", "policies", "--at", at, "--format", "json", ...more];
  const { code, out, err } = await keyward(args, "", root);
  return { code, err, report: out === "" ? undefined : JSON.parse(out) };
}

test("each key has its state of the day, and is asked by the policies of the day", async () => {
  await inHistory(async (root) => {
    const keys = join(root, "keys.jsonl");
    writeFileSync(keys, lines(HISTORY));
    const { code, err, report } = await whoAt(root, "2026-05-31", "--keys", keys);
    const found = Object.fromEntries(
      report.keys.map(({ id, may, why }: { id: string; may: string; why?: string }) => [id, why ?? may]),
    );
    expect(found).toEqual({
      ...{ admin: "yes", reduced: "yes", tuple: "yes" },
      ...{ revoked: "revoked, 2026-05-01T00:00:00Z", ended: "ended, 2026-05-15T00:00:00Z" },
      later: "created later, 2026-08-01T00:00:00Z",
      refused: expect.stringContaining("attr/permissions"),
    });
    const reduced = report.keys.find(({ id }: { id: string }) => id === "reduced");
    expect(reduced.since).toEqual([{ is: "changed", at: "2026-06-01T12:00:00Z", may: "no" }]);
    expect(report).toMatchObject({ result: "unproven", at: "2026-05-31T23:59:59.999Z" });
    expect(report.committed).toBe("2026-03-01T00:00:00Z");
    expect([code, err]).toEqual([5, "keyward who: it is not known for 1 key (exit 5)\n"]);
    expect(git(root, "", "status", "--porcelain")).toBe("?? keys.jsonl\n");
  });
});

test("a day is one of UTC and counts to its end; a moment is exact; merged branches count from their merge on", async () => {
  await inHistory(async (root) => {
    const committed = async (at: string) => (await whoAt(root, at, "--no-solver")).report.committed;
    expect(await committed("2026-03-01")).toBe("2026-03-01T00:00:00Z");
    expect(await committed("2026-05-31")).toBe("2026-03-01T00:00:00Z");
    expect(await committed("2026-06-01")).toBe("2026-06-01T23:30:00Z");
    expect(await committed("2026-06-01T23:29:59Z")).toBe("2026-03-01T00:00:00Z");
    expect(await committed("2026-06-02T01:30:00+02:00")).toBe("2026-06-01T23:30:00Z");
    expect(await committed("2026-07-02")).toBe("2026-07-01T00:00:00Z");
  });
});

test("as text", async () => {
  await inHistory(async (root) => {
    const keys = join(root, "keys.csv");
    writeFileSync(
      keys,
      "id,roles,permissions,from,revoked\nk1,custom;viewer,doc.delete;doc.read,2026-03-05,\nk2,admin,,2026-03-05,\nk2,,,2026-04-01,true\n",
    );
    const { code, out } = await keyward(["who", "delete", "policies", "--at", "2026-05-31", "--keys", keys], "", root);
    expect(code).toBe(0);
    expect(out).toContain("At the end of 2026-05-31 (UTC), by the policies of commit ");
    expect(out).toContain("key k1 (custom, viewer) could\n  when\n");
    expect(out).toContain("key k2 could not: revoked, 2026-04-01T00:00:00Z\n");
    expect(out.endsWith("2 keys: 1 could, 1 could not\n")).toBe(true);
    const today = await keyward(["who", "delete", join(root, "policies"), "--keys", keys, "--no-solver"]);
    expect(today.out).toContain("key k2 may not: revoked");
    expect([today.code, today.err]).toEqual([5, expect.stringContaining("it is not known for 1 key")]);
  });
});

test("a history that contradicts itself, and refused lines, are told and leave the answer open", async () => {
  await inHistory(async (root) => {
    const keys = join(root, "keys.jsonl");
    const wrong = [
      ...[state("twice", ["admin"]), state("twice", ["viewer"])],
      ...[
        state("over", ["admin"], { from: "2026-03-02", to: "2026-05-01" }),
        state("over", ["x"], { from: "2026-04-01" }),
      ],
      state("back", ["admin"], { from: "2026-03-02", to: "2026-03-01" }),
      state("when", ["admin"], { from: "yesterday" }),
      state("more", ["admin"], { since: "2026-03-02" }),
      { id: "roles", attr: {} },
      { roles: ["admin"] },
    ];
    writeFileSync(keys, lines(wrong));
    const { code, err, report } = await whoAt(root, "2026-05-31", "--keys", keys);
    expect(code).toBe(5);
    expect(err).toContain("it is not known for 6 keys; entries of the key history without an id are refused (exit 5)");
    const whys = report.keys.map(({ may, why }: { may: string; why: string }) => `${may}: ${why}`);
    expect(whys).toEqual([
      "cannot: it has two states from the beginning on",
      "cannot: its states from 2026-03-02T00:00:00Z and from 2026-04-01T00:00:00Z overlap",
      "cannot: its state from 2026-03-02T00:00:00Z ends before it begins",
      ...[6, 7, 8].map((line) => `cannot: line ${line} of its history is refused`),
    ]);
    const isValid = new Ajv({ strict: false }).compile(KEY_HISTORY_SCHEMA);
    // The schema refuses single lines, and knows nothing of contradictions.
    expect(HISTORY.filter((line) => !isValid(line))).toEqual([]);
    expect(wrong.flatMap((line, i) => (isValid(line) ? [] : [i + 1]))).toEqual([6, 7, 8, 9]);
    expect(report.refused.map(({ line }: { line: number }) => line)).toEqual([6, 7, 8, 9]);
  });
});

test.each([
  ["2026-02-28", "before the history of this branch, which starts at 2026-03-01T00:00:00.000Z"],
  ["2026-13-01", "--at must be a date (2026-10-31, in UTC) or an RFC 3339 timestamp"],
  ["2026-02-30", "--at must be a date"],
  ["2999-01-01", "is in the future"],
])("--at %s is bad usage", async (at, message) => {
  await inHistory(async (root) => {
    const { code, err } = await whoAt(root, at);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

test("a shallow clone, a directory outside of git, and one that was not there", async () => {
  await inHistory(async (root) => {
    await withFiles({ "policies/doc.yaml": policy("admin") }, async (elsewhere) => {
      const { code, err } = await whoAt(elsewhere, "2026-05-31");
      expect([code, err]).toEqual([2, expect.stringContaining("--at needs the git history of policies: not a git")]);
      execFileSync("git", ["clone", "-q", "--depth=1", `file://${root}`, "clone"], { cwd: elsewhere, stdio: "pipe" });
      const shallow = await whoAt(join(elsewhere, "clone"), "2026-05-31");
      expect([shallow.code, shallow.err]).toEqual([2, expect.stringContaining("this clone is shallow")]);
    });
    writeFileSync(join(root, "README.md"), "");
    const { code, err } = await keyward(["who", "delete", "nowhere", "--at", "2026-05-31"], "", root);
    expect([code, err]).toEqual([2, expect.stringContaining('there is no directory "nowhere" in revision')]);
    const both = await keyward(["who", "delete", "policies", "--role", "admin", "--keys", "x"], "", root);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("exclude each other")]);
  });
});
