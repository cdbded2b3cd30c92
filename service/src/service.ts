/** The service as a whole: its parts are opened in order, and closed in reverse order. */

import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "./config/config.js";
import { createApp } from "./http/app.js";
import { CallerAddresses } from "./http/caller-address.js";
import { requestLimits } from "./http/rate-limit.js";
import { type RunningServer, startServer } from "./http/server.js";
import { SnapshotCaches } from "./http/snapshot-cache.js";
import { openDecisionLog } from "./observability/decision-log.js";
import type { Logger } from "./observability/logger.js";
import { createMetrics } from "./observability/metrics.js";
import { prepareDelegation } from "./operations/prepare-delegation.js";
import { readOperatorTokens, startAdminListener } from "./operator/listener.js";
import { withAgreementCheck } from "./policies/agreement.js";
import { withBreaker } from "./policies/breaker.js";
import { loadCandidate, withCandidate } from "./policies/candidate.js";
import { type Decider, embeddedDecider } from "./policies/decider.js";
import { openPolicies, type Policies, reloadOnSighup } from "./policies/policies.js";
import { remotePdp } from "./policies/remote.js";
import { retentionOf, startRetention } from "./retention.js";
import { removeExpiredAnswers } from "./store/expiry.js";
import { openStore } from "./store/open.js";
import type { Store } from "./store/store.js";

export interface Service {
  readonly baseUrl: string;
  readonly store: Store;
  /** The response to SIGHUP: loads the policies again, and reopens the decision log's file. */
  reload(): Promise<void>;
  /**
   * Completes requests in flight, and accepts no more after `delayMs`, by default `SHUTDOWN_DELAY_MS`: load balancers
   * get this time to see that /readyz fails.
   */
  close(delayMs?: number): Promise<void>;
}

/** Rejects if a part cannot be opened; then the opened parts are closed again. */
export async function startService(config: Config, logger: Logger): Promise<Service> {
  const opened: (() => unknown)[] = [];
  try {
    return await start(config, logger, opened);
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** The PDP's circuit breaker: opens after these failures in a row, for these milliseconds. */
const BREAKER = { failures: 5, pauseMs: 1_000 };

function pdp(address: string, config: Config, policies: Policies, logger: Logger): Decider {
  const { CERBOS_PDP_TLS: tls, CERBOS_PDP_TIMEOUT_MS: timeoutMs } = config;
  return withBreaker(withAgreementCheck(remotePdp(policies, { address, tls, timeoutMs }), policies, logger), BREAKER);
}

function recordReads({ DECISION_LOG_READS, DECISION_LOG_MASK: mask, DECISION_LOG_SALT: salt }: Config) {
  if (!DECISION_LOG_READS) return undefined;
  return { record: "reads", ...(mask && { mask }), ...(salt && { salt }) } as const;
}

/** The requests at once after a pause, where they are not configured. */
const burstOf = (perSecond: number) => Math.max(1, 2 * perSecond);

/** Listens for operators, if the configuration names a port and their tokens. */
async function openAdminListener(
  { ADMIN_PORT: port, ADMIN_TOKENS: path, DOCS_URL: docsUrl, SHUTDOWN_TIMEOUT_MS: timeoutMs }: Config,
  store: Store,
  logger: Logger,
  opened: (() => unknown)[],
): Promise<void> {
  if (port === undefined || path === undefined) return;
  const listener = await startAdminListener({ store, tokens: readOperatorTokens(path), port, docsUrl, logger });
  opened.push(() => listener.close(timeoutMs));
  logger.info({ baseUrl: listener.baseUrl }, "listening for operators");
}

async function start(config: Config, logger: Logger, opened: (() => unknown)[]): Promise<Service> {
  const metrics = createMetrics();
  const policies = await openPolicies(config.POLICIES, logger, {
    onWidening: config.POLICIES_ON_WIDENING,
    locked: config.POLICIES_LOCKED,
    onReload: (result) => {
      metrics.reload(result);
      if (result === "taken") void prepareDelegation(policies.current.set);
    },
  });
  await prepareDelegation(policies.current.set);
  const inForce =
    config.CERBOS_PDP === undefined ? embeddedDecider(policies) : pdp(config.CERBOS_PDP, config, policies, logger);
  const { CANDIDATE_POLICIES: candidate, CANDIDATE_SAMPLE: sample } = config;
  const decider =
    candidate === undefined
      ? inForce
      : withCandidate(inForce, policies, await loadCandidate(candidate), sample, { logger, metrics });
  opened.push(() => decider.close());
  const decisionLog = openDecisionLog(config.DECISION_LOG);
  opened.push(() => decisionLog.close());
  const store = await openStore(config, logger);
  opened.push(() => store.close());

  const caches = new SnapshotCaches({ ageMs: config.KEY_CACHE_MS });
  if (caches.isOn) opened.push(store.listen(caches.listener));

  let open = true;
  const app = createApp({
    store,
    policies,
    decider,
    decisionLog,
    recordReads: recordReads(config),
    logger,
    metrics,
    limits: requestLimits({
      key: { perSecond: config.RATE_LIMIT, burst: config.RATE_LIMIT_BURST ?? burstOf(config.RATE_LIMIT) },
      account: { perSecond: config.RATE_LIMIT_ACCOUNT, burst: burstOf(config.RATE_LIMIT_ACCOUNT) },
      address: { perSecond: config.RATE_LIMIT_ADDRESS, burst: burstOf(config.RATE_LIMIT_ADDRESS) },
    }),
    accountConcurrency: config.ACCOUNT_CONCURRENCY,
    addresses: new CallerAddresses(config.TRUSTED_PROXIES),
    docsUrl: config.DOCS_URL,
    bodyLimit: config.BODY_LIMIT,
    challenges: config.CHALLENGES,
    caches,
    patienceMs: config.DATABASE_TIMEOUT_MS,
    isOpen: () => open,
    readinessTimeoutMs: config.READINESS_TIMEOUT_MS,
  });
  const server: RunningServer = await startServer({
    fetch: (request, connection) => app.fetch(request, connection),
    host: config.HOST,
    port: config.PORT,
    docsUrl: config.DOCS_URL,
    logger,
    timeouts: {
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      requestTimeout: config.REQUEST_TIMEOUT_MS,
      keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
    },
  });
  opened.push(() => server.close(config.SHUTDOWN_TIMEOUT_MS));
  opened.push(removeExpiredAnswers(store, logger));
  const retention = retentionOf(config);
  if (retention !== undefined) opened.push(startRetention(store, retention, logger));
  if (config.POLICIES_WATCH) opened.push(policies.watch({ quietMs: config.POLICIES_QUIET_MS }));

  await openAdminListener(config, store, logger, opened);

  const { baseUrl } = server;
  const policySetHash = policies.current.hash;
  logger.info({ baseUrl, store: store.description, decider: decider.description, policySetHash }, "listening");
  return {
    baseUrl,
    store,
    reload: async () => {
      try {
        decisionLog.reopen();
      } catch (error) {
        logger.error({ err: error }, "the decision log was not opened again: the old file stays");
      }
      await reloadOnSighup(policies);
    },
    close: async (delayMs = config.SHUTDOWN_DELAY_MS) => {
      open = false;
      server.drain();
      logger.info("shutting down");
      await wait(delayMs);
      for (const close of opened.reverse()) await close();
      logger.info("closed");
    },
  };
}
