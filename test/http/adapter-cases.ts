/** The test cases that every adapter passes, each on its real framework (docs/contract.md §7.2). */

import { left, right } from "fp-ts/lib/Either.js";
import { afterEach, expect, test } from "vitest";
import {
  ApiError,
  bearerKey,
  type GuardDecision,
  type GuardOptions,
  type HeaderFields,
  type JsonBody,
  NOT_FOUND,
  UNAUTHENTICATED,
} from "../../src/http/index.js";
import { compilePoliciesOrThrow, decide, shadow } from "../../src/index.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask, type Changes } from "../support/requests.js";

/** A framework's request in the form that the cases use. */
export interface Incoming {
  readonly fields: HeaderFields;
  readonly body: () => Promise<JsonBody>;
}

/** A server of the framework: `authorize`, then a handler that answers `{ outcome, keyId }` from the decision. */
export interface Server {
  /** Sends a POST request; header fields may be repeated. */
  send(body: string, fields: readonly (readonly [string, string])[]): Promise<Response>;
  stop(): Promise<void>;
}

/** Converts the options to those for a framework's own requests. */
export function adapted<C>(options: GuardOptions<Incoming>, incoming: (context: C) => Incoming): GuardOptions<C> {
  const { decide: decideOn, requestId, onDecision, onFault, answer, policies, challenge, acceptedHeader } = options;
  return {
    policies,
    challenge,
    acceptedHeader,
    docsUrl: options.docsUrl,
    service: options.service,
    category: options.category,
    decide:
      typeof decideOn === "function"
        ? (request, { context, requestId: id }) => decideOn(request, { context: incoming(context), requestId: id })
        : decideOn,
    key: (context) => options.key(incoming(context)),
    operation: (context, known) =>
      typeof options.operation === "string" ? options.operation : options.operation(incoming(context), known),
    resource: (context, known) => options.resource(incoming(context), known),
    account: (context, known) => options.account(incoming(context), known),
    ...(requestId === undefined ? {} : { requestId: (context: C) => requestId(incoming(context)) }),
    ...(onDecision === undefined
      ? {}
      : { onDecision: (decided: GuardDecision, context: C) => onDecision(decided, incoming(context)) }),
    ...(onFault === undefined ? {} : { onFault }),
    ...(answer === undefined ? {} : { answer: (decision, context) => answer(decision, incoming(context)) }),
    onError: (error, context, id) => options.onError(error, incoming(context), id),
  };
}

/** The answer of the handler behind `authorize`. */
export function answerOf({ decision, request }: GuardDecision) {
  return { outcome: decision.outcome, keyId: request.key.id };
}

interface Sent {
  readonly secret?: string;
  readonly apiId?: string;
  readonly sent?: string;
  readonly type?: string;
  readonly fields?: readonly (readonly [string, string])[];
}

/** The servers' limit for a body, in bytes. */
export const BODY_LIMIT = 1_000;

/** The header that makes the handler throw. */
export const THROW = "x-throw";

const SECRET = "hunter2 at 10.0.0.5";

const HANDLER_FAULT = new Error("hunter2 in a handler");

/** Errors like those of HTTP clients and SDKs: with the status of another service's response. */
const UPSTREAM: { readonly [name: string]: unknown } = {
  "a status": Object.assign(new Error(SECRET), { name: "HttpClientError", status: 403 }),
  "a statusCode": Object.assign(new Error(SECRET), { statusCode: 404 }),
  "a status of a body's fault": Object.assign(new Error(SECRET), { status: 413, type: "request.failed" }),
  "a syntax error of its own": Object.assign(new SyntaxError(SECRET), { status: 400 }),
  "a response": Object.assign(new Error(SECRET), { status: 401, code: "ERR_BAD_REQUEST", response: { status: 401 } }),
  "expose that is not true": Object.assign(new Error(SECRET), { status: 409, expose: "yes" }),
  "expose without a status": Object.assign(new Error(SECRET), { expose: true }),
  "a status that is none": Object.assign(new Error(SECRET), { status: 200, expose: true }),
};

const REFUSED = Object.assign(new Error(SECRET), { status: 403, expose: true });
const EXPOSED = Object.assign(new Error("slow down"), { status: 429, expose: true });

const THROWN: { readonly [what: string]: unknown } = {
  ...UPSTREAM,
  api: new ApiError(NOT_FOUND),
  error: HANDLER_FAULT,
  refused: REFUSED,
  exposed: EXPOSED,
};

/** The error that a handler throws: an internal one, or one meant for the caller. */
export function thrownBy(what: string): unknown {
  return THROWN[what];
}

/** The shipped policies, but no rule of the permission layer is for admins. */
const WITHOUT_ADMINS = compilePoliciesOrThrow(
  shippedFiles.map(({ path, text }) => ({ path, text: text.replace(/^(\s+)- admin$/gm, "$1- auditor") })),
);

const KEYS: { readonly [secret: string]: Changes } = { kw_admin: {}, kw_viewer: { roles: ["viewer"] } };
const APIS: { readonly [id: string]: Changes } = { api_1: {}, api_system: { resource: { system: true } } };

export function adapterCases(start: (options: GuardOptions<Incoming>) => Promise<Server>): void {
  const running: Server[] = [];
  const errors: unknown[] = [];
  const decided: GuardDecision[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop();
    errors.length = 0;
    decided.length = 0;
  });

  /** Sends a request to a server with the worked example's policies; `changes` replaces some options. */
  async function told(
    changes: Partial<GuardOptions<Incoming>> = {},
    {
      secret = "kw_admin",
      apiId = "api_1",
      sent = JSON.stringify({ apiId }),
      type = "application/json",
      ...more
    }: Sent = {},
  ) {
    const server = await start({
      docsUrl: "docs.example.com",
      decide: (request) => decide(shipped, request),
      key: async ({ fields: sent }) => {
        const key = bearerKey(sent);
        const known = key._tag === "Right" ? KEYS[key.right] : undefined;
        return known === undefined ? new ApiError(UNAUTHENTICATED) : ask("apis.deleteApi", known).key;
      },
      operation: "apis.deleteApi",
      resource: async ({ body }) => {
        const { apiId } = await body();
        const id = String(apiId);
        const known = APIS[id];
        if (known === undefined) throw new ApiError(NOT_FOUND);
        return { ...ask("apis.deleteApi", known).resource, id };
      },
      account: () => ask("apis.deleteApi").account,
      onDecision: (one) => {
        decided.push(one);
      },
      onError: (error) => {
        errors.push(error);
      },
      ...changes,
    });
    running.push(server);
    const authorization = secret === "" ? [] : [["authorization", `Bearer ${secret}`] as const];
    const contentType = type === "" ? [] : [["content-type", type] as const];
    const response = await server.send(sent, [...contentType, ...authorization, ...(more.fields ?? [])]);
    const text = await response.text();
    expect(text).not.toContain(SECRET);
    return { status: response.status, headers: response.headers, text };
  }

  async function answered(changes: Partial<GuardOptions<Incoming>> = {}, request: Sent = {}) {
    const { text, ...head } = await told(changes, request);
    return { ...head, json: JSON.parse(text) };
  }

  type Answered = Awaited<ReturnType<typeof answered>>;

  function expectError({ status, headers, json }: Answered, wanted: number, kind: string): void {
    expect(status).toBe(wanted);
    expect(headers.get("content-type")).toBe("application/json");
    expect(json.error.status).toBe(wanted);
    expect(json.error.type).toBe(`https://docs.example.com/api-reference/errors-v2/service/${kind}`);
    expect(json.meta.requestId).toMatch(/^req_\w{22}$/);
    expect(headers.get("x-request-id")).toBe(json.meta.requestId);
    expect(Object.keys(json)).toEqual(["meta", "error"]);
  }

  test("what is allowed passes, and the handler reads the decision", async () => {
    const { status, headers, json } = await answered();
    expect([status, json]).toEqual([200, { outcome: "allow", keyId: "key_caller" }]);
    expect(headers.get("x-request-id")).toBe(decided[0]?.requestId);
    expect(decided).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("§7.2 a key without the permission", async () => {
    const found = await answered({}, { secret: "kw_viewer" });
    expectError(found, 403, "authorization/insufficient_permissions");
    expect(found.json.error.detail).toBe(
      "The authenticated API key does not have permission to perform this operation",
    );
    expect(decided[0]?.decision.outcome).toBe("insufficient_permissions");
  });

  test("challenge and acceptedHeader tell which permissions would be enough, and change nothing else", async () => {
    const hints = { policies: shipped, challenge: true, acceptedHeader: true } as const;
    const viewer = { secret: "kw_viewer" };
    const refused = await answered(hints, viewer);
    expectError(refused, 403, "authorization/insufficient_permissions");
    const fields = ({ headers }: Answered) => [headers.get("www-authenticate"), headers.get("x-accepted-permissions")];
    expect(fields(refused)).toEqual([
      'Bearer error="insufficient_scope", scope="api.api_1.delete_api"',
      "api.api_1.delete_api; api.*.delete_api",
    ]);
    const named = await answered(
      { ...hints, policies: () => shipped, challenge: false, acceptedHeader: "X-Needs" },
      viewer,
    );
    expect([named.headers.get("x-needs"), ...fields(named)]).toEqual([
      "api.api_1.delete_api; api.*.delete_api",
      null,
      null,
    ]);
    expect(errors).toEqual([]);
    const broken = await answered({ ...hints, policies: () => expect.fail() }, viewer);
    expectError(broken, 403, "authorization/insufficient_permissions");
    expect([fields(broken), errors.length]).toEqual([[null, null], 1]);
    const elsewhere = ask("apis.deleteApi", { key: { environment: "development" } }).key;
    const others: readonly [Partial<GuardOptions<Incoming>>, Sent, number][] = [
      [{}, viewer, 403],
      [hints, { apiId: "api_system" }, 403],
      [hints, { apiId: "api_system", ...viewer }, 403],
      [{ ...hints, key: () => elsewhere }, {}, 403],
      [hints, { apiId: "api_none", ...viewer }, 404],
      [hints, {}, 200],
    ];
    for (const [options, sent, status] of others) {
      const other = await answered(options, sent);
      expect([other.status, ...fields(other)]).toEqual([status, null, null]);
    }
    const unknown = await answered(hints, { secret: "kw_none" });
    expect([unknown.status, ...fields(unknown)]).toEqual([401, "Bearer", null]);
  });

  test("hints need policies, and a name of a field", async () => {
    await expect(answered({ challenge: true })).rejects.toThrow(TypeError);
    await expect(answered({ policies: shipped, acceptedHeader: "X Needs" })).rejects.toThrow(TypeError);
  });

  test("§7.2 an operation that the platform prohibits", async () => {
    const found = await answered({}, { apiId: "api_system" });
    expectError(found, 403, "authorization/forbidden");
    expect(found.json.error.detail).toBe("This operation is not allowed");
  });

  test("an error that a function returns, and one that it throws", async () => {
    const unknown = await answered({}, { secret: "kw_other" });
    expectError(unknown, 401, "authentication/invalid_key");
    expect(unknown.headers.get("www-authenticate")).toBe("Bearer");
    expectError(await answered({}, { apiId: "api_none" }), 404, "resource/not_found");
    expect([errors, decided]).toEqual([[], []]);
  });

  test("no key, and two", async () => {
    expectError(await answered({}, { secret: "" }), 401, "authentication/invalid_key");
    const twice = [["authorization", "Bearer kw_admin"] as const];
    expectError(await answered({}, { fields: twice }), 401, "authentication/invalid_key");
  });

  test.each(["{", '{"apiId":', "[]", "null", '"api_1"', "7", "\u0000"])(
    "a body that is no JSON object is 400: %j",
    async (sent) => {
      expectError(await answered({}, { sent }), 400, "request/invalid_body");
      expect([errors, decided]).toEqual([[], []]);
    },
  );

  test("a body that is too large is 413", async () => {
    const sent = JSON.stringify({ apiId: "api_1", padding: "x".repeat(BODY_LIMIT) });
    expectError(await answered({}, { sent }), 413, "request/too_large");
    expect([errors, decided]).toEqual([[], []]);
  });

  test("what a handler throws: 500 and the operator is told, or what the caller is to be told", async () => {
    const failed = await answered({}, { fields: [[THROW, "error"]] });
    expectError(failed, 500, "server/internal_error");
    expect(errors).toEqual([HANDLER_FAULT]);
    // The answer has the request id of the decision.
    expect(failed.json.meta.requestId).toBe(decided[0]?.requestId);
    expectError(await answered({}, { fields: [[THROW, "api"]] }), 404, "resource/not_found");
    expect(errors).toHaveLength(1);
  });

  test.each(Object.entries(UPSTREAM))("%s exposes nothing: 500, and the operator is told", async (what, error) => {
    expectError(await answered({}, { fields: [[THROW, what]] }), 500, "server/internal_error");
    expect(errors).toEqual([error]);
  });

  test("§7.2 a 403 of the framework is forbidden, in the words of the contract, and the operator is told why", async () => {
    const found = await answered({}, { fields: [[THROW, "refused"]] });
    expectError(found, 403, "authorization/forbidden");
    expect(found.json.error.detail).toBe("This operation is not allowed");
    expect(errors).toEqual([REFUSED]);
  });

  test("an error that exposes itself has its status and message", async () => {
    const { status, text } = await told({}, { fields: [[THROW, "exposed"]] });
    expect([status, text]).toEqual([429, expect.stringContaining("slow down")]);
    expect(errors).toEqual([]);
  });

  const PAYMENT = new ApiError(
    {
      status: 402,
      category: "account",
      code: "past_due",
      detail: "An invoice is due",
      headers: { "retry-after": "60" },
    },
    { message: SECRET },
  );

  test("a refusal is answered with another status where the service says so, and is recorded all the same", async () => {
    const seen: (readonly [string, boolean])[] = [];
    const answer: GuardOptions<Incoming>["answer"] = ({ outcome, platform }, { fields }) => {
      seen.push([outcome, bearerKey(fields)._tag === "Right"]);
      return platform.reasons.some(({ reason }) => reason === "system_resource") ? PAYMENT : undefined;
    };
    const found = await answered({ answer }, { apiId: "api_system" });
    expectError(found, 402, "account/past_due");
    expect([found.json.error.title, found.headers.get("retry-after")]).toEqual(["Payment Required", "60"]);
    expectError(await answered({ answer }, { secret: "kw_viewer" }), 403, "authorization/insufficient_permissions");
    expect((await answered({ answer })).status).toBe(200);
    expect(seen).toEqual([
      ["forbidden", true],
      ["insufficient_permissions", true],
    ]);
    expect(decided.map(({ decision }) => decision.outcome)).toEqual(["forbidden", "insufficient_permissions", "allow"]);
    expect(errors).toEqual([]);
  });

  test("an answer that throws an ApiError is that error", async () => {
    const answer = () => {
      throw PAYMENT;
    };
    expectError(await answered({ answer }, { apiId: "api_system" }), 402, "account/past_due");
    expect(errors).toEqual([]);
  });

  test.each<[string, GuardOptions<Incoming>["answer"]]>([
    ["throws", () => Reflect.get(Object(undefined), "a").b],
    ["returns null", () => null as never],
    ["returns a promise", () => Promise.resolve(PAYMENT) as never],
    ["returns true", () => true as never],
    ["returns a decision", () => ({ outcome: "allow", allowed: true }) as never],
    ["returns a description", () => ({ status: 200, category: "a", code: "b", detail: "c" }) as never],
    ["rewrites the decision", (decision) => void Object.assign(decision, { outcome: "allow" })],
    ["rewrites an error", () => Object.assign(new ApiError(NOT_FOUND), { status: 200 })],
  ])("an answer that %s: 500, and the operator is told", async (_, answer) => {
    for (const request of [{ apiId: "api_system" }, { secret: "kw_viewer" }]) {
      expectError(await answered({ answer: answer ?? (() => undefined) }, request), 500, "server/internal_error");
    }
    expect(errors).toHaveLength(2);
  });

  test("a fault is 500 before it is a refusal to answer", async () => {
    const faulty: Partial<GuardOptions<Incoming>> = { account: () => undefined as never, answer: () => PAYMENT };
    expectError(await answered(faulty), 500, "server/internal_error");
    expectError(await answered({ ...faulty, onFault: "refuse" }), 402, "account/past_due");
  });

  const fault = new Error(SECRET);
  const thrower = () => {
    throw fault;
  };
  const broken: { readonly [name: string]: Partial<GuardOptions<Incoming>> } = {
    "key throws": { key: thrower },
    "key rejects": { key: () => Promise.reject(fault) },
    "operation throws": { operation: thrower },
    "resource throws": { resource: thrower },
    "account rejects": { account: () => Promise.reject(fault) },
    "decide throws": { decide: thrower },
    "decide rejects": { decide: () => () => Promise.reject(fault) },
    "the record cannot be written": { onDecision: () => Promise.reject(fault) },
    "the request id throws": { requestId: thrower },
  };

  test.each(Object.entries(broken))("%s: 500 without a detail, and the operator is told", async (_, changes) => {
    expectError(await answered(changes), 500, "server/internal_error");
    expect(errors).toEqual([fault]);
  });

  test("a request id that is none is the service's fault, and the response has another", async () => {
    expectError(await answered({ requestId: () => "1\r\nset-cookie: a=b" }), 500, "server/internal_error");
    expect(errors).toHaveLength(1);
  });

  test("an onError that throws changes nothing", async () => {
    expectError(await answered({ key: thrower, onError: thrower }), 500, "server/internal_error");
  });

  test("what is no decision, and no request, does not pass", async () => {
    for (const decision of [undefined, null, {}, { outcome: "yes" }, { outcome: undefined }]) {
      expectError(await answered({ decide: () => decision as never }), 500, "server/internal_error");
    }
    expect(errors).toHaveLength(5);
  });

  const wired: readonly (readonly [string, Partial<GuardOptions<Incoming>>, string, string])[] = [
    ["there is no account", { account: () => undefined as never }, "invalid_request", "forbidden"],
    ["there is no key", { key: () => null as never }, "invalid_request", "insufficient_permissions"],
    ["no policy knows the operation", { operation: "apis.delteApi" }, "unknown_operation", "forbidden"],
    [
      "an attribute is no JSON",
      { resource: () => ({ kind: "api", id: "api_1", attr: { accountId: "acc_1", state: new Date(0) as never } }) },
      "evaluation",
      "forbidden",
    ],
    [
      "there are no policies",
      { decide: (request) => decide(undefined as never, request) },
      "invalid_policies",
      "forbidden",
    ],
  ];

  test.each(wired)("%s: 500, and the operator is told what", async (_, changes, kind) => {
    expectError(await answered(changes), 500, "server/internal_error");
    expect(errors).toEqual([expect.objectContaining({ kind })]);
    // The decision record carries the fault.
    expect(decided.map(({ decision }) => decision.fault)).toEqual(errors);
  });

  test.each(wired)(
    "%s: a refusal where that is asked for, and the operator is told",
    async (_, changes, kind, code) => {
      expectError(await answered({ ...changes, onFault: "refuse" }), 403, `authorization/${code}`);
      expect(errors).toEqual([expect.objectContaining({ kind })]);
    },
  );

  test.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a bigint", 1n],
    ["a symbol", Symbol("x")],
    ["a function", () => true],
    ["a Date", new Date(0)],
    ["a Map", new Map([["a", 1]])],
    ["an instance of a class", new (class State {})()],
  ])("%s as an attribute is an error of that attribute", async (_, state) => {
    const { resource } = ask("apis.deleteApi");
    const attr = { ...resource.attr, state: state as never };
    expectError(await answered({ resource: () => ({ ...resource, attr }) }), 500, "server/internal_error");
    expect(errors).toEqual([
      expect.objectContaining({ kind: "evaluation", message: expect.stringContaining("state is not JSON data") }),
    ]);
  });

  test("a resource that is another each time it is read is decided on as it was first", async () => {
    const { resource } = ask("apis.deleteApi");
    let reads = 0;
    const get = () => (reads++ === 0 ? "active" : "suspended");
    Object.defineProperty(resource.attr, "state", { get, enumerable: true });
    expect((await answered({ resource: () => resource })).status).toBe(200);
    expect(reads).toBe(1);
  });

  test("what is allowed and has a fault does not pass", async () => {
    const fault = { kind: "evaluation", path: "", message: "" } as const;
    const odd: Partial<GuardOptions<Incoming>> = { decide: (request) => ({ ...decide(shipped, request), fault }) };
    expectError(await answered(odd), 500, "server/internal_error");
    expectError(await answered({ ...odd, onFault: "refuse" }), 500, "server/internal_error");
  });

  test("a candidate is compared on the requests of the server, and changes no answer, not even by an error", async () => {
    const compared = shadow(shipped, {
      candidate: WITHOUT_ADMINS,
      budgetMs: 1_000,
      onDifference: () => {
        throw new Error(SECRET);
      },
    });
    const changes = { decide: (request) => compared.decide(request) } satisfies Partial<GuardOptions<Incoming>>;
    const { status, json } = await answered(changes);
    expect([status, json]).toEqual([200, { outcome: "allow", keyId: "key_caller" }]);
    expectError(await answered(changes, { secret: "kw_viewer" }), 403, "authorization/insufficient_permissions");
    expect(compared.counts()).toEqual({ compared: 2, differing: 1, leftOut: 0, failed: 1 });
    expect(errors).toEqual([]);
  });

  test("decisions that are made elsewhere: the id goes along, and none is 503", async () => {
    const asked: string[] = [];
    const elsewhere = await answered({
      decide: (request, { requestId }) => {
        asked.push(requestId);
        return async () => right(decide(shipped, request));
      },
      requestId: () => "req_given",
    });
    expect([elsewhere.status, asked]).toEqual([200, ["req_given"]]);
    expect(elsewhere.headers.get("x-request-id")).toBe("req_given");
    const failure = { kind: "timeout", message: SECRET } as const;
    expectError(await answered({ decide: () => async () => left(failure) }), 503, "server/unavailable");
    expect(errors).toEqual([failure]);
    expect(decided).toHaveLength(1);
  });

  test("the service's own words in the addresses of its errors", async () => {
    const words = { service: "billing", category: "access" };
    const at = (json: { error: { type: string } }) => json.error.type.split("/errors-v2/")[1];
    expect(at((await answered(words, { apiId: "api_system" })).json)).toBe("billing/access/forbidden");
    expect(at((await answered(words, { apiId: "api_none" })).json)).toBe("billing/resource/not_found");
    await expect(answered({ category: "Access Control" })).rejects.toThrow(TypeError);
  });

  test("an address of the documentation that is none is found at the start", async () => {
    await expect(answered({ docsUrl: "https://docs.example.com" })).rejects.toThrow(TypeError);
  });
}
