/** The application without a server, on a given store, with its log captured. */

import { Writable } from "node:stream";
import { requestId } from "keyward";
import { shippedPolicies } from "keyward/node";
import { type AppOptions, createApp } from "../../src/http/app.js";
import { CallerAddresses } from "../../src/http/caller-address.js";
import { requestLimits } from "../../src/http/rate-limit.js";
import { createLogger } from "../../src/observability/logger.js";
import { createMetrics } from "../../src/observability/metrics.js";
import { embeddedDecider } from "../../src/policies/decider.js";
import { openPolicies, type Policies } from "../../src/policies/policies.js";
import type { Store } from "../../src/store/store.js";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  readonly headers: Headers;
  readonly text: string;
}

export interface TestService {
  readonly app: ReturnType<typeof createApp>;
  readonly policies: Policies;
  /** The destination of the log. */
  readonly log: Writable;
  /** All lines of both logs. */
  readonly logged: string[];
  /** The decision records. */
  readonly records: Record<string, unknown>[];
  /** Calls an operation by its path. */
  call(path: string, key: string | undefined, body: unknown): Promise<Answer>;
}

export const DOCS = "docs.example.com";

export async function testService(store: Store, options: Partial<AppOptions> = {}): Promise<TestService> {
  const logged: string[] = [];
  const records: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk, _, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const logger = createLogger("debug", sink);
  const policies = await openPolicies(shippedPolicies, logger);
  const app = createApp({
    store,
    policies,
    decider: embeddedDecider(policies),
    decisionLog: {
      write: async (record) => {
        logged.push(JSON.stringify(record));
        records.push({ ...record });
      },
      ping: async () => {},
      reopen: () => {},
      close: async () => {},
    },
    logger,
    metrics: createMetrics(),
    limits: requestLimits({}),
    accountConcurrency: 4,
    addresses: new CallerAddresses([]),
    docsUrl: DOCS,
    bodyLimit: 65_536,
    challenges: false,
    patienceMs: 60_000,
    isOpen: () => true,
    readinessTimeoutMs: 60_000,
    ...options,
  });
  const call = async (path: string, key: string | undefined, body: unknown) => {
    const response = await app.request(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return answerOf(response);
  };
  return { app, policies, log: sink, logged, records, call };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers, text };
}

/** The expected error envelope, with the request id of the answer. */
export function envelope(answer: Answer, status: number, title: string, detail: string, type: string) {
  const id: unknown = answer.body?.meta?.requestId;
  return {
    meta: { requestId: typeof id === "string" && /^req_[\w-]+$/.test(id) ? id : requestId() },
    error: { detail, status, title, type: `https://${DOCS}/api-reference/errors-v2/service/${type}` },
  };
}
