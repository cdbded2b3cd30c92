/**
 * A page of a list in PostgreSQL: a thousand of a million rows by the filter of a plan, compared with a handwritten query
 * that finds the same rows. Also the cost of a plan, compared with a decision.
 */

import { Client } from "pg";
import { startPostgres } from "../service/test/support/postgres-server.js";
import { decide, type PlanRequest, planDecisions } from "../src/index.js";
import { type SqlMapping, toSqlOrThrow } from "../src/sql/index.js";
import { shippedSet } from "./decide.js";
import { interleave, leastRatio, show, spread } from "./rounds.js";

const ROWS = 1_000_000;
const ROUNDS = 41;
const QUERIES = 10;
const WARM_UP = 200;

/** 250 accounts with 4,000 rows each. The key may see a quarter of its account's rows: two workspaces in production. */
const TABLE = `
  CREATE TABLE apis (
    id text PRIMARY KEY, account_id text NOT NULL, environment text NOT NULL, workspace_id text NOT NULL,
    name text NOT NULL
  );
  INSERT INTO apis
    SELECT 'api_' || n, 'acc_' || n % 250, (ARRAY['development', 'production'])[n / 250 % 2 + 1], 'ws_' || n / 500 % 4, md5(n::text)
    FROM generate_series(0, ${ROWS - 1}) AS n;
  CREATE INDEX ON apis (account_id, environment, workspace_id);
  ANALYZE apis;`;

const MAPPING: SqlMapping = {
  dialect: "postgres",
  id: "id",
  attributes: {
    accountId: { column: "account_id", type: "text", null: "never" },
    environment: { column: "environment", type: "text", null: "never" },
    workspaceId: { column: "workspace_id", type: "text", null: "never" },
  },
};

const BY_HAND = {
  text: "account_id = $1 AND environment = $2 AND workspace_id = ANY ($3)",
  values: ["acc_7", "production", ["ws_0", "ws_1"]],
};

const ACCOUNT = {
  id: "acc_7",
  attr: { plan: "pro", status: "active", limits: { apis: 9, keys: 9 }, usage: { apis: 1, keys: 1 }, holds: [] },
};
const ATTR = {
  accountId: "acc_7",
  workspaceIds: ["ws_0", "ws_1"],
  environment: "production",
  permissions: [],
};
const ASKED: PlanRequest = {
  key: { id: "k", roles: ["viewer"], attr: ATTR },
  account: ACCOUNT,
  operation: "apis.getApi",
  kind: "api",
};

export async function benchLists(): Promise<void> {
  const policies = await shippedSet();
  const plan = planDecisions(policies, ASKED);
  const condition = toSqlOrThrow(plan.filter, MAPPING);
  if (!plan.isExact || !condition.isExact) throw new Error("the filter is no longer exact");
  console.log(`by filter: WHERE ${condition.text}`);
  console.log(`by hand:   WHERE ${BY_HAND.text}`);
  await benchQueries({ text: condition.text, values: [...condition.values] });

  const attr = { accountId: "acc_7", workspaceId: "ws_0", environment: "production" };
  const { kind: _, ...question } = ASKED;
  const request = { ...question, resource: { kind: "api", id: "a", attr } };
  if (decide(policies, request).outcome !== "allow") throw new Error("the row is not allowed");
  const repeated = (times: number, run: () => void) => () => {
    for (let i = 0; i < times; i++) run();
  };
  const candidates = [
    repeated(1_000, () => decide(policies, request)),
    repeated(1_000, () => planDecisions(policies, ASKED)),
  ];
  // Warm-up, as in a service that has run for some seconds.
  for (let i = 0; i < WARM_UP; i++) for (const candidate of candidates) candidate();
  const [decisions = [], plans = []] = interleave(candidates, ROUNDS, 1_000);
  console.log(`\na decision  ${show(spread(decisions), 0)} ns`);
  console.log(`a plan      ${show(spread(plans), 0)} ns`);
  console.log(`ratio       ${show(spread(plans.map((time, i) => time / (decisions[i] ?? Number.NaN))))} × a decision`);
  console.log(`least by least ${leastRatio(plans, decisions)} × a decision`);
}

interface Condition {
  readonly text: string;
  readonly values: unknown[];
}

async function benchQueries(byFilter: Condition): Promise<void> {
  const server = await startPostgres();
  if (typeof server === "string") return console.log(`no query was made: ${server}`);
  const client = new Client({ connectionString: `${server.url}/postgres` });
  try {
    await client.connect();
    await client.query(TABLE);
    const found = async ({ text, values }: Condition) => {
      const { rows } = await client.query<{ id: string }>({
        name: text === BY_HAND.text ? "by hand" : "by filter",
        text: `SELECT id, name FROM apis WHERE ${text}`,
        values,
      });
      return rows.map(({ id }) => id).sort();
    };
    const [filtered, wanted] = [await found(byFilter), await found(BY_HAND)];
    if (filtered.join() !== wanted.join()) throw new Error("the queries find other rows");
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, one] of [BY_HAND, byFilter].entries()) {
        const start = process.hrtime.bigint();
        for (let n = 0; n < QUERIES; n++) await found(one);
        times[i]?.push(Number(process.hrtime.bigint() - start) / QUERIES / 1e6);
      }
    }
    const [hand, filter] = times;
    console.log(`\n${filtered.length} of ${ROWS} rows, the same (checked); ${ROUNDS} rounds of ${QUERIES} queries`);
    console.log(`by hand     ${show(spread(hand))} ms`);
    console.log(`by filter   ${show(spread(filter))} ms`);
    console.log(`ratio       ${show(spread(filter.map((time, i) => time / (hand[i] ?? Number.NaN))))} × by hand`);
  } finally {
    await client.end();
    await server.stop();
  }
}
