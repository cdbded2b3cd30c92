/**
 * Cerbos's query plan adapters for Prisma and Mongoose make the same queries from our plans as from the server's. They
 * are installed from the registry, with the client version that the tests use, because the registry may lack the
 * versions that they ask for.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, PlanResourcesResponse } from "@cerbos/core";
import { GRPC } from "@cerbos/grpc";
import { expect, test } from "vitest";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { ROOT } from "../support/built.js";
import { say } from "../support/seed.js";
import { NO_SERVER, startServer } from "../support/server.js";

const ADAPTERS = { "@cerbos/orm-prisma": "4.1.0", "@cerbos/orm-mongoose": "3.0.0" } as const;

/** Conditions that the adapters' documentation says they translate, and some that they refuse. */
const CONDITIONS = [
  "true",
  "R.attr.owner == P.id",
  "R.attr.owner != P.id",
  "R.attr.size < 10.0 && R.attr.size >= 2.0",
  'R.attr.status in ["open", "shared"]',
  'R.attr.status in ["open"]',
  'R.attr.owner == P.id || !(R.attr.status == "closed")',
  "R.attr.team in P.attr.teams && R.attr.active",
  "!R.attr.active",
  'R.attr.name.startsWith("a") || R.attr.name.endsWith("z") || R.attr.name.contains(P.attr.word)',
  "R.attr.parent.owner == P.id",
  "P.id in R.attr.readers",
  "hasIntersection(R.attr.readers, P.attr.teams)",
  "R.attr.tags.exists(tag, tag.name == P.attr.word)",
  "R.attr.tags.all(tag, tag.name != P.attr.word)",
  "P.attr.teams.exists(team, team == R.attr.team)",
  "P.attr.limits[R.attr.region] == 5.0",
  'P.id == "ann" ? R.attr.size > 1.0 : R.attr.size > 2.0',
  "R.attr.owner == null",
  "R.attr.owner == R.attr.status",
  "size(R.attr.readers) > 0",
  'R.attr.name.matches("^a")',
  "R.attr.size + 1.0 == 2.0",
];

const POLICY = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: "doc",
    version: "default",
    rules: [
      ...CONDITIONS.map((expr, i) => ({
        actions: [`a${i}`],
        effect: "EFFECT_ALLOW",
        roles: ["user"],
        condition: { match: { expr } },
      })),
      {
        actions: ["a1", "a4"],
        effect: "EFFECT_DENY",
        roles: ["user"],
        condition: { match: { expr: "R.attr.locked == true" } },
      },
    ],
  },
});

const principal = {
  id: "ann",
  roles: ["user"],
  attr: { teams: ["red", "blue"], word: "x", limits: { eu: 5, us: 5, asia: 7 } },
};

const to = (field: string) => ({ field });
const elements = (name: string) => ({ relation: { name, type: "many", fields: { name: to("name") } } });

/** The field of each attribute, for both adapters. */
const MAPPER = {
  "request.resource.attr.owner": to("ownerId"),
  "request.resource.attr.size": to("size"),
  "request.resource.attr.status": to("status"),
  "request.resource.attr.team": to("team"),
  "request.resource.attr.active": to("isActive"),
  "request.resource.attr.locked": to("isLocked"),
  "request.resource.attr.name": to("name"),
  "request.resource.attr.region": to("region"),
  "request.resource.attr.parent": { relation: { name: "parent", type: "one", fields: { owner: to("ownerId") } } },
  "request.resource.attr.readers": { relation: { name: "readers", type: "many", field: "id" } },
  "request.resource.attr.tags": elements("tags"),
};

type Adapter = (asked: { queryPlan: PlanResourcesResponse; mapper: object }) => unknown;

/** The query that an adapter makes from a plan, or its error. */
function made(adapter: Adapter, queryPlan: PlanResourcesResponse): unknown {
  try {
    return adapter({ queryPlan, mapper: MAPPER });
  } catch (error) {
    return String(error);
  }
}

/** Sorts lists: the server orders the entries of a known map at random. */
function inAnyOrder(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      Array.isArray(one) ? one.map((item) => JSON.stringify(item)).sort() : one,
    ),
  );
}

/** Error codes of a registry that lacks a package or does not answer. */
const NOT_THERE = /\b(ETARGET|E404|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH)\b/;

function versionOf(name: string): string {
  return JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).devDependencies[name];
}

async function adapters(directory: string): Promise<readonly Adapter[] | string> {
  const client = { "@cerbos/core": versionOf("@cerbos/core"), "@cerbos/grpc": versionOf("@cerbos/grpc") };
  const overrides = Object.fromEntries(Object.keys(ADAPTERS).map((name) => [name, client]));
  const manifest = { private: true, type: "module", dependencies: { ...client, ...ADAPTERS }, overrides };
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
  const { status, stderr } = spawnSync("npm", args, { cwd: directory, encoding: "utf8" });
  if (status !== 0 && NOT_THERE.test(stderr)) return stderr;
  if (status !== 0) throw new Error(stderr);
  const load = async (name: string) =>
    await import(pathToFileURL(join(directory, "node_modules", name, "lib/index.js")).href);
  const { queryPlanToPrisma } = await load("@cerbos/orm-prisma");
  const { queryPlanToMongoose } = await load("@cerbos/orm-mongoose");
  return [queryPlanToPrisma, queryPlanToMongoose];
}

test.skipIf(NO_SERVER !== undefined)(
  "adapters make the same queries of plans here and of the server's",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "keyward-adapters-"));
    try {
      const found = await adapters(directory);
      if (typeof found === "string") return say(`adapters of query plans are not tried: ${found}`);
      const policies = await mkdtemp(join(directory, "policies-"));
      writeFileSync(join(policies, "doc.json"), POLICY);
      const server = await startServer(policies);
      const remote = new GRPC(server.grpc, { tls: false });
      try {
        const engine = compileCheckEngine([{ path: "doc.json", text: POLICY }]);
        if (engine._tag === "Left") throw new Error(JSON.stringify(engine.left));
        const embedded = new EmbeddedClient(engine.right);
        const counts = { queries: 0, refused: 0 };
        for (const [i, condition] of CONDITIONS.entries()) {
          const plan = (client: Client) =>
            client.planResources({ principal, resource: { kind: "doc" }, action: `a${i}` });
          const [theirs, ours] = [await plan(remote), await plan(embedded)];
          for (const adapter of found) {
            const expected = made(adapter, theirs);
            expect(inAnyOrder(made(adapter, ours)), condition).toEqual(inAnyOrder(expected));
            counts[typeof expected === "string" ? "refused" : "queries"] += 1;
          }
        }
        say(`adapters of query plans: ${JSON.stringify(counts)}`);
        expect(counts.queries).toBeGreaterThanOrEqual(CONDITIONS.length);
      } finally {
        remote.close();
        await server.stop();
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  300_000,
);
