/** `keyward matrix`: its forms, its data and what it refuses. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const { key, resource, account } = ask("apis.deleteApi");
const EDITOR = { ...key, id: "key_2", roles: ["editor"] };

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

const FILES = {
  "keys.jsonl": lines(key, EDITOR),
  "resources.json": JSON.stringify([resource]),
  "accounts.jsonl": lines(account),
};

async function matrix(files: Files = {}, ...more: readonly string[]) {
  return await withFiles({ ...FILES, ...files }, async (directory) => {
    const at = (name: string) => join(directory, name);
    const run = await keyward([
      ...["matrix", SHIPPED_ROOT, "--keys", at("keys.jsonl"), "--resources", at("resources.json")],
      ...["--accounts", at("accounts.jsonl"), "--now", "2026-11-28T00:00:00Z", ...more],
    ]);
    return { ...run, err: run.err.replaceAll(`${directory}/`, "") };
  });
}

test("CSV has a row for each key, resource and operation", async () => {
  const { code, out, err } = await matrix();
  expect([code, err]).toEqual([0, ""]);
  const rows = out.split("\r\n");
  expect(rows.shift()).toBe("key,resource,operation,outcome");
  expect(rows.pop()).toBe("");
  expect(rows.length % 2).toBe(0);
  expect(rows).toContain(`${key.id},${resource.id},apis.deleteApi,allow`);
  expect(rows).toContain(`key_2,${resource.id},apis.deleteApi,insufficient_permissions`);
});

test("what is allowed alone", async () => {
  const { out } = await matrix({}, "--allowed-only");
  const outcomes = new Set(
    out
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((row) => row.split(",")[3]),
  );
  expect(outcomes).toEqual(new Set(["allow"]));
});

test("JSON names the policies, the data and the time, and counts the cells", async () => {
  const [first, second] = [await matrix({}, "--format=json"), await matrix({}, "--format=json")];
  expect(first.out).toBe(second.out);
  const report = JSON.parse(first.out);
  expect(report).toMatchObject({ now: "2026-11-28T00:00:00.000Z", keys: 2, resources: 1, accounts: 1, refused: [] });
  expect(report.policySetHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(report.dataHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(report.cells.length).toBe(2 * report.totals.length);
  const deleting = report.totals.find(({ operation }: { operation: string }) => operation === "apis.deleteApi");
  expect(deleting).toEqual({
    ...{ kind: "api", operation: "apis.deleteApi", allow: 1, insufficient_permissions: 1, forbidden: 0, cannot: 0 },
  });
  expect(report.keysThatMayAll).toEqual([key.id]);
  expect(report.rolesWithoutKeys).toContain("viewer");
  const other = await matrix({ "keys.jsonl": lines(key) }, "--format=json");
  expect(JSON.parse(other.out).dataHash).not.toBe(report.dataHash);
});

test("data that is refused is told, and counted as cannot", async () => {
  const { code, out, err } = await matrix({
    "keys.jsonl": `${lines(key, { ...EDITOR, attr: { accountId: 5 } })}\n\n${lines({ id: "x" })}\nno JSON\n${lines(key)}`,
    "resources.json": JSON.stringify([
      resource,
      { ...resource, id: "lost", attr: { ...resource.attr, accountId: "no" } },
    ]),
  });
  expect(code).toBe(0);
  expect(err).toContain("keys.jsonl:2: refused: ");
  expect(err).toContain("keys.jsonl:4: refused: key.roles ");
  expect(err).toContain("keys.jsonl:5: refused: not JSON");
  expect(err).toContain("keys.jsonl:6: refused: its id is that of entry 1");
  expect(err).toContain("resources.json: entry 2: refused");
  expect(out).toContain(`key_2,${resource.id},apis.deleteApi,cannot\r\n`);
  expect(out).toContain(`${key.id},lost,apis.deleteApi,cannot\r\n`);
});

test("beside an account that is refused, no other is the only one", async () => {
  const allowed = async (...accounts: readonly object[]) =>
    (await matrix({ "accounts.jsonl": lines(...accounts) }, "--account-by", "ownerId")).out.includes(",allow\r\n");
  expect(await allowed(account)).toBe(true);
  expect(await allowed(account, { ...account, attr: { ...account.attr, status: "closed" } })).toBe(false);
  expect(await allowed(account, { id: 5 })).toBe(false);
});

test.each([
  ["on a line", JSON.stringify([key, EDITOR])],
  ["of lists, one a line", lines([key], [], [EDITOR])],
  ["over several lines", `\n${JSON.stringify([key, EDITOR], undefined, 2)}\n\n`],
])("the keys are one list: %s", async (_, text) => {
  expect(await matrix({ "keys.jsonl": text })).toEqual(await matrix());
});

test.each([
  ["a number", 2, [EDITOR, 5]],
  ["a text, first", 1, ["key", EDITOR]],
] as const)("a line that is not an object is refused: %s", async (_, line, values) => {
  const { code, out, err } = await matrix({ "keys.jsonl": lines(...values) });
  expect([code, err]).toEqual([0, `keys.jsonl:${line}: refused: it must be an object\n`]);
  expect(out).toContain(`key_2,${resource.id},apis.deleteApi,insufficient_permissions\r\n`);
});

test("a fault of a schema that both layers name is told once", async () => {
  const { err } = await matrix({
    "resources.json": JSON.stringify([{ ...resource, attr: { ...resource.attr, state: "lost" } }]),
  });
  expect(err.match(/attr\/state value must be one of/g)).toHaveLength(1);
});

test("a cell that a spreadsheet would run is quoted", async () => {
  const { out } = await matrix({ "keys.jsonl": lines({ ...key, id: '=cmd|"a"' }) });
  expect(out).toContain(`"'=cmd|""a""",${resource.id},apis.deleteApi,`);
});

test("a further operation, which no policy knows", async () => {
  const { out } = await matrix({}, "--operation", "apis.nothing");
  expect(out).toContain(`${key.id},${resource.id},apis.nothing,forbidden\r\n`);
});

test.each([
  ["--keys SOURCE is missing", ["matrix", SHIPPED_ROOT, "--resources", "x"]],
  ["--now must be an RFC 3339 timestamp", ["matrix", SHIPPED_ROOT, "--keys=x", "--resources=x", "--now=soon"]],
  ["--accounts SOURCE is missing", ["matrix", SHIPPED_ROOT, "--keys=x", "--resources=x"]],
  [
    "cannot read nowhere.json",
    ["matrix", SHIPPED_ROOT, "--keys=nowhere.json", "--resources=nowhere.json", "--accounts=x"],
  ],
])("%s: exit code 2", async (message, args) => {
  const { code, err } = await keyward(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
