/** The same tests for two clients: the server over gRPC, and the engine in this process. */

import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { PlanResourcesFilter_Kind } from "@cerbos/api/cerbos/engine/v1/engine_pb";
import * as core from "@cerbos/core";
import { NotOK, type Options, type RequestOptions, Status } from "@cerbos/core";
import { GRPC } from "@cerbos/grpc";
import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type JsonMap, Timestamp } from "../../src/cel/values.js";
import { tokenClaims } from "../../src/cerbos/claims.js";
import {
  type CheckEngine,
  type CheckEngineOptions,
  compileCheckEngine,
  EmbeddedClient,
  type EmbeddedClientOptions,
} from "../../src/cerbos/index.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";
import { ann, clientCases, closeCases, doc, failure, numbers, statusOf } from "./client-cases.js";
import { GLOBALS, STORE, token, withStore } from "./store.js";

function engineOf(options: CheckEngineOptions = {}): CheckEngine {
  const files = Object.entries(STORE).map(([path, text]) => ({ path, text }));
  const compiled = compileCheckEngine(files, { schemaEnforcement: "warn", globals: GLOBALS, ...options });
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  return compiled.right;
}

const engine = engineOf();

function decodeJWT(text: string) {
  return tokenClaims(text, new Timestamp(Math.floor(Date.now() / 1000), 0));
}

function embedded(options: EmbeddedClientOptions = {}): EmbeddedClient {
  return new EmbeddedClient(engine, { decodeJWT, ...options });
}

const status = (promise: Promise<unknown>) => statusOf(core, promise);

describe("in process", () => {
  clientCases(core, (options) => embedded(options));
  closeCases(core, embedded);
});

describe.skipIf(NO_SERVER !== undefined)(`over gRPC ${NO_SERVER ?? ""}`, { tags: "long" }, () => {
  let server: Server;
  const clients: GRPC[] = [];
  let done: () => void = () => {};
  let stopped: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    await new Promise<void>((started, failed) => {
      stopped = withStore(STORE, async (directory) => {
        server = await startServer(directory, {
          engine: { globals: GLOBALS },
          schema: { enforcement: "warn" },
          auxData: { jwt: { disableVerification: true } },
        });
        const end = new Promise<void>((resolve) => {
          done = resolve;
        });
        started();
        await end;
        await server.stop();
      });
      stopped.catch(failed);
    });
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    done();
    await stopped;
  });

  const connected = (options: Pick<Options, "onValidationError"> = {}) => {
    const client = new GRPC(server.grpc, { tls: false, ...options });
    clients.push(client);
    return client;
  };
  clientCases(core, connected);
  closeCases(core, connected);
});

/** Objects that JSON cannot represent, or that it represents differently from their fields. */
class Sum {
  readonly amount = 3;
}
class Money extends Sum {
  toJSON(): string {
    return "3 EUR";
  }
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const holes: unknown[] = [];
holes[1] = 1;

/** `levels` of maps, or of lists. */
function nested(levels: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = wrap(value);
  return value;
}

describe("in process, what is no request is refused with NotOK", () => {
  const ask = (parts: object) =>
    embedded().isAllowed(Object.assign({ principal: ann, resource: doc, action: "view" }, parts));
  const refusal = async (promise: Promise<unknown>) => {
    const error = await failure(promise);
    expect(error).toBeInstanceOf(NotOK);
    return error instanceof NotOK ? `${Status[error.code]} ${error.details}` : "";
  };

  test.each<[string, unknown, string]>([
    ["a bigint", 1n, "bigint has no form in JSON"],
    ["NaN", Number.NaN, "NaN has no form in JSON"],
    ["infinity", Number.NEGATIVE_INFINITY, "-Infinity has no form in JSON"],
    ["a symbol", Symbol("x"), "symbol has no form in JSON"],
    ["a function", () => true, "function has no form in JSON"],
    ["an invalid date", new Date(Number.NaN), "Date has no form in JSON"],
    ["an object that calls itself a date", { [Symbol.toStringTag]: "Date" }, "Date has no form in JSON"],
    ["a Map", new Map([["a", 1]]), "Map has no form in JSON"],
    ["a Set", new Set([1]), "Set has no form in JSON"],
    ["bytes", new Uint8Array([1]), "Uint8Array has no form in JSON"],
    ["a boxed string", Object("x"), "String has no form in JSON"],
    ["a promise", Promise.resolve(1), "Promise has no form in JSON"],
    ["an object whose JSON is not its fields", new Money(), "an object with toJSON: pass the result of toJSON"],
  ])("%s as an attribute, or within one", async (_, value, message) => {
    const within = (weird: unknown) => ({ ...doc, attr: { ...doc.attr, weird } });
    expect(await refusal(ask({ resource: within(value) }))).toBe(
      `INVALID_ARGUMENT resources[0].resource.attr.weird: ${message}`,
    );
    expect(await refusal(ask({ resource: within([{ a: value }]) }))).toBe(
      `INVALID_ARGUMENT resources[0].resource.attr.weird[0].a: ${message}`,
    );
    expect(await refusal(ask({ principal: { ...ann, attributes: { weird: value } } }))).toBe(
      `INVALID_ARGUMENT principal.attributes.weird: ${message}`,
    );
  });

  test("whichever way it is asked", async () => {
    const resource: object = { ...doc, attr: { at: new Map() } };
    const client = embedded();
    const bad = Object.assign({ ...doc }, resource);
    const principal = client.withPrincipal(ann);
    for (const asked of [
      client.checkResource({ principal: ann, resource: bad, actions: ["view"] }),
      client.checkResources({ principal: ann, resources: [{ resource: bad, actions: ["view"] }] }),
      principal.isAllowed({ resource: bad, action: "view" }),
      principal.checkResource({ resource: bad, actions: ["view"] }),
    ]) {
      expect(await refusal(asked)).toMatch(/^INVALID_ARGUMENT resources\[0\]\.resource\.attr\.at: Map /);
    }
  });

  test.each<[string, object, string]>([
    ["an id that is a number", { principal: { ...ann, id: 3 } }, "principal.id: must be a string"],
    ["no id", { resource: { kind: "document" } }, "resources[0].resource.id: must be a string"],
    ["no roles", { principal: { id: "ann" } }, "principal.roles: must be a list"],
    ["roles in one string", { principal: { ...ann, roles: "user" } }, "principal.roles: must be a list"],
    ["a role that is none", { principal: { ...ann, roles: ["user", 3] } }, "principal.roles[1]: must be a string"],
    ["a scope that is a number", { resource: { ...doc, scope: 3 } }, "resources[0].resource.scope: must be a string"],
    ["an action that is a number", { action: 3 }, "resources[0].actions[0]: must be a string"],
    ["attributes in a list", { resource: { ...doc, attr: [1] } }, "resources[0].resource.attr: must be a map"],
    ["attributes in a Map", { principal: { ...ann, attr: new Map() } }, "principal.attr: Map has no form in JSON"],
    [
      "a list with a hole",
      { principal: { ...ann, attr: { holes } } },
      "principal.attr.holes[0]: undefined has no form in JSON",
    ],
    [
      "a getter that throws",
      {
        resource: {
          ...doc,
          get attr() {
            throw new Error("no");
          },
        },
      },
      "the request cannot be read",
    ],
    ["no principal", { principal: null }, "principal: must be an object"],
  ])("%s", async (_, parts, message) => {
    expect(await refusal(ask(parts))).toBe(`INVALID_ARGUMENT ${message}`);
  });

  test("nesting: what @cerbos/core cannot take is refused, and nothing less", async () => {
    for (const wrap of [(a: unknown) => ({ a }), (a: unknown) => [a]]) {
      const at = (levels: number) => ask({ resource: { ...doc, attr: { ...doc.attr, deep: nested(levels, wrap) } } });
      expect(await at(98)).toBe(true);
      for (const levels of [99, 100, 150, 20_000]) expect(await refusal(at(levels))).toMatch(/: nested too deep$/);
    }
    expect(await refusal(ask({ principal: { ...ann, attr: { cyclic } } }))).toMatch(/: nested too deep$/);
  });

  test("what is answered is what was looked at: each value is read once, wherever it stands", async () => {
    const lists: string[][] = [];
    const reads = new Map<string, number>();
    /** Each field is a getter that returns its value at the first read, and another value afterwards. */
    const fickle = (what: string, fields: object): object =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          Object.entries(fields).map(([name, value]) => {
            const get = () => {
              const count = (reads.get(`${what}.${name}`) ?? 0) + 1;
              reads.set(`${what}.${name}`, count);
              if (count > 1) lists.push([what, name]);
              return count === 1 ? value : "another";
            };
            return [name, { get, enumerable: true }];
          }),
        ),
      );
    const resource = fickle("resource", {
      ...doc,
      attr: fickle("attr", { ...doc.attr, within: fickle("within", { a: 1 }) }),
    });
    const asked: Parameters<EmbeddedClient["checkResources"]>[0] = Object.assign(
      { principal: ann, resources: [] },
      { principal: fickle("principal", ann), resources: [{ resource, actions: ["view"] }] },
    );
    const [result] = (await embedded().checkResources(asked)).results;
    expect(result?.actions).toEqual({ view: "EFFECT_ALLOW" });
    expect([lists, reads.size > 5]).toEqual([[], true]);
  });

  test("parts may be instances of a class, with what it inherits", async () => {
    class Person {
      readonly #name = ann.id;
      readonly roles = ann.roles;
      readonly attr = ann.attr;
      get id(): string {
        return this.#name;
      }
    }
    expect(await ask({ principal: new Person() })).toBe(true);
  });

  test("what has a form in JSON passes: instances without toJSON, maps without a prototype, null for no attributes", async () => {
    const attr = Object.assign(Object.create(null), { ...doc.attr, sum: new Sum(), zero: -0, none: null });
    expect(await ask({ resource: { ...doc, attr } })).toBe(true);
    expect(await ask({ principal: { ...ann, attr: null } })).toBe(true);
  });
});

test("a date is the text that JSON has for it, in attributes of checks and plans", async () => {
  const expr = "R.attr.seen.all(each, timestamp(each.at) < timestamp(P.attr.before))";
  const resourcePolicy = {
    resource: "report",
    version: "default",
    rules: [
      {
        actions: ["view"],
        roles: ["user"],
        effect: "EFFECT_ALLOW",
        condition: { match: { expr } },
      },
    ],
  };
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy });
  const compiled = compileCheckEngine([{ path: "report.json", text }]);
  if (isLeft(compiled)) throw new Error(JSON.stringify(compiled.left));
  const client = new EmbeddedClient(compiled.right);
  const principal = Object({ id: "ann", roles: ["user"], attr: { before: new Date("2026-06-01T00:00:00Z") } });
  const reportOf = (year: number) =>
    Object({ kind: "report", id: "1", attr: { seen: [{ at: new Date(Date.UTC(year, 0)) }] } });
  for (const year of [2026, 2027]) {
    const resource = reportOf(year);
    expect(await client.isAllowed({ principal, resource, action: "view" })).toBe(year === 2026);
    const plan = await client.planResources({ principal, resource, action: "view" });
    expect(plan.kind).toBe(year === 2026 ? "KIND_ALWAYS_ALLOWED" : "KIND_ALWAYS_DENIED");
  }
});

describe("what is no request for a plan is refused with its place", () => {
  const plan = (more: object) =>
    embedded().planResources(Object.assign({ principal: ann, resource: { kind: "document" }, action: "view" }, more));
  test.each([
    [{ resource: undefined }, "resource: must be an object"],
    [{ resource: { kind: 1 } }, "resource.kind: must be a string"],
    [{ resource: { kind: "document", attr: { at: new Map() } } }, "resource.attr.at: Map has no form in JSON"],
    [{ principal: undefined }, "principal: must be an object"],
    [{ action: 7 }, "action: must be a string"],
    [{ action: undefined, actions: "view" }, "actions: must be a list"],
    [{ requestId: 1 }, "requestId: must be a string"],
  ])("%j", async (more, details) => {
    expect(await failure(plan(more))).toMatchObject({ code: Status.INVALID_ARGUMENT, details });
  });

  test("what a plan has no words for, and what the limits refuse", async () => {
    const limited = embedded({ limits: { maxActionsPerResource: 1 } });
    const asked = { principal: ann, resource: { kind: "document" }, actions: ["view", "edit"] };
    expect(await failure(limited.planResources(asked))).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: "number of actions (2) exceeds configured limit (1)",
    });
  });
});

describe("in process alone", () => {
  const ask = { principal: ann, resource: doc, action: "view" };

  test("audit logs need a server", async () => {
    const client = embedded();
    const log = client.listDecisionLogEntries({ filter: { tail: 1 } });
    expect(await status(log[Symbol.asyncIterator]().next())).toBe(Status.UNIMPLEMENTED);
  });

  test("messages of refusals are the server's", async () => {
    const roles = { principal: { ...ann, id: "", roles: ["a", "a"] }, resources: [{ resource: doc, actions: [""] }] };
    expect(await failure(embedded().checkResources(roles))).toMatchObject({
      details: [
        "validation errors:",
        "principal.id: value is required",
        "principal.roles: repeated value must contain unique items",
        "resources[0].actions[0]: must be at least 1 characters",
      ].join("\n - "),
    });
    const actions = { principal: ann, resources: [{ resource: doc, actions: numbers(51) }] };
    expect(await failure(embedded().checkResources(actions))).toMatchObject({
      details: "number of actions (51) exceeds configured limit (50)",
    });
  });

  test("limits can be set", async () => {
    const client = embedded({ limits: { maxResourcesPerRequest: 1 } });
    const resources = [
      { resource: doc, actions: ["view"] },
      { resource: doc, actions: ["view"] },
    ];
    expect(await status(client.checkResources({ principal: ann, resources }))).toBe(Status.INVALID_ARGUMENT);
    expect(await client.isAllowed(ask)).toBe(true);
  });

  test("a limit that is undefined is the usual one", async () => {
    const unset: number | undefined = undefined;
    // @ts-expect-error: limits must not be undefined.
    const client = embedded({ limits: { maxActionsPerResource: unset, maxResourcesPerRequest: unset } });
    const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
    const actions = { principal: ann, resources: [{ resource: doc, actions: numbered(51) }] };
    const resources = { principal: ann, resources: numbered(51).map(() => ({ resource: doc, actions: ["view"] })) };
    for (const request of [actions, resources]) {
      expect(await status(client.checkResources(request))).toBe(Status.INVALID_ARGUMENT);
    }
  });

  test("serverInfo tells of no server", async () => {
    expect(await embedded().serverInfo()).toEqual({ version: "keyward", commit: "", buildDate: "" });
  });

  test("the decision log has each request and its response, and none of what was refused", async () => {
    const onDecision = vi.fn();
    const client = embedded({ onDecision });
    await client.checkResource({ ...ask, actions: ["view"], requestId: "r1" });
    await failure(client.checkResources({ principal: ann, resources: [] }));
    const response = await client.checkResources({
      principal: ann,
      requestId: "r2",
      resources: [{ resource: doc, actions: ["edit"] }],
    });
    expect(onDecision.mock.calls.map(([request]) => request.requestId)).toEqual(["r1", "r2"]);
    const [, [request, logged] = []] = onDecision.mock.calls;
    expect(request.principal.id).toBe("ann");
    expect(logged.cerbosCallId).toBe(response.cerbosCallId);
    expect(logged.results[0].outputs[0].src).toBe("resource.document.vdefault#own");
    const calls = onDecision.mock.calls.map(([, { cerbosCallId }]) => cerbosCallId);
    expect(new Set(calls).size).toBe(2);
  });

  test("the log of plans has each request and its response, and none of what was refused", async () => {
    const [onDecision, onPlan] = [vi.fn(), vi.fn()];
    const client = embedded({ onDecision, onPlan });
    const plan = { principal: ann, resource: { kind: "document" }, action: "edit" };
    const { cerbosCallId } = await client.planResources({ ...plan, requestId: "r1" });
    await failure(client.planResources({ ...plan, action: "" }));
    await client.planResources({ ...plan, requestId: "r2", auxData: { jwt: { token: token({ tenant: "acme" }) } } });
    await client.isAllowed(ask);
    expect(onPlan.mock.calls.map(([request]) => request.requestId)).toEqual(["r1", "r2"]);
    expect(onPlan.mock.calls[0]).toMatchObject([
      { principal: { id: "ann" }, action: "edit" },
      { cerbosCallId, requestId: "r1", filter: { kind: PlanResourcesFilter_Kind.CONDITIONAL } },
    ]);
    expect(onDecision).toHaveBeenCalledTimes(1);
  });

  test("without decodeJWT a token is refused", async () => {
    const client = new EmbeddedClient(engine);
    const auxData = { jwt: { token: token({ level: "admin" }) } };
    expect(await status(client.isAllowed({ ...ask, auxData }))).toBe(Status.INVALID_ARGUMENT);
    expect(await client.isAllowed(ask)).toBe(true);
  });

  test("a token and the key set it is for go to decodeJWT, whose failure is not shown", async () => {
    const decode = vi.fn(() => Promise.reject(new Error("secret detail")));
    const client = embedded({ decodeJWT: decode });
    const error = await failure(client.isAllowed({ ...ask, auxData: { jwt: { token: "t", keySetId: "k" } } }));
    expect(decode.mock.calls).toEqual([["t", "k"]]);
    expect(error).toMatchObject({ code: Status.INVALID_ARGUMENT, details: "invalid auxData" });
  });

  test("a request that is aborted while its token is verified", async () => {
    const abort = new AbortController();
    const client = embedded({
      decodeJWT: () => {
        abort.abort();
        return {};
      },
    });
    const asked = client.isAllowed({ ...ask, auxData: { jwt: { token: "t" } } }, { signal: abort.signal });
    expect(await status(asked)).toBe(Status.CANCELLED);
  });

  describe("a call whose signal aborts while its token is being verified", () => {
    const jwt = { token: "t" };
    const plan = { principal: ann, resource: { kind: "document" }, action: "view" };
    const calls: { readonly [name: string]: (client: EmbeddedClient, options: RequestOptions) => Promise<unknown> } = {
      check: (client, options) => client.isAllowed({ ...ask, auxData: { jwt } }, options),
      "check with a named token": (client, options) =>
        // @ts-expect-error: this version of `@cerbos/core` has no named tokens.
        client.isAllowed({ ...ask, auxData: { jwts: { app: jwt } } }, options),
      plan: (client, options) => client.planResources({ ...plan, auxData: { jwt } }, options),
    };

    test.for(Object.entries(calls))(
      "is rejected at once, with the reason: %s",
      { timeout: 10_000 },
      async ([, call]) => {
        const abort = new AbortController();
        const reason = new Error("the caller has left");
        const client = embedded({ decodeJWT: () => new Promise(() => {}) });
        const rejection = failure(call(client, { signal: abort.signal }));
        await setImmediate();
        abort.abort(reason);
        expect(await rejection).toMatchObject({ constructor: NotOK, code: Status.CANCELLED, cause: reason });
      },
    );

    test("is not decided when the token turns out to be valid", async () => {
      const abort = new AbortController();
      let verified = () => {};
      const onDecision = vi.fn();
      const decodeJWT = () =>
        new Promise<JsonMap>((resolve) => {
          verified = () => resolve({});
        });
      const asked = failure(
        embedded({ decodeJWT, onDecision }).isAllowed({ ...ask, auxData: { jwt } }, { signal: abort.signal }),
      );
      await setImmediate();
      abort.abort();
      verified();
      await asked;
      await setImmediate();
      expect(onDecision).not.toHaveBeenCalled();
    });
  });

  test("a signal for many calls keeps no listener of any of them", async () => {
    const { signal } = new AbortController();
    const auxData = { jwt: { token: token({}) } };
    await embedded().isAllowed({ ...ask, auxData }, { signal });
    await failure(embedded({ decodeJWT: () => Promise.reject() }).isAllowed({ ...ask, auxData }, { signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("enforcement reject denies everything, and has no outputs", async () => {
    const client = new EmbeddedClient(engineOf({ schemaEnforcement: "reject" }));
    const result = await client.checkResource({
      principal: ann,
      resource: { ...doc, attr: { owner: 5 } },
      actions: ["view", "values"],
    });
    expect(result.actions).toEqual({ view: "EFFECT_DENY", values: "EFFECT_DENY" });
    expect(result.outputs).toEqual([]);
    expect(result.validationErrors).toEqual([
      { path: "/owner", message: "expected string, but got number", source: "SOURCE_RESOURCE" },
    ]);
  });

  test("strict evaluation denies where the server skips", async () => {
    const resource = { ...doc, attr: { owner: "ann", size: "x" } };
    expect(await embedded().isAllowed({ ...ask, resource, action: "edit" })).toBe(true);
    const strict = new EmbeddedClient(engineOf({ failClosed: true }));
    expect(await strict.isAllowed({ ...ask, resource, action: "edit" })).toBe(false);
  });

  test("10 MB of attributes", { tags: "long" }, async () => {
    const attr = { owner: "ann", text: "x".repeat(6_000_000), unread: "x".repeat(4_000_000) };
    expect(await embedded().isAllowed({ ...ask, resource: { ...doc, attr }, action: "long" })).toBe(true);
    const list = { owner: "ann", text: Array.from({ length: 500_000 }, (_, i) => i) };
    expect(await embedded().isAllowed({ ...ask, resource: { ...doc, attr: list }, action: "long" })).toBe(false);
  });
});
