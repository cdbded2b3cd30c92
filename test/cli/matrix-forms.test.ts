/**
 * `keyward matrix`: data in CSV, workbooks, and the comparison with an earlier matrix.
 *
 * @module-tag long
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import readWorkbook from "read-excel-file/node";
import { expect, test, vi } from "vitest";
import { csvRow } from "../../src/audit/csv.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const { key, resource, account } = ask("apis.deleteApi");
const EDITOR = { ...key, id: "key_2", roles: ["editor"] };
const OTHER = { ...resource, id: "api_other" };

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

const JSON_DATA = {
  "keys.jsonl": lines(key, EDITOR),
  "resources.jsonl": lines(resource),
  "accounts.jsonl": lines(account),
};

interface Setup {
  readonly files?: Files;
  readonly options?: readonly string[];
  /** The sources of keys, resources and accounts. */
  readonly sources?: readonly string[];
}

/** Runs the command in a directory with the files, and then calls `use` with the directory. */
async function matrix<T>(
  { files = {}, options = [], sources = ["keys.jsonl", "resources.jsonl", "accounts.jsonl"] }: Setup,
  use: (path: (name: string) => string) => Promise<T>,
) {
  return await withFiles({ ...JSON_DATA, ...files }, async (directory) => {
    const path = (name: string) => join(directory, name);
    const at = (name = "") => (name.startsWith("postgres:") ? name : path(name));
    const [keys, resources, accounts] = sources;
    const run = await keyward([
      ...["matrix", SHIPPED_ROOT, "--keys", at(keys), "--resources", at(resources), "--accounts", at(accounts)],
      ...["--now", "2026-11-28T00:00:00Z", ...options.map((option) => option.replace("DIR/", `${directory}/`))],
    ]);
    return { ...run, err: run.err.replaceAll(`${directory}/`, ""), used: await use(path) };
  });
}

const outputOf = async (setup: Setup) => await matrix(setup, async () => undefined);

/** The data of a value as a row of CSV: its own columns, and an attribute in each other column. */
function csvOf(columns: readonly string[], ...values: readonly object[]): string {
  const cell = (value: unknown): string => {
    if (Array.isArray(value)) return value.join(";");
    return value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const rows = values.map((value) => {
    const all: { readonly [name: string]: unknown } = { ...Object("attr" in value ? value.attr : {}), ...value };
    return csvRow(columns.map((name) => cell(all[name])));
  });
  return csvRow(columns) + rows.join("");
}

const CSV_DATA = {
  "keys.csv": csvOf(["id", "roles", "accountId", "workspaceIds", "environment", "permissions"], key, EDITOR).replace(
    /,\r\n/g,
    ",[]\r\n",
  ),
  "resources.csv": csvOf(["kind", "id", ...Object.keys(Object(resource.attr))], resource),
  "accounts.csv": csvOf(["id", "plan", "limits.keys", "attr"], { ...account, "limits.keys": 100 }),
};

test("CSV is typed by the schemas: its matrix is that of the same data in JSON", async () => {
  const fromJson = await outputOf({});
  const fromCsv = await outputOf({ files: CSV_DATA, sources: ["keys.csv", "resources.csv", "accounts.csv"] });
  expect(fromCsv.err).toBe("");
  expect(fromCsv.out).toBe(fromJson.out);
  expect(fromJson.out).toContain(",allow\r\n");
  expect(fromJson.out).toContain(",insufficient_permissions\r\n");
});

test("CSV that the schemas refuse is told by its line, and counted as cannot", async () => {
  const [head = "", first = ""] = CSV_DATA["keys.csv"].split("\r\n");
  const rows = [head, first, "", `key_9,admin,acc_1,"ws\n1;x",moon,[]`, "key_10,admin", `${first}`];
  const { code, out, err } = await outputOf({
    files: { ...CSV_DATA, "keys.csv": rows.join("\r\n") },
    sources: ["keys.csv", "resources.csv", "accounts.csv"],
  });
  expect(code).toBe(0);
  expect(err.split("\n").map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual([
    "keys.csv:4: refused",
    "keys.csv:6: refused",
    "keys.csv:7: refused",
    "",
  ]);
  expect(err).toContain("keys.csv:6: refused: 2 cells for 6 columns");
  expect(out).toContain(`key_9,${resource.id},apis.deleteApi,cannot\r\n`);
});

test("CSV: JSON with a key twice is refused", async () => {
  const attr = JSON.stringify(key.attr).replace("{", '{"permissions":[],');
  const { err } = await outputOf({
    files: { "keys.csv": csvOf(["id", "roles", "attr"], { ...key, attr }) },
    sources: ["keys.csv", "resources.jsonl", "accounts.jsonl"],
  });
  expect(err).toBe("keys.csv:2: refused: the column attr must be a JSON object with unique keys\n");
});

test.each([
  ["a column has no name", "id,,roles\r\n"],
  ["the column id is there twice", "id,roles,id\r\n"],
  ["is not CSV", 'id,roles\r\n"a,b\r\n'],
])("CSV: %s", async (message, text) => {
  const { code, err } = await outputOf({
    files: { "keys.csv": text },
    sources: ["keys.csv", "resources.jsonl", "accounts.jsonl"],
  });
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("a workbook has the cells, the totals and the refused data, and another reader opens it", async () => {
  const files = { "keys.jsonl": lines({ ...key, id: "=1+1" }, EDITOR, { id: "bad" }) };
  const options = ["--format", "xlsx", "--output", "DIR/matrix.xlsx"];
  const { code, out, used } = await matrix({ files, options }, async (path) => ({
    bytes: readFileSync(path("matrix.xlsx")),
    sheets: await readWorkbook(path("matrix.xlsx")),
  }));
  expect([code, out]).toEqual([0, ""]);
  const sheet = (name: string) => used.sheets.find((one) => one.sheet === name)?.data ?? [];
  expect(used.sheets.map((one) => one.sheet)).toEqual([
    ...["About", "Totals", "Cells", "Keys that may all", "Roles without keys", "Refused data"],
  ]);
  expect(sheet("Cells")[0]).toEqual(["key", "resource", "operation", "outcome"]);
  expect(sheet("Cells")).toContainEqual(["'=1+1", resource.id, "apis.deleteApi", "allow"]);
  expect(sheet("Totals")).toContainEqual(["api", "apis.deleteApi", 1, 1, 0, 1]);
  expect(sheet("Keys that may all")).toContainEqual(["'=1+1"]);
  expect(sheet("Roles without keys")).toContainEqual(["viewer"]);
  expect(sheet("Refused data")[1]?.slice(1, 3)).toEqual([3, 3]);
  expect(sheet("About")).toContainEqual(["time of all decisions", "2026-11-28T00:00:00.000Z"]);
  expect(used.bytes.includes("<f>")).toBe(false);
});

test("the same data gives the same workbook", async () => {
  const options = ["--format", "xlsx", "--output", "DIR/matrix.xlsx"];
  const bytes = () => matrix({ options }, async (path) => readFileSync(path("matrix.xlsx")).toString("base64"));
  const first = await bytes();
  // The archive has times to two seconds.
  vi.setSystemTime(Date.now() + 3_600_000);
  try {
    expect((await bytes()).used).toBe(first.used);
  } finally {
    vi.useRealTimers();
  }
});

test("a workbook is a file", async () => {
  for (const options of [["--format=xlsx"], ["--format=xlsx", "--output", "-"]]) {
    const { code, err } = await outputOf({ options });
    expect([code, err]).toEqual([2, "keyward matrix: --format xlsx needs --output FILE\n"]);
  }
  const missing = await matrix(
    {
      options: ["--format=xlsx", "--output", "DIR/m.xlsx"],
      sources: ["none.jsonl", "resources.jsonl", "accounts.jsonl"],
    },
    async (path) => existsSync(path("m.xlsx")),
  );
  expect([missing.code, missing.used]).toEqual([2, false]);
});

/** The editor is an admin now, the API of before is gone, and another key and API came. */
const LATER = {
  "keys.jsonl": lines({ ...EDITOR, roles: ["admin"] }, { ...key, id: "key_3" }),
  "resources.jsonl": lines(resource, OTHER),
};

const DIFFERENCES = [
  `key_2,${resource.id},apis.deleteApi,allow,insufficient_permissions,newly allowed`,
  `key_2,${OTHER.id},apis.deleteApi,allow,,newly allowed`,
  `key_3,${OTHER.id},apis.deleteApi,allow,,newly allowed`,
  `${key.id},${resource.id},apis.deleteApi,,allow,no longer allowed`,
];

test.each([
  ["CSV", "earlier.csv", []],
  ["JSON", "earlier.json", ["--format=json"]],
  ["CSV of what was allowed", "earlier.csv", ["--allowed-only"]],
  ["JSON of what was allowed", "earlier.json", ["--format=json", "--allowed-only"]],
] as const)("the differences to an earlier matrix in %s", async (_, name, options) => {
  const earlier = await outputOf({ options });
  const files = { ...LATER, [name]: earlier.out };
  const { code, out, err } = await outputOf({ files, options: ["--against", `DIR/${name}`] });
  expect(code).toBe(4);
  const rows = out.trimEnd().split("\r\n");
  expect(rows.shift()).toBe("key,resource,operation,outcome,before,change");
  const isAllowedOnly = options.some((option) => option === "--allowed-only");
  const isAllowedCsv = name === "earlier.csv" && isAllowedOnly;
  for (const row of DIFFERENCES) {
    expect(rows).toContain(isAllowedOnly ? row.replace("insufficient_permissions", "") : row);
  }
  expect(rows.every((row) => /,(newly|no longer) allowed$/.test(row))).toBe(true);
  expect(err).toContain("1 keys that came: key_3\n");
  expect(err).toContain(`1 keys that went: ${key.id}\n`);
  expect(err).toContain(`1 resources that came: ${OTHER.id}\n`);
  expect(err.includes("lists only what was allowed")).toBe(isAllowedCsv);
  const counted = rows.filter((row) => row.endsWith(",newly allowed")).length;
  expect(err).toContain(`keyward matrix: it differs from the earlier matrix: ${counted} newly allowed`);
  const report = await outputOf({ files, options: ["--against", `DIR/${name}`, "--format=json"] });
  const { changes, changed, totals, against } = JSON.parse(report.out);
  expect(changes.length).toBe(rows.length);
  expect(changed).toMatchObject({ newlyAllowed: counted, keysThatCame: ["key_3"], keysThatWent: [key.id] });
  expect(changed.resourcesThatCame).toEqual([{ kind: "api", id: OTHER.id }]);
  expect(totals.length).toBeGreaterThan(0);
  if (name === "earlier.json") expect(against).toEqual(JSON.parse(JSON.stringify(originOf(earlier.out))));
});

function originOf(report: string) {
  const { policySetHash, dataHash, now } = JSON.parse(report);
  return { policySetHash, dataHash, now };
}

test("an equal matrix has no differences, and refusals that differ are listed", async () => {
  const { out } = await outputOf({});
  const same = await outputOf({ files: { "earlier.csv": out }, options: ["--against", "DIR/earlier.csv"] });
  expect([same.code, same.out, same.err]).toEqual([0, "key,resource,operation,outcome,before,change\r\n", ""]);
  const held = { ...resource, attr: { ...resource.attr, state: "suspended" } };
  const files = { "earlier.csv": out, "resources.jsonl": lines(held) };
  const other = await outputOf({ files, options: ["--against", "DIR/earlier.csv"] });
  expect(other.out).toContain(
    `key_2,${resource.id},apis.deleteApi,forbidden,insufficient_permissions,refused differently\r\n`,
  );
});

test("ids that a spreadsheet would run begin with an apostrophe in CSV, and are read back", async () => {
  const ids = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"].flatMap((start) => [
    `${start}1`,
    `'${start}1`,
  ]);
  const files = {
    "keys.jsonl": lines(...["'", "'a", ...ids].map((id) => ({ ...key, id }))),
    "resources.jsonl": lines(...ids.map((id) => ({ ...resource, id }))),
  };
  const { out } = await outputOf({ files });
  for (const id of ids) {
    const cell = /[\r\n]/.test(id) ? `"'${id}"` : `'${id}`;
    expect(out).toContain(`\n${cell},${cell},apis.deleteApi,allow\r\n`);
  }
  expect(out).toContain("\n'a,'=1,apis.deleteApi,allow\r\n");
  const same = await outputOf({ files: { ...files, "earlier.csv": out }, options: ["--against", "DIR/earlier.csv"] });
  expect([same.code, same.out]).toEqual([0, "key,resource,operation,outcome,before,change\r\n"]);
});

test.each(["csv", "json"])("data with the same id twice, and without one, has each cell once: %s", async (format) => {
  const files = {
    "keys.jsonl": `${lines(key, { ...key, roles: [] }, { id: "key_9" }, { ...EDITOR, id: "key_9" }, key)}\nno\nJSON`,
    "resources.jsonl": lines(resource, resource, { kind: "api" }, { kind: "api" }),
    "accounts.jsonl": lines(account, account),
  };
  const made = await outputOf({ files, options: ["--format", format] });
  expect(made.code).toBe(0);
  expect(made.err.split("\n")).toEqual([
    "resources.jsonl:2: refused: its id is that of entry 1",
    "resources.jsonl:3: refused: resource.id is missing",
    "resources.jsonl:4: refused: resource.id is missing",
    expect.stringMatching(/^keys.jsonl:2: refused: key.roles /),
    "keys.jsonl:3: refused: key.roles is missing",
    "keys.jsonl:4: refused: its id is that of entry 3",
    "keys.jsonl:5: refused: its id is that of entry 1",
    expect.stringMatching(/^keys.jsonl:6: refused: not JSON: /),
    expect.stringMatching(/^keys.jsonl:7: refused: not JSON: /),
    "accounts.jsonl:2: refused: its id is that of entry 1",
    "",
  ]);
  const earlier = `earlier.${format}`;
  const same = await outputOf({ files: { ...files, [earlier]: made.out }, options: ["--against", `DIR/${earlier}`] });
  expect([same.code, same.out, same.err]).toEqual([0, "key,resource,operation,outcome,before,change\r\n", made.err]);
});

test("the differences as a workbook", async () => {
  const { out } = await outputOf({});
  const options = ["--against", "DIR/earlier.csv", "--format=xlsx", "--output", "DIR/changes.xlsx"];
  const { code, used } = await matrix({ files: { ...LATER, "earlier.csv": out }, options }, async (path) =>
    readWorkbook(path("changes.xlsx")),
  );
  expect(code).toBe(4);
  const sheet = (name: string) => used.find((one) => one.sheet === name)?.data ?? [];
  expect(sheet("Changes")).toContainEqual([
    ...["key_2", resource.id, "apis.deleteApi", "allow", "insufficient_permissions", "newly allowed"],
  ]);
  expect(sheet("Came and went")).toContainEqual(["key went", null, key.id]);
});

test.each([
  ["it has no cells", '{"policySetHash": "x"}'],
  ["not JSON as keyward matrix writes it", "{"],
  [
    "this cell is there twice",
    `{\n  "cells": [\n${'    {"key":"k","kind":"a","resource":"r","operation":"o","outcome":"allow"},\n'.repeat(2)}  ],\n  "totals": []\n}`,
  ],
  [
    "is not an outcome",
    '{\n  "cells": [\n    {"key":"k","kind":"a","resource":"r","operation":"o","outcome":"yes"}\n  ],\n  "totals": []\n}',
  ],
])("an earlier matrix that cannot be read: %s", async (message, text) => {
  const { code, err } = await outputOf({ files: { "earlier.json": text }, options: ["--against", "DIR/earlier.json"] });
  expect(code).toBe(2);
  expect(err).toContain("--against: earlier.json:");
  expect(err).toContain(message);
});

test("a query needs a connection", async () => {
  const { DATABASE_URL } = process.env;
  process.env.DATABASE_URL = "postgres://auditor:geheim@127.0.0.1:1/none";
  try {
    const { code, err } = await outputOf({ sources: ["postgres:SELECT 1", "postgres:SELECT 2", "accounts.jsonl"] });
    expect(code).toBe(2);
    expect(err).toContain("cannot connect to PostgreSQL");
    expect(err).not.toContain("geheim");
  } finally {
    if (DATABASE_URL === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = DATABASE_URL;
  }
});
