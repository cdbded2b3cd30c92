/**
 * The working group's certification scenario, level by level, as requests to the handler and their answers. The fixture
 * and the eight decisions that it demands are the scenario's; the cases are our own.
 */

import { describe, expect, test } from "vitest";
import { authzenHandler } from "../../src/authzen/index.js";
import { compiled } from "../support/policies.js";
import { type Answer, answerIn, BASE, EVALUATION, EVALUATIONS, SEARCH, sender } from "./support.js";

const rule = (name: string, actions: readonly string[], roles: readonly string[], expr?: string) => ({
  name,
  actions,
  roles,
  effect: "EFFECT_ALLOW",
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});

const POLICY = {
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: {
    resource: "record",
    version: "default",
    schemas: { principalSchema: { ref: "cerbos:///user.json" }, resourceSchema: { ref: "cerbos:///record.json" } },
    rules: [
      rule("everybody_reads", ["read"], ["user"]),
      rule("editors_write", ["write"], ["editor"], 'R.attr.status == "active"'),
      rule("admins_write_archived", ["write"], ["user"], 'P.attr.role == "admin" && R.attr.status == "archived"'),
      rule("editors_delete_softly", ["delete"], ["editor"], "R.attr.soft == true"),
    ],
  },
};

const schema = (properties: object) =>
  JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties });

const policies = compiled(
  [
    { path: "record.yaml", text: JSON.stringify(POLICY) },
    { path: "_schemas/user.json", text: schema({ role: { type: "string" } }) },
    { path: "_schemas/record.json", text: schema({ status: { type: "string" }, soft: { type: "boolean" } }) },
  ],
  { platform: "none", schemaEnforcement: "reject" },
);

const OPTIONS = {
  policies,
  mapping: { attributes: { resource: { soft: "action.properties.soft" } } },
  data: {
    subjects: [
      { type: "user", id: "alice", roles: ["user", "editor"] },
      { type: "user", id: "bob", roles: ["user"], properties: { role: "admin" } },
    ],
    resources: [
      { type: "record", id: "record-1", properties: { status: "active" } },
      { type: "record", id: "record-2", properties: { status: "archived" } },
    ],
  },
};
const send = sender(OPTIONS);

const alice = { type: "user", id: "alice" };
const bob = { type: "user", id: "bob" };
const administrator = { ...bob, properties: { role: "admin" } };
const first = { type: "record", id: "record-1" };
const second = { type: "record", id: "record-2" };
const archived = { ...second, properties: { status: "archived" } };
const active = { ...first, properties: { status: "active" } };
const [read, write] = [{ name: "read" }, { name: "write" }];
const deletion = (soft: unknown) => ({ name: "delete", properties: { soft } });

const asked = (subject: object, action: object, resource: object, more: object = {}) => ({
  subject,
  action,
  resource,
  ...more,
});
const BASIC = asked(alice, read, first);

describe("basic, core", () => {
  test.each<[string, object, boolean]>([
    ["rule 1", asked(alice, read, first), true],
    ["rule 2", asked(alice, write, first), true],
    ["rule 3", asked(bob, read, first), true],
    ["rule 4", asked(bob, write, first), false],
    ["the other record", asked(alice, read, second), true],
    ["an unknown action", asked(alice, { name: "share" }, first), false],
    ["an unknown subject", asked({ type: "user", id: "carol" }, read, first), false],
    ["an unknown type of subjects", asked({ type: "robot", id: "alice" }, read, first), false],
    ["an unknown resource", asked(alice, read, { type: "record", id: "record-9" }), false],
    ["an unknown type of resources", asked(alice, read, { type: "page", id: "record-1" }), false],
    ["a context", { ...BASIC, context: { time: "2026-01-01T00:00:00Z", address: { ip: "10.0.0.1" } } }, true],
    ["an empty context", { ...BASIC, context: {} }, true],
    ["properties beyond the fixture", asked({ ...alice, properties: { department: "Sales" } }, read, first), true],
    ["empty properties", asked({ ...alice, properties: {} }, { ...read, properties: {} }, first), true],
    [
      "properties of the action beyond the fixture",
      asked(alice, { ...read, properties: { method: "GET" } }, first),
      true,
    ],
    ["unknown fields", { ...BASIC, foo: "bar", later: { nested: [true] } }, true],
    [
      "unknown fields of entities",
      asked({ ...alice, tenant: 1 }, { ...read, version: 2 }, { ...first, etag: "x" }),
      true,
    ],
    ["the fields in another order", { resource: first, context: {}, action: read, subject: alice }, true],
    ["an id with spaces and characters beyond ASCII", asked({ type: "user", id: "ål ice 🙂" }, read, first), false],
    ["an id as long as ids may be", asked({ type: "user", id: "a".repeat(1_000) }, read, first), false],
  ])("%s: %j is %s", async (_, body, decision) => {
    const { status, json, headers } = await send(EVALUATION, body);
    expect([status, json.decision, headers.get("content-type")]).toEqual([200, decision, "application/json"]);
    if (json.context !== undefined) expect(json.context).toBeTypeOf("object");
    expect(Object.keys(json).filter((name) => name !== "decision" && name !== "context")).toEqual([]);
  });
});

describe("basic, properties", () => {
  test.each<[string, object, boolean]>([
    ["rule 5", asked(alice, write, archived), false],
    ["rule 6", asked(administrator, write, archived), true],
    ["rule 7", asked(alice, deletion(true), first), true],
    ["rule 8", asked(alice, deletion(false), first), false],
    ["no property of the action", asked(alice, { name: "delete" }, first), false],
    ["a role of another name", asked({ ...bob, properties: { role: "viewer" } }, write, archived), false],
    ["a role that the data has", asked(bob, write, second), true],
    ["a status that the data has not", asked(alice, write, { ...first, properties: { status: "archived" } }), false],
    ["a status in place of the data's", asked(alice, write, { ...second, properties: { status: "active" } }), true],
    ["a property in another letter case", asked(alice, write, { ...second, properties: { Status: "active" } }), false],
    [
      "soft on the resource is not soft on the action",
      asked(alice, { name: "delete" }, { ...first, properties: { soft: true } }),
      false,
    ],
    [
      "a subject that the request alone describes",
      asked({ type: "user", id: "carol", properties: { role: "admin" } }, write, archived),
      true,
    ],
  ])("%s: %j is %s", async (_, body, decision) => {
    const { status, json } = await send(EVALUATION, body);
    expect([status, json.decision]).toEqual([200, decision]);
  });

  test.each<[string, object]>([
    ["soft", asked(alice, deletion("yes"), first)],
    ["a role", asked({ ...bob, properties: { role: 1 } }, write, archived)],
    ["a status", asked(alice, write, { ...first, properties: { status: ["active"] } })],
  ])("%s of another type is 400", async (_, body) => {
    expect((await send(EVALUATION, body)).status).toBe(400);
  });
});

const item = (...parts: Parameters<typeof asked>) => asked(...parts);
const decisions = ({ json }: Answer) => json.evaluations.map(({ decision }: { decision: boolean }) => decision);

describe("batch, core", () => {
  test.each<[string, object, readonly boolean[]]>([
    ["one item", { evaluations: [BASIC] }, [true]],
    [
      "items of their own",
      { evaluations: [BASIC, item(bob, write, first), item(alice, write, first)] },
      [true, false, true],
    ],
    [
      "a subject for all",
      {
        subject: alice,
        evaluations: [
          { action: read, resource: first },
          { action: { name: "share" }, resource: first },
        ],
      },
      [true, false],
    ],
    [
      "an action for all",
      {
        action: write,
        evaluations: [
          { subject: alice, resource: first },
          { subject: bob, resource: first },
        ],
      },
      [true, false],
    ],
    [
      "a resource for all",
      {
        resource: first,
        evaluations: [
          { subject: alice, action: write },
          { subject: bob, action: write },
        ],
      },
      [true, false],
    ],
    ["everything for all", { ...BASIC, evaluations: [{}, {}] }, [true, true]],
    [
      "an item's subject in place of that for all",
      { ...asked(bob, write, first), evaluations: [{}, { subject: alice }] },
      [false, true],
    ],
    ["a context for all", { ...BASIC, context: { a: 1 }, evaluations: [{}, { context: {} }] }, [true, true]],
    ["an item twice", { evaluations: [BASIC, BASIC] }, [true, true]],
    ["unknown fields", { foo: 1, ...BASIC, evaluations: [{ bar: 2 }] }, [true]],
    ["unknown options", { ...BASIC, options: { later: true }, evaluations: [{}] }, [true]],
    ["1,000 items", { ...BASIC, evaluations: Array(1_000).fill({}) }, Array(1_000).fill(true)],
  ])("%s", async (_, body, expected) => {
    const answer = await send(EVALUATIONS, body);
    expect([answer.status, decisions(answer), "decision" in answer.json]).toEqual([200, expected, false]);
  });

  test.each<[string, object]>([
    ["no evaluations", BASIC],
    ["empty evaluations", { ...BASIC, evaluations: [] }],
  ])("%s is a single evaluation", async (_, body) => {
    expect((await send(EVALUATIONS, body)).json).toEqual({ decision: true });
  });

  test.each<[string, object]>([
    ["no subject", { action: read, resource: first }],
    ["no action", { subject: alice, resource: first }],
    ["no resource", { subject: alice, action: read }],
    ["a subject without an id", asked({ type: "user" }, read, first)],
    ["an action without a name", asked(alice, {}, first)],
    ["a resource that is a text", { subject: alice, action: read, resource: "record-1" }],
    ["an id that is a number", asked({ type: "user", id: 1 }, read, first)],
    ["no object", 5 as unknown as object],
  ])("an item with %s fails alone", async (_, faulty) => {
    const { status, json } = await send(EVALUATIONS, { evaluations: [BASIC, faulty, item(bob, read, first)] });
    expect(status).toBe(200);
    expect(json.evaluations).toEqual([
      { decision: true },
      { decision: false, context: { error: { status: 400, message: expect.any(String) } } },
      { decision: true },
    ]);
  });

  test.each<[string, object]>([
    ["evaluations that are an object", { ...BASIC, evaluations: {} }],
    ["an unknown semantic", { ...BASIC, options: { evaluations_semantic: "sometimes" }, evaluations: [{}] }],
    ["a semantic that is a number", { ...BASIC, options: { evaluations_semantic: 1 }, evaluations: [{}] }],
    ["1,001 items", { ...BASIC, evaluations: Array(1_001).fill({}) }],
  ])("%s is 400", async (_, body) => {
    expect((await send(EVALUATIONS, body)).status).toBe(400);
  });
});

const FAULTY = { subject: alice };
const [YES, NO] = [BASIC, asked(bob, write, first)];

describe("batch, semantics", () => {
  test.each<[string, readonly object[], readonly boolean[]]>([
    ["execute_all", [NO, YES, NO, YES], [false, true, false, true]],
    ["execute_all", [FAULTY, YES], [false, true]],
    ["deny_on_first_deny", [YES, NO, YES], [true, false]],
    ["deny_on_first_deny", [YES, YES], [true, true]],
    ["deny_on_first_deny", [NO, YES], [false]],
    ["deny_on_first_deny", [YES, FAULTY, YES], [true, false]],
    ["permit_on_first_permit", [NO, YES, NO], [false, true]],
    ["permit_on_first_permit", [NO, NO], [false, false]],
    ["permit_on_first_permit", [YES, NO], [true]],
    ["permit_on_first_permit", [FAULTY, YES, NO], [false, true]],
  ])("%s", async (evaluations_semantic, evaluations, expected) => {
    const answer = await send(EVALUATIONS, { options: { evaluations_semantic }, evaluations });
    expect([answer.status, decisions(answer)]).toEqual([200, expected]);
  });
});

describe("batch, properties", () => {
  const status = (value: string) => ({ ...first, properties: { status: value } });
  test.each<[string, object, readonly boolean[]]>([
    [
      "rules 5 to 8",
      {
        evaluations: [
          item(alice, write, archived),
          item(administrator, write, archived),
          item(alice, deletion(true), first),
          item(alice, deletion(false), first),
        ],
      },
      [false, true, true, false],
    ],
    [
      "one id with two statuses",
      {
        subject: alice,
        action: write,
        evaluations: [{ resource: status("active") }, { resource: status("archived") }],
      },
      [true, false],
    ],
    [
      "the same the other way round",
      {
        subject: alice,
        action: write,
        evaluations: [{ resource: status("archived") }, { resource: status("active") }],
      },
      [false, true],
    ],
    [
      "one subject with two roles",
      {
        action: write,
        resource: archived,
        evaluations: [{ subject: administrator }, { subject: { ...bob, properties: { role: "viewer" } } }],
      },
      [true, false],
    ],
    [
      "one action with two properties",
      { subject: alice, resource: first, evaluations: [{ action: deletion(true) }, { action: deletion(false) }] },
      [true, false],
    ],
    [
      "an item's resource replaces that for all as a whole",
      { ...asked(administrator, write, archived), evaluations: [{}, { resource: first }, { resource: second }] },
      [true, false, true],
    ],
    [
      "an item's subject likewise",
      { ...asked(administrator, write, archived), evaluations: [{ subject: { type: "user", id: "alice" } }, {}] },
      [false, true],
    ],
    [
      "an item's action likewise",
      { ...asked(alice, deletion(true), first), evaluations: [{ action: { name: "delete" } }, {}] },
      [false, true],
    ],
    [
      "a property of another type fails alone",
      { subject: alice, resource: first, evaluations: [{ action: deletion("yes") }, { action: deletion(true) }] },
      [false, true],
    ],
  ])("%s", async (_, body, expected) => {
    const answer = await send(EVALUATIONS, body);
    expect([answer.status, decisions(answer)]).toEqual([200, expected]);
  });
});

const entities = (type: string, ...ids: readonly string[]) => ids.map((id) => ({ type, id }));
const named = (...names: readonly string[]) => names.map((name) => ({ name }));
type Part = keyof typeof SEARCH;

describe("search", () => {
  test.each<[string, Part, object, readonly object[]]>([
    ["S1", "subject", { subject: { type: "user" }, action: read, resource: first }, entities("user", "alice", "bob")],
    [
      "S2",
      "resource",
      { subject: alice, action: read, resource: { type: "record" } },
      entities("record", "record-1", "record-2"),
    ],
    ["S3", "action", { subject: alice, resource: first }, named("read", "write")],
    ["S4", "subject", { subject: { type: "user" }, action: write, resource: archived }, entities("user", "bob")],
    [
      "S5",
      "resource",
      { subject: administrator, action: write, resource: { type: "record" } },
      entities("record", "record-2"),
    ],
    ["S6", "action", { subject: administrator, resource: archived }, named("read", "write")],
    [
      "the id of the searched subject is ignored",
      "subject",
      { subject: alice, action: read, resource: first },
      entities("user", "alice", "bob"),
    ],
    [
      "the id of the searched resource is ignored",
      "resource",
      { subject: alice, action: write, resource: second },
      entities("record", "record-1"),
    ],
    [
      "the action of a search of actions is ignored",
      "action",
      { subject: bob, action: write, resource: first },
      named("read"),
    ],
    ["an unknown type of subjects", "subject", { subject: { type: "robot" }, action: read, resource: first }, []],
    ["an unknown type of resources", "resource", { subject: alice, action: read, resource: { type: "page" } }, []],
    [
      "an unknown subject",
      "resource",
      { subject: { type: "user", id: "carol" }, action: read, resource: { type: "record" } },
      [],
    ],
    [
      "an unknown resource",
      "subject",
      { subject: { type: "user" }, action: read, resource: { type: "record", id: "record-9" } },
      [],
    ],
    ["an unknown action", "subject", { subject: { type: "user" }, action: { name: "share" }, resource: first }, []],
    [
      "a context",
      "resource",
      { subject: alice, action: write, resource: { type: "record" }, context: { a: 1 } },
      entities("record", "record-1"),
    ],
    ["unknown fields", "action", { subject: alice, resource: second, foo: [1] }, named("read")],
    [
      "properties of the searched resource",
      "resource",
      { subject: alice, action: write, resource: { type: "record", properties: { status: "active" } } },
      entities("record", "record-1", "record-2"),
    ],
    [
      "properties of the action",
      "resource",
      { subject: alice, action: deletion(true), resource: { type: "record" } },
      entities("record", "record-1", "record-2"),
    ],
  ])("%s", async (_, part, body, results) => {
    const { status, json } = await send(SEARCH[part], body);
    expect([status, json.results, json.page?.next_token ?? ""]).toEqual([200, results, ""]);
  });

  test("pages of one result have all results, once", async () => {
    const body = { subject: alice, action: read, resource: { type: "record" } };
    const one = await send(SEARCH.resource, { ...body, page: { limit: 1 } });
    expect(one.json.results).toEqual(entities("record", "record-1"));
    const { next_token: token } = one.json.page;
    const two = await send(SEARCH.resource, { ...body, page: { limit: 1, token } });
    expect([two.json.results, two.json.page.next_token]).toEqual([entities("record", "record-2"), ""]);
    for (const other of [
      { ...body, subject: bob },
      { ...body, action: write },
    ]) {
      expect((await send(SEARCH.resource, { ...other, page: { limit: 1, token } })).status).toBe(400);
    }
    expect((await send(SEARCH.resource, { ...body, page: { token: `${token}x` } })).status).toBe(400);
  });

  test.each<[Part, object]>([
    ["subject", { action: read, resource: first }],
    ["subject", { subject: { type: "user" }, resource: first }],
    ["subject", { subject: { type: "user" }, action: read, resource: { type: "record" } }],
    ["resource", { subject: { type: "user" }, action: read, resource: { type: "record" } }],
    ["resource", { subject: alice, action: read, resource: { id: "record-1" } }],
    ["action", { subject: alice }],
    ["action", { subject: alice, resource: first, page: { limit: "1" } }],
  ])("a search of a %s by %j is 400", async (part, body) => {
    expect((await send(SEARCH[part], body)).status).toBe(400);
  });
});

const TEXT = JSON.stringify(BASIC);

describe("errors", () => {
  test.each<[string, unknown]>([
    ["no subject", { action: read, resource: first }],
    ["no action", { subject: alice, resource: first }],
    ["no resource", { subject: alice, action: read }],
    ["no type of the subject", asked({ id: "alice" }, read, first)],
    ["no id of the subject", asked({ type: "user" }, read, first)],
    ["no name of the action", asked(alice, {}, first)],
    ["no type of the resource", asked(alice, read, { id: "record-1" })],
    ["no id of the resource", asked(alice, read, { type: "record" })],
    ["an id that is a number", asked({ type: "user", id: 1 }, read, first)],
    ["a name that is a list", asked(alice, { name: ["read"] }, first)],
    ["a subject that is a text", asked("alice" as unknown as object, read, first)],
    ["a resource that is null", { subject: alice, action: read, resource: null }],
    ["properties that are a list", asked({ ...alice, properties: [] }, read, first)],
    ["a context that is a text", { ...BASIC, context: "x" }],
    ["a list", [BASIC]],
    ["a text", '"x"'],
    ["no JSON", "{"],
    ["two values", `${TEXT}${TEXT}`],
    ["nothing", ""],
    ["a name twice", TEXT.replace("{", '{"subject":{},')],
    ["half of a character", TEXT.replace("alice", "\\ud800")],
    ["a depth of 33", { ...BASIC, context: JSON.parse(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`) }],
  ])("%s is 400", async (_, body) => {
    const { status, text, headers } = await send(EVALUATION, body);
    expect([status, headers.get("content-type")]).toEqual([400, "text/plain; charset=utf-8"]);
    expect(text).toMatch(/^[^\n]{1,200}$/);
  });

  test("a body that is too large is 413", async () => {
    const body = { ...BASIC, context: { text: "x".repeat(1_048_576) } };
    expect((await send(EVALUATION, body)).status).toBe(413);
  });
});

describe("metadata", () => {
  const get = async (options: Partial<Parameters<typeof authzenHandler>[0]> = {}, path = "", method = "GET") => {
    const handler = authzenHandler({ ...OPTIONS, ...options });
    const request = new Request(`${BASE}/.well-known/authzen-configuration${path}`, { method });
    return await answerIn(await handler(request));
  };
  const endpoints = (base: string) => ({
    policy_decision_point: base,
    access_evaluation_endpoint: base + EVALUATION,
    access_evaluations_endpoint: base + EVALUATIONS,
    search_subject_endpoint: base + SEARCH.subject,
    search_resource_endpoint: base + SEARCH.resource,
    search_action_endpoint: base + SEARCH.action,
  });

  test("names the base that was asked, and the endpoints below it", async () => {
    const { status, json, headers } = await get();
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(json).toEqual(endpoints(BASE));
  });

  test("a base with a path", async () => {
    const base = `${BASE}/tenant`;
    expect((await get({ baseUrl: base }, "/tenant")).json).toEqual(endpoints(base));
    expect((await get({ baseUrl: base })).status).toBe(404);
  });

  test("needs no token; evaluations do, if callers are authenticated", async () => {
    const authenticate = () => undefined;
    expect((await get({ authenticate })).status).toBe(200);
    const { status, headers } = await sender({ ...OPTIONS, authenticate })(EVALUATION, BASIC);
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("is read with GET alone", async () => {
    expect((await get({}, "", "POST")).status).toBe(405);
  });

  test.each(["http://pdp.example.com", "https://pdp.example.com/?a=1", "https://pdp.example.com/#a", "pdp"])(
    "a base %s is refused",
    (baseUrl) => {
      expect(() => authzenHandler({ ...OPTIONS, baseUrl })).toThrow(TypeError);
    },
  );
});

describe("transport", () => {
  test.each([
    "text/plain",
    "text/html",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "",
  ])("the content type %j is 400", async (type) => {
    expect((await send(EVALUATION, BASIC, { "content-type": type })).status).toBe(400);
  });

  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "the content type %s is JSON",
    async (type) => {
      expect((await send(EVALUATION, BASIC, { "content-type": type })).json).toEqual({ decision: true });
    },
  );

  test.each<[string, string, unknown]>([
    ["a decision", EVALUATION, BASIC],
    ["a refusal", EVALUATION, NO],
    ["a batch", EVALUATIONS, { evaluations: [YES, NO] }],
    ["a search", SEARCH.subject, { subject: { type: "user" }, action: read, resource: first }],
    ["an error", EVALUATION, "{"],
    ["an unknown path", "/access/v2/evaluation", BASIC],
  ])("the request id comes back with %s, and none without one", async (_, path, body) => {
    const id = "bfe9eb29-ab87-4ca3-be83-a1d5d8305716";
    expect((await send(path, body, { "x-request-id": id })).headers.get("x-request-id")).toBe(id);
    expect((await send(path, body)).headers.get("x-request-id")).toBeNull();
  });

  test.each<[string, unknown]>([
    [EVALUATION, YES],
    [EVALUATION, NO],
    [EVALUATIONS, { evaluations: [YES, NO, FAULTY] }],
    [SEARCH.action, { subject: alice, resource: active }],
  ])("the same request to %s has the same answer", async (path, body) => {
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push((await send(path, body)).text);
    expect(new Set(answers).size).toBe(1);
  });

  test.each(["GET", "PUT", "DELETE"])("%s is 405", async (method) => {
    const handler = authzenHandler(OPTIONS);
    const { status, headers } = await handler(new Request(BASE + EVALUATION, { method }));
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });
});
