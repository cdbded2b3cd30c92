/** The measured server. */

import { Writable } from "node:stream";
import { readConfig } from "../src/config/config.js";
import { seedDemo } from "../src/demo/seed.js";
import { createApp } from "../src/http/app.js";
import { CallerAddresses } from "../src/http/caller-address.js";
import { requestLimits } from "../src/http/rate-limit.js";
import { Refused } from "../src/http/refused.js";
import { startServer } from "../src/http/server.js";
import { SnapshotCaches } from "../src/http/snapshot-cache.js";
import { openDecisionLog } from "../src/observability/decision-log.js";
import { createLogger } from "../src/observability/logger.js";
import { createMetrics } from "../src/observability/metrics.js";
import { type Decider, embeddedDecider } from "../src/policies/decider.js";
import { openPolicies, type Policies } from "../src/policies/policies.js";
import { Provisioning } from "../src/provision/provision.js";
import { openStore } from "../src/store/open.js";
import type { Store } from "../src/store/store.js";
import { LongestTurn } from "./longest-turn.js";
import { usageNow } from "./usage.js";

/** The address, keys and ids that the load generator needs. */
export interface Served {
  readonly baseUrl: string;
  readonly admin: string;
  readonly viewer: string;
  readonly keyId: string;
  readonly apiId: string;
  /** An admin key of another account, and an API there in which keys can be created. */
  readonly other: { readonly admin: string; readonly apiId: string };
}

/**
 * The authorization work of a measured server:
 *
 * - `authorized`: all of it, as in the service.
 * - `undecided`: no evaluation of policies. The first decision on each operation answers all its later requests, so the
 *   server has the same answers, records and audit rows.
 * - `bare`: no decision, record or audit row. After the key, its account and the resource are looked up, a read is
 *   answered and a deletion is refused.
 */
export type Authorization = "authorized" | "undecided" | "bare";

function undecided(decider: Decider): Decider {
  const first = new Map<string, ReturnType<Decider["decide"]>>();
  return {
    ...decider,
    decide: (request, requestId) => {
      const known = first.get(request.operation) ?? decider.decide(request, requestId);
      first.set(request.operation, known);
      return known;
    },
  };
}

function bareDecider({ current }: Policies): Decider {
  return {
    description: "none",
    decide: async ({ operation }) => {
      if (operation === "apis.deleteApi") throw new Refused({ outcome: "forbidden" });
      return { decision: ALLOWED, policies: current.set, policySetHash: "" };
    },
    ping: async () => {},
    close: () => {},
  };
}

const verdict = {
  effect: "allow",
  policy: "",
  scope: "",
  reasons: [],
  errors: [],
  outputs: [],
  derivedRoles: [],
} as const;
const ALLOWED = { outcome: "allow", permission: verdict, platform: verdict } as const;

export async function serve(authorization: Authorization, database: string | undefined): Promise<void> {
  const logger = createLogger("info", new Writable({ write: (_, __, done) => done() }));
  const { KEY_CACHE_MS } = process.env;
  const config = readConfig({ DATABASE_URL: database, DEMO: "1", KEY_CACHE_MS });
  const store = await openStore(config, logger);
  const demo = await seedDemo(store);
  if (demo === undefined) throw new Error("the database is not empty");
  const policies = await openPolicies(config.POLICIES, logger);
  const embedded = embeddedDecider(policies);
  const decisionLog = openDecisionLog("stdout");
  const caches = new SnapshotCaches({ ageMs: config.KEY_CACHE_MS });
  if (caches.isOn) store.listen(caches.listener);
  const app = createApp({
    store,
    policies,
    decider: { authorized: embedded, undecided: undecided(embedded), bare: bareDecider(policies) }[authorization],
    decisionLog: authorization === "bare" ? { ...decisionLog, write: async () => {} } : decisionLog,
    logger,
    metrics: createMetrics(),
    limits: requestLimits({}),
    accountConcurrency: config.ACCOUNT_CONCURRENCY,
    addresses: new CallerAddresses([]),
    docsUrl: config.DOCS_URL,
    bodyLimit: config.BODY_LIMIT,
    challenges: config.CHALLENGES,
    caches,
    patienceMs: config.DATABASE_TIMEOUT_MS,
    isOpen: () => true,
    readinessTimeoutMs: 2_000,
  });
  const fetch = (request: Request) => app.fetch(request);
  const { baseUrl } = await startServer({ fetch, host: "127.0.0.1", port: 0, docsUrl: config.DOCS_URL, logger });
  const { keys, apis, more } = demo;
  const served: Served = {
    baseUrl,
    admin: keys.admin,
    viewer: keys.read_only,
    keyId: more.limitedKeyId,
    apiId: apis.delete_protected,
    other: await otherAccount(store),
  };
  const longestTurn = new LongestTurn();
  process.on("message", (message) => {
    // An orderly exit, so that a profile is written.
    if (message === "end") process.exit(0);
    if (message === "start") process.send?.(longestTurn.start());
    else process.send?.(message === "stop" ? longestTurn.stop() : usageNow());
  });
  process.send?.(served);
}

async function otherAccount(store: Store): Promise<Served["other"]> {
  return await store.transaction(async (queries) => {
    const account = await Provisioning.account(queries, { ...ROOM, plan: "pro", status: "active" });
    const workspace = await account.workspace({ name: "Production", environment: "production" });
    const system = await account.api(workspace, { name: "Management", system: true, state: "active" });
    const { secret } = await account.key(system, { name: "admin", roles: ["admin"] });
    return { admin: secret, apiId: await account.api(workspace, { name: "Active", state: "active" }) };
  });
}

const ROOM = { limitApis: 10, limitKeys: 100_000_000 };
