/**
 * NULL in a column when the mapping does not define its meaning: it means null if the schema requires the attribute.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { compilePoliciesOrThrow, decide, planDecisions } from "../../../src/index.js";
import { type SqlColumn, toSqlOrThrow } from "../../../src/sql/index.js";
import { say } from "../../support/seed.js";
import { DATABASES, openedFor } from "./databases.js";

const CONDITIONS = [
  ..."has(R.attr.v)|!has(R.attr.v)|R.attr.v == null|R.attr.v != null|R.attr.v == 'x'|R.attr.v != 'x'".split("|"),
  ..."R.attr.v in ['x', null]|R.attr.v == R.attr.w|R.attr.v != R.attr.w|R.attr.v == null && R.attr.w == 'x'".split("|"),
];

/** A set with a schema for `v`; `w` is always required and may be null. */
function setOf(v: object, required: readonly string[]) {
  const rules = CONDITIONS.map((expr, i) => ({
    actions: [`a${i}`],
    effect: "EFFECT_ALLOW",
    roles: ["*"],
    condition: { match: { expr } },
  }));
  const schemas = { resourceSchema: { ref: "cerbos:///doc.json" } };
  const resourcePolicy = { resource: "doc", version: "default", rules, schemas };
  const schema = { properties: { v, w: { type: ["string", "null"] } }, required: ["w", ...required] };
  return compilePoliciesOrThrow(
    [
      { path: "doc.json", text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) },
      { path: "_schemas/doc.json", text: JSON.stringify(schema) },
    ],
    { platform: "none" },
  );
}

const NULLABLE = { type: ["string", "null"] };

/** Sets, and whether the program that makes resources from rows reads NULL in `v` as null. */
const SETS: readonly (readonly [
  what: string,
  set: ReturnType<typeof setOf>,
  as: SqlColumn["null"],
  isNull: boolean,
])[] = [
  ["required, and may be null", setOf(NULLABLE, ["v"]), undefined, true],
  ["required, one of some values", setOf({ enum: ["x", "y", null] }, ["v"]), undefined, true],
  ["required, and absent to the mapping", setOf(NULLABLE, ["v"]), "absent", false],
  ["not required", setOf(NULLABLE, []), undefined, false],
  ["never null", setOf({ type: "string" }, ["v"]), undefined, false],
];

const ROWS = [null, "x", "y"].flatMap((v) => [null, "x"].map((w) => ({ v, w })));

describe.each(DATABASES)("%s", (name, open) => {
  const opened = openedFor(open);

  test.each(SETS)("%s", async (_, policies, as, isNull) => {
    const database = opened();
    if (typeof database === "string") return say(`${name}: ${database}`);
    const columns = {
      v: { column: "v", type: "text", ...(as === undefined ? {} : { null: as }) },
      w: { column: "w", type: "text" },
    } as const;
    const rows = ROWS.map(({ v, w }, i) => ({ id: `r${i}`, attr: v === null && !isNull ? { w } : { v, w } }));
    const table = await database.table(rows, columns);
    for (const [i, condition] of CONDITIONS.entries()) {
      const asked = { key: { id: "k", roles: ["user"], attr: {} }, operation: `a${i}` };
      const plan = planDecisions(policies, { ...asked, kind: "doc" });
      const made = toSqlOrThrow(plan.filter, table.mapping);
      const found = await table.where(made);
      const allowed = rows.map((row) => decide(policies, { ...asked, resource: { kind: "doc", ...row } }).outcome);
      const isExact = plan.isExact && made.isExact;
      const right = allowed.map((outcome, at) => outcome === "allow" || (!isExact && found.has(at)));
      expect([condition, rows.map((_, at) => found.has(at))]).toEqual([condition, right]);
      // A comparison of two nullable columns is not exact: `decide` checks the rows found.
      expect([condition, isExact]).toEqual([
        condition,
        !condition.includes("R.attr.v == R.attr.w") && !condition.includes("R.attr.v != R.attr.w"),
      ]);
    }
  });
});
