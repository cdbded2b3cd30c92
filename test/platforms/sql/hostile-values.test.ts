/**
 * Values that JavaScript, JSON text and databases represent differently. If a plan and its condition are exact, a query
 * finds exactly the rows that `decide` allows as the program reads them. Otherwise it finds these and possibly more.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../../src/cel/json.js";
import { compilePoliciesOrThrow, decide, matches, planDecisions } from "../../../src/index.js";
import { type SqlMapping, toSqlOrThrow } from "../../../src/sql/index.js";
import { HOSTILE_CONDITIONS, HOSTILE_DATA, HOSTILE_RULES, hostileCells } from "../../support/hostile-data.js";
import { say } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { DATABASES, type Database, openedFor } from "./databases.js";

const NUMBERS = [
  ..."9007199254740991 9007199254740992 9007199254740993 9007199254740994 -9007199254740993 -0 -0.0 0 1e-400".split(
    " ",
  ),
  ..."1 1.0 1e0 0.99999999999999999999 1.00000000000000011 1.00000000000000012 5e-324 2e-324 3e-324".split(" "),
  ..."1e400 -1e400 1.7976931348623157e308 1.7976931348623159e308 18446744073709551616 9223372036854775807".split(" "),
  ..."410871846419429664.020 497629.428036260564195023625 0.1 0.1000000000000000055511151231257827 2.5".split(" "),
];
const TEXTS = ['""', '"x"', '"1"', '"9007199254740993"', '"\\u0078"', '"\\ud83d\\ude00"', '"\\uff5e"', '"y"'];
/** Texts that `jsonb` refuses. */
const ODD_TEXTS = ['"\\ud800"', '"x\\u0000"', '"\\udfffx"'];
const NAMES = ['"a"', '"a"', '"\\u0061"', '"x"', '"b"'];

const scalar = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_DATA.flatMap(({ json: text }) => text ?? [])) },
  { weight: 6, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom("null", "true", "false") },
  // Numbers of many digits, not close to any particular double.
  { weight: 1, arbitrary: fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.nat(12)).map(pointed) },
);

function pointed([digits, places]: readonly [bigint, number]): string {
  const text = String(digits)
    .padStart(places + 2, "0")
    .replace(/^0+(?=\d{2})/, "");
  return `${text.slice(0, -places - 1) || "0"}.${text.slice(-places - 1)}`.replace(/^0+(?=\d)/, "");
}

const { json } = fc.letrec<{ json: string; list: string; map: string }>((tie) => ({
  json: fc.oneof({ weight: 5, arbitrary: scalar }, tie("list"), tie("map")),
  list: fc.array(tie("json"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
  map: fc
    .array(fc.tuple(fc.constantFrom(...NAMES), tie("json")), { maxLength: 3 })
    .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join()}}`),
}));

/** JSON text of a row's attributes; a name may occur twice. */
const attributes = fc
  .array(fc.tuple(fc.constantFrom('"v"', '"v"', '"w"', '"\\u0076"'), json), { maxLength: 3 })
  .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join()}}`);

/** Policies without a schema, and with one that declares whole numbers or null. */
const [FREE, TYPED] = [{}, { schemas: { resourceSchema: { ref: "cerbos:///doc.json" } } }].map((more) => {
  const resourcePolicy = { resource: "doc", version: "default", rules: HOSTILE_RULES, ...more };
  const types = { properties: { v: { type: ["integer", "null"] }, w: { type: "number" } } };
  return compilePoliciesOrThrow(
    [
      { path: "doc.json", text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) },
      { path: "_schemas/doc.json", text: JSON.stringify(types) },
    ],
    { platform: "none" },
  );
});

/** A table with columns named like those of `json_each`, and a mapping without a table name. */
interface Store {
  readonly columns: string;
  readonly mapping: Omit<SqlMapping, "dialect">;
  /** The values to store in the columns, or undefined if the database refuses them. */
  readonly kept: (attr: string, dialect: SqlMapping["dialect"]) => readonly (string | number | null)[] | undefined;
  readonly read: (row: { readonly [column: string]: unknown }) => JsonObject;
  /** The least share of exact conditions. */
  readonly exact: { readonly [dialect in SqlMapping["dialect"]]: number };
}

function inJson(type: "jsonb" | "json"): Store {
  return {
    columns: `"id" text NOT NULL, "value" ${type} NOT NULL`,
    mapping: { id: "id", others: "value" },
    kept: (attr, dialect) =>
      dialect === "postgres" && /\\ud8(?!3d\\ude)|\\udf|\\u0000/.test(attr) ? undefined : [attr],
    read: ({ value }) => (isObject(value) ? value : JSON.parse(String(value))),
    exact: { postgres: 0.85, sqlite: 0.25 },
  };
}

/** Numbers or texts in their own columns. NULL means null for `v` and absent for `w`. */
function inColumns(type: "number" | "text"): Store {
  const as = type === "number" ? "double precision" : "text";
  const own = (value: unknown): string | number | null => {
    // JSON has no NaN, so the column gets NaN in place of -Infinity.
    if (typeof value === "number" && type === "number") return value === -Infinity ? Number.NaN : value;
    return typeof value === "string" && type === "text" ? value : null;
  };
  return {
    columns: `"id" text NOT NULL, "type" ${as}, "key" ${as}`,
    mapping: {
      id: "id",
      attributes: { v: { column: "type", type, null: "null" }, w: { column: "key", type } },
    },
    kept: (attr, dialect) => {
      const { v, w } = JSON.parse(attr);
      const values = [own(v), own(w)];
      const isLost = values.some((value) => typeof value === "string" && /\p{Surrogate}|\0/u.test(value));
      return isLost && dialect === "postgres" ? undefined : values;
    },
    read: ({ type: v, key: w }) => ({ v: own(v), ...(w === null ? {} : { w: own(w) }) }),
    exact: { postgres: 0.85, sqlite: 0.85 },
  };
}

/** Integers in their own columns, of 64 bits. Drivers read the nearest doubles, some of them by way of texts. */
function inIntegers(): Store {
  const own = (text: string | undefined): string | null => {
    const value = text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
    return value !== undefined && BigInt.asIntN(64, value) === value ? String(value) : null;
  };
  return {
    columns: '"id" text NOT NULL, "type" bigint, "key" bigint',
    mapping: {
      id: "id",
      attributes: { v: { column: "type", type: "number", null: "null" }, w: { column: "key", type: "number" } },
    },
    kept: (attr) => ["v", "w"].map((name) => own(new RegExp(`"${name}":(-?\\d+)[,}]`).exec(attr)?.[1])),
    read: ({ type: v, key: w }) => ({ v: v === null ? null : Number(v), ...(w === null ? {} : { w: Number(w) }) }),
    exact: { postgres: 0.85, sqlite: 0.85 },
  };
}

const STORES: readonly (readonly [name: string, store: Store])[] = [
  ["jsonb", inJson("jsonb")],
  ["json", inJson("json")],
  ["columns of numbers", inColumns("number")],
  ["columns of integers", inIntegers()],
  ["columns of texts", inColumns("text")],
];

const key = fc.constantFrom(...[...NUMBERS, ...TEXTS, ...ODD_TEXTS, "null", "true"].map((text) => JSON.parse(text)));

interface Counts {
  plans: number;
  exact: number;
  /** Rows asked of a plan, and those asked where the plan and its condition are exact. */
  cells: number;
  exactCells: number;
  allowed: number;
}

async function check(
  database: Database,
  { columns, mapping, kept, read }: Store,
  texts: readonly string[],
  keys: readonly unknown[],
  counts: Counts,
): Promise<void> {
  await database.run('DROP TABLE IF EXISTS "doc"');
  await database.run(`CREATE TABLE "doc" (${columns})`);
  for (const [i, text] of texts.entries()) {
    const values = kept(text, database.dialect);
    if (values === undefined) continue;
    const places = [i, ...values].map((_, at) => (database.dialect === "postgres" ? `$${at + 1}` : "?"));
    await database.run(`INSERT INTO "doc" VALUES (${places.join(", ")})`, [`r${i}`, ...values]);
  }
  const rows = (await database.run('SELECT * FROM "doc"')).map((row) => ({ id: String(row.id), attr: read(row) }));
  for (const policies of [FREE, TYPED]) {
    if (policies === undefined) continue;
    for (const [i, k] of HOSTILE_CONDITIONS.map((_, at) => [at, keys[at % keys.length]] as const)) {
      const asked = { key: { id: "k", roles: ["user"], attr: { k } }, operation: `a${i}` };
      const plan = planDecisions(policies, { ...asked, kind: "doc" });
      const { text, values, isExact } = toSqlOrThrow(plan.filter, { ...mapping, dialect: database.dialect });
      const found = new Set(
        (await database.run(`SELECT "id" FROM "doc" WHERE ${text}`, values)).map(({ id }) => String(id)),
      );
      counts.plans += 1;
      if (isExact && plan.isExact) counts.exact += 1;
      counts.cells += rows.length;
      if (isExact && plan.isExact) counts.exactCells += rows.length;
      for (const { id, attr } of rows) {
        const isAllowed = decide(policies, { ...asked, resource: { kind: "doc", id, attr } }).outcome === "allow";
        if (isAllowed) counts.allowed += 1;
        const expected = {
          isFound: isExact && plan.isExact ? isAllowed : found.has(id) || isAllowed,
          isMatched: plan.isExact ? isAllowed : matches(plan.filter, { id, attr }) || isAllowed,
        };
        const actual = { isFound: found.has(id), isMatched: matches(plan.filter, { id, attr }) };
        expect({
          condition: HOSTILE_CONDITIONS[i],
          k,
          attr,
          kept: texts[Number(id.slice(1))],
          isExact,
          ...actual,
          text,
        }).toEqual({
          ...{
            condition: HOSTILE_CONDITIONS[i],
            k,
            attr,
            kept: texts[Number(id.slice(1))],
            isExact,
            ...expected,
            text,
          },
        });
      }
    }
  }
}

/** How a database treats a value: what the cells of the table say. */
type Treatment = "not kept" | "not exact" | "not comparable" | "compared";

function statedTreatment(cell: string): Treatment {
  if (/cannot be kept|refuses it/.test(cell)) return "not kept";
  if (cell.includes("not exact")) return "not exact";
  return cell.includes("not comparable") ? "not comparable" : "compared";
}

/** The columns of the table that are about databases. */
const COLUMNS = [
  { column: "PostgreSQL, a column", dialect: "postgres", isJson: false },
  { column: "jsonb, json", dialect: "postgres", isJson: true },
  { column: "SQLite, a column", dialect: "sqlite", isJson: false },
  { column: "JSON text of SQLite", dialect: "sqlite", isJson: true },
] as const;

const CELLS = hostileCells();
/** A condition that compares the value with the key's. */
const COMPARED = HOSTILE_CONDITIONS.indexOf("R.attr.v == P.attr.k");

/** Writes a row with the value, if the database takes it, and searches for it by the key's value. */
async function treatment(
  database: Database,
  { dialect, isJson }: (typeof COLUMNS)[number],
  text: string,
): Promise<Treatment> {
  const k: unknown = JSON.parse(text);
  const type = typeof k === "string" ? "text" : "double precision";
  await database.run('DROP TABLE IF EXISTS "doc"');
  await database.run(`CREATE TABLE "doc" ("id" text NOT NULL, "value" ${isJson ? "jsonb" : type})`);
  const kept = isJson ? `{"v": ${text}}` : typeof k === "string" ? k : k === null ? null : text;
  try {
    await database.run(`INSERT INTO "doc" VALUES ('r', ${dialect === "postgres" ? "$1" : "?"})`, [kept]);
  } catch {
    return "not kept";
  }
  if (!isJson && typeof k === "string" && (await database.run('SELECT * FROM "doc"'))[0]?.value !== k)
    return "not kept";
  const asked = { key: { id: "k", roles: ["user"], attr: { k } }, operation: `a${COMPARED}`, account: { id: "a" } };
  const column = { column: "value", type: typeof k === "string" ? "text" : "number", null: "null" } as const;
  const mapping = isJson ? { others: "value" } : { attributes: { v: column } };
  const plan = planDecisions(Object(FREE), { ...asked, kind: "doc" });
  const condition = toSqlOrThrow(plan.filter, { ...mapping, id: "id", dialect });
  if (!condition.isExact || !plan.isExact) return "not exact";
  const found = await database.run(`SELECT "id" FROM "doc" WHERE ${condition.text}`, condition.values);
  return found.length === 1 ? "compared" : "not comparable";
}

async function inOrder<T, Found>(items: readonly T[], each: (item: T) => Promise<Found>): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const item of items) found.push(await each(item));
  return found;
}

describe.each(DATABASES)("%s", (name, open) => {
  const opened = openedFor(open);

  test.each(STORES)(
    "%s",
    async (form, store) => {
      const database = opened();
      if (typeof database === "string") return say(`${name}: ${database}`);
      const counts = { plans: 0, exact: 0, cells: 0, exactCells: 0, allowed: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(attributes, { minLength: 30, maxLength: 30 }),
          fc.array(key, { minLength: 5, maxLength: 5 }),
          (texts, keys) => check(database, store, [...texts, ...NUMBERS.map((one) => `{"v":${one}}`)], keys, counts),
        ),
        { numRuns: sized(60, 3), endOnFailure: true },
      );
      say(`${name}, ${form}: ${JSON.stringify(counts)}`);
      expect(counts.exact / counts.plans).toBeGreaterThan(store.exact[database.dialect]);
    },
    600_000,
  );

  test.each(COLUMNS)(
    "$column: the table of docs/lists.md says what is kept, and which comparisons are exact",
    async (of) => {
      const database = opened();
      if (typeof database === "string") return say(`${name}: ${database}`);
      if (database.dialect !== of.dialect) return;
      const rows = HOSTILE_DATA.flatMap(({ name: value, json: text }) => {
        const cell = CELLS.get(value)?.[of.column];
        return text === undefined || cell === undefined || cell === "" ? [] : [{ value, text, cell }];
      });
      const measured = await inOrder(rows, async (one) => ({ ...one, is: await treatment(database, of, one.text) }));
      expect(measured).toEqual(rows.map((one) => ({ ...one, is: statedTreatment(one.cell) })));
      expect(rows.length).toBeGreaterThan(6);
    },
  );
});
