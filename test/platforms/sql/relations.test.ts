/**
 * Lists with their elements in another table: a query finds the rows that `decide` allows.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { compilePoliciesOrThrow, decide, planDecisions } from "../../../src/index.js";
import { type SqlRelation, toSqlOrThrow } from "../../../src/sql/index.js";
import { Random } from "../../differential/random.js";
import { SEED, say } from "../../support/seed.js";
import { type Columns, DATABASES, openedFor, type TableRow } from "./databases.js";

const MEMBERS: SqlRelation = {
  table: "row_members",
  on: { row: "rn" },
  fields: {
    user: { column: 'us"er', type: "text", null: "never" },
    level: { column: "level", type: "number" },
    active: { column: "active", type: "boolean", null: "null" },
    extra: { column: "extra", type: "json" },
  },
};
const TAGS: SqlRelation = { table: "row_tags", on: { row: "rn" }, value: { column: "tag", type: "text" } };
const COLUMNS: Columns = { members: MEMBERS, tags: TAGS };

/** Conditions, and whether SQL can express them exactly. */
const CONDITIONS: readonly (readonly [condition: string, isExact: boolean])[] = [
  ["R.attr.members.exists(m, m.user == P.id && m.level >= 2)", true],
  ["R.attr.members.all(m, m.level < 3)", true],
  ["R.attr.members.all(m, has(m.level) && m.level < 3)", true],
  ["R.attr.members.exists(m, m.active == null)", true],
  ["R.attr.members.exists(m, has(m.nothing))", true],
  ["R.attr.members.exists(m, has(m.extra) && m.extra.deep == 'x')", true],
  ["R.attr.members.exists(m, 'level' in m)", true],
  ["!R.attr.members.exists(m, m.user == 'ann')", true],
  ["size(R.attr.members) > 1 && size(R.attr.members) <= 3", true],
  ["R.attr.members == []", false],
  ["'red' in R.attr.tags", true],
  ["R.attr.tags.exists(t, t.startsWith('r') || t == P.id)", true],
  ["R.attr.tags.all(t, t in ['red', 'green'])", true],
  ["hasIntersection(R.attr.tags, ['red', 'blue'])", true],
  ["size(R.attr.tags) == 0", true],
  ["R.attr.tags.exists_one(t, t == 'red')", false],
  ["has(R.attr.tags) && has(R.attr.members)", true],
];

function policiesOf(condition: string) {
  const rules = [
    { actions: ["view"], effect: "EFFECT_ALLOW", roles: ["*"], condition: { match: { expr: condition } } },
  ];
  const policy = { apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource: "doc", version: "default", rules } };
  return compilePoliciesOrThrow([{ path: "doc.json", text: JSON.stringify(policy) }], { platform: "none" });
}

function rowsOf(random: Random): readonly TableRow[] {
  const chance = (share: number) => random.int(0, 99) < share;
  const some = <T>(most: number, one: () => T) => Array.from({ length: random.int(0, most) }, one);
  return Array.from({ length: 60 }, (_, at) => ({
    id: `r${at}`,
    attr: {
      tags: some(3, () => random.pick(["red", "green", "blue", "réd", "ann"])),
      members: some(4, () => ({
        user: random.pick(["ann", "bob", "réd\u{1f600}"]),
        active: random.pick([true, false, null]),
        ...(chance(80) ? { level: random.int(0, 4) } : {}),
        ...(chance(50) ? { extra: random.pick([{ deep: "x" }, { deep: 1 }, [], "x"]) } : {}),
      })),
    },
  }));
}

describe.each(DATABASES)("%s", (name, open) => {
  const opened = openedFor(open);

  test.each(CONDITIONS)("%s", async (condition, isExact) => {
    const database = opened();
    if (typeof database === "string") return say(`${name}: ${database}`);
    const policies = policiesOf(condition);
    const key = { id: "ann", roles: ["user"], attr: {} };
    const plan = planDecisions(policies, { key, operation: "view", kind: "doc" });
    const rows = rowsOf(new Random(SEED));
    const table = await database.table(rows, COLUMNS);
    const made = toSqlOrThrow(plan.filter, table.mapping);
    expect([made.isExact && plan.isExact, condition]).toEqual([isExact, condition]);
    const found = await table.where(made);
    const wanted = rows.flatMap(({ id, attr }, at) =>
      decide(policies, { key, operation: "view", resource: { kind: "doc", id, attr } }).outcome === "allow" ? [at] : [],
    );
    expect(wanted.filter((at) => !found.has(at))).toEqual([]);
    if (isExact) expect([...found].sort((a, b) => a - b)).toEqual(wanted);
  });
});
