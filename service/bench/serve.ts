/** The server that is measured. */

import { pino } from "pino";
import { readConfig } from "../src/config/config.js";
import { seedDemo } from "../src/demo/seed.js";
import { createApp } from "../src/http/app.js";
import { RateLimit } from "../src/http/rate-limit.js";
import { Refused } from "../src/http/refused.js";
import { startServer } from "../src/http/server.js";
import { openDecisionLog } from "../src/observability/decision-log.js";
import { createMetrics } from "../src/observability/metrics.js";
import { type Decider, embeddedDecider } from "../src/policies/decider.js";
import { Policies } from "../src/policies/policies.js";
import { openStore } from "../src/store/open.js";

/** What the load needs to know. */
export interface Served {
  readonly baseUrl: string;
  readonly admin: string;
  readonly viewer: string;
  readonly keyId: string;
  readonly apiId: string;
}

/** The decider of the comparison: nothing is asked, reads go on, and a deletion ends as a refused one does. */
const none: Decider = {
  description: "none",
  decide: async ({ operation }) => {
    if (operation === "apis.deleteApi") throw new Refused({ outcome: "forbidden" });
    return { decision: ALLOWED, policySetHash: "" };
  },
  ping: async () => {},
  close: () => {},
};

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

export async function serve(authorization: boolean, database: string | undefined): Promise<void> {
  const logger = pino({ level: "warn" }, pino.destination(2));
  const config = readConfig({ DATABASE_URL: database });
  const store = await openStore(config, logger);
  const demo = await seedDemo(store);
  if (demo === undefined) throw new Error("the database is not empty");
  const policies = await Policies.load(config.POLICIES, logger);
  const full = openDecisionLog("stdout");
  const app = createApp({
    store,
    policies,
    decider: authorization ? embeddedDecider(policies) : none,
    decisionLog: authorization ? full : { ...full, write: async () => {} },
    logger,
    metrics: createMetrics(),
    rateLimit: new RateLimit({ perSecond: 0, burst: 1 }),
    docsUrl: config.DOCS_URL,
    bodyLimit: config.BODY_LIMIT,
    patienceMs: config.DATABASE_TIMEOUT_MS,
    isOpen: () => true,
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
  };
  process.on("message", () => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    process.send?.({ rss, heap: heapUsed, cpu: user + system });
  });
  process.send?.(served);
}
