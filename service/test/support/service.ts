/** The application without a server, on a given store, with its log captured. */

import { Writable } from "node:stream";
import { requestId } from "keyward";
import { shippedPolicies } from "keyward/node";
import { type AppOptions, createApp } from "../../src/http/app.js";
import { CallerAddresses } from "../../src/http/caller-address.js";
import { requestLimits } from "../../src/http/rate-limit.js";
import { SnapshotCaches } from "../../src/http/snapshot-cache.js";
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
  /** Calls an operation by its path. A body that is a text is sent as it is. */
  call(path: string, key: string | undefined, body: unknown, more?: CallOptions): Promise<Answer>;
}

export interface CallOptions {
  /** Further header fields. */
  readonly headers?: Record<string, string>;
  /** The address of the connection. Default: there is no connection. */
  readonly remoteAddress?: string;
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
    caches: new SnapshotCaches({ ageMs: 0 }),
    patienceMs: 60_000,
    isOpen: () => true,
    readinessTimeoutMs: 60_000,
    ...options,
  });
  const call: TestService["call"] = async (path, key, body, { headers, remoteAddress } = {}) => {
    const init = {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
    return answerOf(await app.request(path, init, remoteAddress === undefined ? undefined : { remoteAddress }));
  };
  return { app, policies, log: sink, logged, records, call };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers, text };
}

/** `ok`, or the code of the error. */
export function codeOf({ status, body }: Answer): string {
  return status === 200 ? "ok" : body.error.type.split("/").at(-1);
}

/** `ok`, or the status and the code of the error: `403 forbidden`. */
export function failureOf(answer: Answer): string {
  return answer.status === 200 ? "ok" : `${answer.status} ${codeOf(answer)}`;
}

/** The expected error envelope, with the request id of the answer. */
export function envelope(answer: Answer, status: number, title: string, detail: string, type: string) {
  const id: unknown = answer.body?.meta?.requestId;
  return {
    meta: { requestId: typeof id === "string" && /^req_[\w-]+$/.test(id) ? id : requestId() },
    error: { detail, status, title, type: `https://${DOCS}/api-reference/errors-v2/service/${type}` },
  };
}
