/**
 * The trace of a request, its spans, and the id that the caller gave it.
 *
 * @module-tag long
 */

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callersRequestId, contextOf, traceIdOf } from "../src/observability/tracing.js";
import { StoreUnavailable } from "../src/store/faults.js";
import type { Store } from "../src/store/store.js";
import { openNewPglite } from "./support/databases.js";
import { type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

interface Recorded {
  name: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly traceId: string;
  readonly attributes: Attributes;
  status?: number;
  ended: boolean;
}

const spans: Recorded[] = [];

/** A minimal SDK: records spans with ids. */
function startSpan(name: string, attributes: Attributes, parent: Context): Span {
  const above = trace.getSpanContext(parent);
  const spanId = (spans.length + 1).toString(16).padStart(16, "0");
  const traceId = above?.traceId ?? "f".repeat(32);
  const recorded: Recorded = { name, spanId, parentId: above?.spanId, traceId, attributes, ended: false };
  spans.push(recorded);
  const none = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  return Object.assign(Object.create(none), {
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    updateName: (to: string) => {
      recorded.name = to;
    },
    setAttributes: (more: Attributes) => void Object.assign(attributes, more),
    setStatus: ({ code }: { code: number }) => {
      recorded.status = code;
    },
    end: () => {
      recorded.ended = true;
    },
  });
}

let store: Store;
let service: TestService;
let world: World;
beforeAll(async () => {
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => storage.run(within, () => work.apply(self as never, args)),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: (name, options, parent = ROOT_CONTEXT) => startSpan(name, { ...options?.attributes }, parent),
      startActiveSpan: () => {
        throw new Error("spans are given their parents");
      },
    }),
  });
  store = await openNewPglite();
  service = await testService(store);
  world = await newAccount(store);
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await store.close();
});
beforeEach(() => {
  spans.length = 0;
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

const post = (app: TestService["app"], path: string, key: string, body: object, headers: Record<string, string> = {}) =>
  app.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });

test("a request's spans: it itself, each statement, the decision; all in the caller's trace", async () => {
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, "x-request-id": "edge-4711" };
  const created = { apiId: world.active, name: "traced" };
  const response = await post(service.app, "/v1/keys.createKey", world.admin.secret, created, headers);
  expect(response.status).toBe(200);
  const requestId = response.headers.get("x-request-id") ?? "";
  expect(spans.map(({ name }) => name)).toEqual([
    "POST keys.createKey",
    "key_proofs",
    "sight_api",
    "decide",
    "create_key",
  ]);
  const [root, ...inner] = spans;
  expect(root).toMatchObject({ traceId: TRACE, parentId: SPAN });
  expect(root?.attributes).toEqual({
    ...{ "http.request.method": "POST", "http.response.status_code": 200 },
    ...{ "keyward.request_id": requestId, "keyward.outcome": "allow" },
  });
  for (const span of inner) expect(span).toMatchObject({ traceId: TRACE, parentId: root?.spanId });
  expect(inner[2]?.attributes).toMatchObject({ "keyward.operation": "keys.createKey", "keyward.outcome": "allow" });
  expect(spans.every(({ ended, status }) => ended && status === undefined)).toBe(true);
  expect(JSON.stringify(spans)).not.toMatch(/kw_|traced/);
  const line = JSON.parse(service.logged.findLast((text) => text.includes(requestId)) ?? "");
  expect(line).toMatchObject({ requestId, callerRequestId: "edge-4711", traceId: TRACE, msg: "request" });
  expect(requestId).toMatch(/^req_\w+$/);
});

test("a fault is one in its spans, a refusal is none", async () => {
  expect((await post(service.app, "/v2/apis.deleteApi", world.admin.secret, { apiId: world.system })).status).toBe(403);
  expect(spans.map(({ status }) => status)).toEqual([undefined, undefined, undefined, undefined]);
  spans.length = 0;
  const run = () => Promise.reject(new StoreUnavailable("none"));
  const broken = await testService(store, { store: { ...store, run } });
  expect((await post(broken.app, "/v2/keys.whoami", world.admin.secret, {})).status).toBe(503);
  expect(spans.map(({ name, status, ended }) => [name, status, ended])).toEqual([
    ["POST keys.whoami", SpanStatusCode.ERROR, true],
    ["key_proofs", SpanStatusCode.ERROR, true],
  ]);
});

test.each([
  ["", undefined],
  [`00-${TRACE}-${SPAN}-01`, TRACE],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, TRACE],
  [`00-${TRACE}-${SPAN}-01-more`, undefined],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${"0".repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}`, undefined],
])("traceparent %j", (traceparent, traceId) => {
  expect(traceIdOf(contextOf(new Headers({ traceparent })))).toBe(traceId);
});

test("the span of no trace that there is without an SDK has none", () => {
  expect(traceIdOf(trace.setSpanContext(ROOT_CONTEXT, INVALID_SPAN_CONTEXT))).toBeUndefined();
});

test.each([
  ["edge-4711", "edge-4711"],
  ["x".repeat(128), "x".repeat(128)],
  ["x".repeat(129), undefined],
  ["", undefined],
  ['a","b":"c', undefined],
  ["a b", undefined],
])("a caller's request id %j", (given, taken) => {
  expect(callersRequestId(new Headers({ "x-request-id": given }))).toBe(taken);
});
