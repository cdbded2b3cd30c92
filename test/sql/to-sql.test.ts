/** Conditions of queries, case by case; `law.test.ts` runs them. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { type Filter, planDecisions } from "../../src/index.js";
import { type SqlMapping, type SqlRelation, toSql, toSqlOrThrow } from "../../src/sql/index.js";
import { shipped } from "../support/policies.js";

const team = { of: "attr", path: ["team"] } as const;
const POSTGRES: SqlMapping = { dialect: "postgres", id: "id", attributes: { team: { column: "team", type: "text" } } };
const SQLITE: SqlMapping = { ...POSTGRES, dialect: "sqlite" };
const HOSTILE = `'"; DROP TABLE docs; --`;

test.each<[filter: Filter, postgres: string, sqlite: string, values: readonly unknown[]]>([
  [{ op: "all", of: [] }, "(TRUE)", "(TRUE)", []],
  [{ op: "any", of: [] }, "(FALSE)", "(FALSE)", []],
  [{ op: "in", term: team, values: ["a"] }, '("team" = $1::text)', '("team" COLLATE BINARY = ?)', ["a"]],
  [
    { op: "not", of: { op: "in", term: team, values: ["a", 1, "b"] } },
    '(("team" IN ($1::text, $2::text)) IS NOT TRUE)',
    '(("team" COLLATE BINARY IN (?, ?)) IS NOT TRUE)',
    ["a", "b"],
  ],
  [{ op: "in", term: team, values: [3, null] }, "(FALSE)", "(FALSE)", []],
  [{ op: "present", term: { of: "attr", path: ["team", "name"] } }, "(FALSE)", "(FALSE)", []],
  [{ op: "in", term: { of: "id", path: [] }, values: ["a"] }, '("id" = $1::text)', '("id" COLLATE BINARY = ?)', ["a"]],
])("%j", (filter, postgres, sqlite, values) => {
  expect(toSqlOrThrow(filter, POSTGRES)).toMatchObject({ text: postgres, values, isExact: true });
  expect(toSqlOrThrow(filter, SQLITE)).toMatchObject({ text: sqlite, values, isExact: true });
});

test("the shipped policies: what an index of plain columns serves", () => {
  const account = {
    id: "acc",
    attr: { plan: "pro", status: "active", limits: { apis: 9, keys: 9 }, usage: { apis: 1, keys: 1 }, holds: [] },
  };
  const attr = { accountId: "acc", workspaceIds: ["w1", "w2"], environment: "production", permissions: [] };
  const { filter } = planDecisions(shipped, {
    key: { id: "k", roles: ["viewer"], attr },
    operation: "apis.getApi",
    kind: "api",
    account,
  });
  const columns = ["accountId", "environment", "workspaceId"].map(
    (name) => [name, { column: name, type: "text", null: "never" }] as const,
  );
  const condition = toSqlOrThrow(filter, { dialect: "postgres", attributes: Object.fromEntries(columns) }, 3);
  const values = ["acc", "production", "w1", "w2"];
  const text = '("accountId" = $3::text AND "environment" = $4::text AND "workspaceId" IN ($5::text, $6::text))';
  expect(condition).toMatchObject({ text, values, isExact: true });
});

/** A mapping as a program in JavaScript can write it. */
const untyped = (mapping: object): SqlMapping => JSON.parse(JSON.stringify(mapping));

const ON = { table: "members", on: { doc: "id" } };

test.each<[what: string, kept: object, message: string]>([
  [
    "another type",
    { column: "team", type: "string" },
    'has the type "string": it must be one of text, number, boolean',
  ],
  ["a type in capitals", { column: "team", type: "TEXT" }, 'has the type "TEXT"'],
  ["no type", { column: "team" }, "has the type undefined"],
  ["another meaning of NULL", { column: "team", type: "text", null: "nul" }, 'the meaning "nul" of NULL'],
  ["no meaning of NULL", { column: "team", type: "text", null: null }, "the meaning null of NULL"],
  ["another type in a relation", { ...ON, value: { column: "id", type: "uuid" } }, 'the type "uuid"'],
  ["another type of a field", { ...ON, fields: { a: { column: "id", type: "int" } } }, 'the type "int"'],
])("a column with %s is an error, whether or not the filter needs it", (_, kept, message) => {
  for (const filter of [
    { op: "type", term: team, types: ["string"] },
    { op: "all", of: [] },
  ] satisfies Filter[]) {
    const made = toSql(filter, untyped({ ...POSTGRES, table: "docs", attributes: { team: kept } }));
    expect(made).toMatchObject({ left: [{ attribute: "team", message: expect.stringContaining(message) }] });
  }
});

test("another dialect, and a number that no parameter has, are refused", () => {
  const all: Filter = { op: "all", of: [] };
  expect(() => toSql(all, untyped({ dialect: "mysql" }))).toThrow("the dialect must be postgres or sqlite");
  for (const first of [0, 1.5, Number.NaN, JSON.parse('"2; DROP TABLE docs"')]) {
    expect(() => toSql(all, POSTGRES, first)).toThrow("the first parameter must be a whole number from 1");
  }
});

test("a mapping without what the filter needs is an error that names it, each of it", () => {
  const filter: Filter = {
    op: "all",
    of: [
      { op: "present", term: { of: "attr", path: ["owner", "name"] } },
      { op: "present", term: { of: "attr", path: [HOSTILE] } },
      { op: "present", term: { of: "id", path: [] } },
    ],
  };
  const made = toSql(filter, { dialect: "postgres" });
  expect(isLeft(made) ? made.left.map(({ attribute }) => attribute) : made).toEqual(["owner", HOSTILE, ""]);
  expect(() => toSqlOrThrow(filter, { dialect: "sqlite" })).toThrow('no column for the attribute "owner"');
  const lists: SqlMapping = { dialect: "sqlite", attributes: { team: { column: "team", type: "text[]" } } };
  expect(() => toSqlOrThrow({ op: "present", term: team }, lists)).toThrow('the attribute "team"');
});

describe.each(["postgres", "sqlite"] as const)(
  "%s: what a policy or a key says is never part of the SQL",
  (dialect) => {
    const term = { of: "attr", path: [HOSTILE, "b'\""] } as const;
    const filters: readonly Filter[] = [
      { op: "present", term },
      { op: "in", term, values: [HOSTILE, 1, true, null] },
      { op: "order", term, symbol: "<", value: HOSTILE },
      { op: "includes", term, value: HOSTILE },
      { op: "text", term, how: "contains", value: HOSTILE },
      {
        op: "some",
        term,
        over: "items",
        where: { op: "in", term: { of: "item", path: [HOSTILE] }, values: [HOSTILE] },
      },
    ];
    test.each(filters)("%j", (filter) => {
      const inJson: SqlMapping = { dialect, others: "others" };
      const inColumn: SqlMapping = { dialect, attributes: { [HOSTILE]: { column: "a", type: "text" } } };
      for (const mapping of [inJson, inColumn]) expect(toSqlOrThrow(filter, mapping).text).not.toMatch(/DROP|--/);
    });

    test("the name of a column ends where it ends", () => {
      const mapping: SqlMapping = {
        dialect,
        table: 't"',
        attributes: { team: { column: 'a" OR TRUE --', type: "text" } },
      };
      expect(toSqlOrThrow({ op: "present", term: team }, mapping).text).toBe('("t"""."a"" OR TRUE --" IS NOT NULL)');
    });
  },
);

test("what the database cannot say makes the condition wider, on either side of a negation", () => {
  const expression: Filter = { op: "expression", is: true, reads: ["R.attr.a"], value: () => undefined };
  const one: Filter = { op: "in", term: team, values: ["a"] };
  expect(toSqlOrThrow({ op: "all", of: [one, expression] }, POSTGRES)).toMatchObject({
    text: '("team" = $1::text AND TRUE)',
    isExact: false,
  });
  expect(toSqlOrThrow({ op: "not", of: expression }, POSTGRES)).toMatchObject({ text: "(TRUE)", isExact: false });
  const quantified = { op: "some", term: team, over: "items", where: expression } as const;
  const mapping: SqlMapping = { ...POSTGRES, attributes: { team: { column: "team", type: "json" } } };
  expect(toSqlOrThrow({ op: "not", of: quantified }, mapping)).toMatchObject({ text: "(TRUE)", isExact: false });
});

test("texts that no database keeps are compared with none", () => {
  for (const value of ["a\0b", "\ud800"]) {
    expect(toSqlOrThrow({ op: "in", term: team, values: [value] }, POSTGRES).text).toBe("(FALSE)");
    expect(toSqlOrThrow({ op: "order", term: team, symbol: "<", value }, POSTGRES).isExact).toBe(false);
  }
});

test("more values than a query may have are not asked for", () => {
  const values = Array.from({ length: 40_000 }, (_, i) => String(i));
  expect(toSqlOrThrow({ op: "in", term: team, values }, SQLITE)).toMatchObject({ text: "(TRUE)", isExact: false });
});

describe.each(["postgres", "sqlite"] as const)("%s: a list in another table", (dialect) => {
  const filter = { op: "includes", term: { of: "attr", path: ["tags"] }, value: "red" } as const;
  const relation = {
    table: 'row"tags',
    on: { 'a" OR TRUE --': "id", b: "b" },
    value: { column: "t", type: "text" },
  } as const;

  test("the text of the condition", () => {
    const { text, values } = toSqlOrThrow(filter, { dialect, table: "d", attributes: { tags: relation } });
    const [parameter, collation] = dialect === "postgres" ? ["$1::text", ""] : ["?", " COLLATE BINARY"];
    expect(text).toBe(
      '(EXISTS (SELECT 1 FROM "row""tags" AS "keyward_1" WHERE "keyward_1"."a"" OR TRUE --" = "d"."id" ' +
        `AND "keyward_1"."b" = "d"."b" AND "keyward_1"."t" IS NOT NULL AND ("keyward_1"."t"${collation} = ${parameter})))`,
    );
    expect(values).toEqual(["red"]);
  });

  test.each<[what: string, mapping: Omit<SqlMapping, "dialect">]>([
    ["the mapping has to name its own", { attributes: { tags: relation } }],
    ["which rows of the other table", { table: "d", attributes: { tags: { ...relation, on: {} } } }],
  ])("%s", (what, mapping) => {
    expect(() => toSqlOrThrow(filter, { ...mapping, dialect })).toThrow(what);
  });
});

test("a type that the database has not is an error that names the attribute", () => {
  const relation: SqlRelation = { table: "t", on: { a: "b" }, fields: { c: { column: "c", type: "text[]" } } };
  const filter = { op: "present", term: { of: "attr", path: ["members"] } } as const;
  const made = () => toSqlOrThrow(filter, { dialect: "sqlite", table: "d", attributes: { members: relation } });
  expect(made).toThrow('the attribute "members"');
});
