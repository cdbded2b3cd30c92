/**
 * A query finds a row if and only if `decide` says `allow` for it (or `forbidden`, where the query asks for that). For
 * a pre-filter, this holds after `decideAll` has decided on the rows found.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/cel/json.js";
import { decide, type PolicySet, planDecisions } from "../../../src/index.js";
import { type SqlColumn, type SqlRelation, toSqlOrThrow } from "../../../src/sql/index.js";
import { type PlainRequest, type Profile, policySet, request, toFiles } from "../../property/arbitraries/index.js";
import { type PlainRow, row } from "../../property/arbitraries/rows.js";
import type { PolicyDocuments } from "../../reference/documents.js";
import { compiledDocuments } from "../../support/policies.js";
import { say } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { type Columns, DATABASES, openedFor, type Table } from "./databases.js";

/** The full sample has 100,000 rows for each database and form of table. */
const SETS = sized(140, 10);
const REQUESTS = 12;
const ROWS = 60;

const PROFILES: readonly Profile[] = ["any", "removal", "typed", "whole", "optionals"];

/** Typed columns. A row's value of another type is not stored. */
const TYPED: { readonly [name: string]: SqlColumn } = {
  owner: { column: "owner", type: "text" },
  status: { column: 'sta"tus', type: "text", null: "null" },
  label: { column: "label", type: "text" },
  level: { column: "level", type: "number" },
  size: { column: "size", type: "number", null: "null" },
  locked: { column: "locked", type: "boolean" },
  shared: { column: "shared", type: "boolean", null: "null" },
  meta: { column: "meta", type: "json" },
  scores: { column: "scores", type: "json", null: "null" },
};
/** Lists in their own tables. Every row has these lists, possibly empty. */
const RELATED: { readonly [name: string]: SqlRelation } = {
  tags: { table: "row_tags", on: { row: "rn" }, value: { column: "tag", type: "text" } },
  scores: { table: "row_scores", on: { row: "rn" }, value: { column: 'sco"re', type: "json", null: "never" } },
};
const LISTS: { readonly [name: string]: SqlColumn } = { tags: { column: "tags", type: "text[]" } };

/** The row as it is read back from such a table. */
function asKept({ id, attr }: PlainRow, columns: Columns): PlainRow {
  const kept = Object.entries(columns).flatMap(([name, as]): readonly (readonly [string, JsonValue])[] => {
    const value = Object.hasOwn(attr, name) ? attr[name] : undefined;
    if (!("column" in as)) {
      const list = Array.isArray(value) ? value : [];
      return [[name, list.filter((one) => as.value?.type === "json" || typeof one === "string")] as const];
    }
    const { type, null: onNull } = as;
    const isKept =
      type === "json"
        ? value !== undefined
        : type === "text[]"
          ? Array.isArray(value) && value.every((one) => one === null || typeof one === "string")
          : typeof value === (type === "text" ? "string" : type);
    // A column of type `json` stores JSON's null as a JSON value, even where NULL also means null.
    if (isKept && value !== undefined) return [[name, value] as const];
    return onNull === "null" ? [[name, null] as const] : [];
  });
  const others = Object.entries(attr).filter(([name]) => !Object.hasOwn(columns, name));
  return { id, attr: Object.fromEntries([...others, ...kept]) as PlainRow["attr"] };
}

interface Case {
  readonly documents: PolicyDocuments;
  readonly requests: readonly PlainRequest[];
  readonly rows: readonly PlainRow[];
}

const cases: fc.Arbitrary<Case> = fc
  .constantFrom(...PROFILES)
  .chain((profile) => policySet({ profile }))
  .chain((documents) =>
    fc.record({
      documents: fc.constant(documents),
      requests: fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS }),
      rows: fc.array(row(), { minLength: ROWS, maxLength: ROWS }),
    }),
  );

describe.each(DATABASES)("%s", (name, open) => {
  const opened = openedFor(open);

  test.each<[form: string, columns: Columns]>([
    ["all attributes in one column", {}],
    ["columns with types", TYPED],
    ["lists in tables of their own", RELATED],
  ])(
    "%s",
    async (form, given) => {
      const database = opened();
      if (typeof database === "string") return say(`${name}: ${database}`);
      const columns = database.dialect === "postgres" && form === "columns with types" ? { ...given, ...LISTS } : given;
      const counts = { rows: 0, wanted: 0, plans: 0, some: 0, exact: 0, found: 0 };
      const forbidden = { ...counts };
      for (const { documents, requests, rows } of fc.sample(cases, SETS)) {
        const policies = compiledDocuments(documents);
        const kept = rows.map((one) => asKept(one, columns));
        const table = await database.table(kept, columns);
        for (const [i, one] of requests.entries()) {
          await check(policies, documents, one, kept, table, counts, "allow");
          if (i % 3 === 0) await check(policies, documents, one, kept, table, forbidden, "forbidden");
        }
      }
      say(`${name}, ${form}: ${JSON.stringify(counts)}, forbidden: ${JSON.stringify(forbidden)}`);
      for (const { rows, wanted, plans, some, exact } of [counts, forbidden]) {
        expect(wanted / rows).toBeGreaterThan(0.1);
        expect(some / plans).toBeGreaterThan(0.1);
        // Conditions on numbers in SQLite's JSON text give only a pre-filter.
        expect(exact / plans).toBeGreaterThan(database.dialect === "sqlite" ? 0.5 : 0.6);
      }
    },
    600_000,
  );
});

interface Counts {
  rows: number;
  wanted: number;
  plans: number;
  some: number;
  exact: number;
  found: number;
}

async function check(
  policies: PolicySet,
  documents: PolicyDocuments,
  one: PlainRequest,
  rows: readonly PlainRow[],
  table: Table,
  counts: Counts,
  outcome: "allow" | "forbidden",
): Promise<void> {
  const { kind, scope } = one.resource;
  const place = scope === undefined ? { kind } : { kind, scope };
  const { resource: _, ...rest } = one;
  const asked = { ...rest, kind, resource: scope === undefined ? {} : { scope }, withForbidden: true };
  const whole = planDecisions(policies, asked);
  const plan = outcome === "allow" ? whole : whole.forbidden;
  if (plan === undefined) throw new Error("the forbidden rows were asked for");
  const condition = toSqlOrThrow(plan.filter, table.mapping);
  const found = await table.where(condition);
  counts.plans += 1;
  if (plan.outcome === "some") counts.some += 1;
  if (condition.isExact && plan.isExact) counts.exact += 1;
  counts.found += found.size;
  for (const [at, { id, attr }] of rows.entries()) {
    const isWanted = decide(policies, { ...one, resource: { ...place, id, attr } }).outcome === outcome;
    counts.rows += 1;
    if (isWanted) counts.wanted += 1;
    const isRight = condition.isExact && plan.isExact ? found.has(at) === isWanted : found.has(at) || !isWanted;
    if (isRight) continue;
    const shown = JSON.stringify({ outcome, isWanted, condition, plan, row: rows[at], one });
    throw new Error(
      `${shown}\n${toFiles(documents)
        .map(({ text }) => text)
        .join("\n")}`,
    );
  }
}
