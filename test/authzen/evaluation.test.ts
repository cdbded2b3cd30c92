/** Single evaluations: decisions, refusals, the mapping, and faulty requests. */

import { describe, expect, test } from "vitest";
import { type AuthzenDecision, authzenHandler } from "../../src/authzen/index.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { answerIn, asked, BASE, DATA, EVALUATION, MAPPING, RECORDS, sender } from "./support.js";

const send = sender({ policies: RECORDS, mapping: MAPPING, data: DATA });

async function decisionOn(body: object): Promise<boolean> {
  const { status, json } = await send(EVALUATION, body);
  expect(status).toBe(200);
  return json.decision;
}

describe("decisions", () => {
  test.each([
    ["alice", "read", "record-1", true],
    ["alice", "write", "record-1", true],
    ["alice", "write", "record-2", false],
    ["alice", "write", "record-3", false],
    ["alice", "delete", "record-1", false],
    ["bob", "write", "record-1", true],
    ["bob", "delete", "record-2", true],
    ["carol", "read", "record-1", false],
    ["nobody", "read", "record-1", false],
    ["alice", "unknown", "record-1", false],
    ["alice", "read", "record-9", false],
    ["bob", "read", "record-9", false],
  ])("%s %s %s: %s", async (subject, action, resource, expected) => {
    expect(await decisionOn(asked(subject, action, resource))).toBe(expected);
  });

  test("an unknown type is refused", async () => {
    expect(await decisionOn({ ...asked("alice", "read", ""), resource: { type: "page", id: "1" } })).toBe(false);
    expect(await decisionOn({ ...asked("", "read", "record-1"), subject: { type: "robot", id: "alice" } })).toBe(false);
  });

  test("properties of the request replace those of the data, name by name", async () => {
    const archived = { type: "record", id: "record-1", properties: { status: "archived" } };
    const owned = { type: "record", id: "record-3", properties: { owner: "alice" } };
    expect(await decisionOn({ ...asked("alice", "write", ""), resource: archived })).toBe(false);
    expect(await decisionOn({ ...asked("alice", "write", ""), resource: owned })).toBe(true);
  });

  test("a request may describe entities that the data does not list", async () => {
    const created = { type: "record", id: "record-9", properties: { owner: "alice", status: "active" } };
    expect(await decisionOn({ ...asked("alice", "write", ""), resource: created })).toBe(true);
  });

  test("declared attributes are read at their paths alone", async () => {
    const softly = { name: "delete", properties: { soft: true } };
    expect(await decisionOn({ ...asked("alice", "", "record-1"), action: softly })).toBe(true);
    const smuggled = { type: "record", id: "record-1", properties: { soft: true } };
    expect(await decisionOn({ ...asked("alice", "delete", ""), resource: smuggled })).toBe(false);
    expect(await decisionOn(asked("carol", "export", "record-1", { context: { ip: "10.0.0.1" } }))).toBe(true);
    expect(await decisionOn(asked("carol", "export", "record-1", { context: { ip: "10.0.0.2" } }))).toBe(false);
  });

  test("roles come from the data, or the mapped path, or are the subject's type", async () => {
    const mapped = sender({ policies: RECORDS, mapping: { roles: "subject.properties.roles" } });
    const decided = async (properties: object) => {
      const subject = { type: "admin", id: "x", properties };
      const { status, json, text } = await mapped(EVALUATION, { ...asked("", "delete", "record-1"), subject });
      return status === 200 ? json.decision : text;
    };
    expect(await decided({ roles: ["member"] })).toBe(false);
    expect(await decided({})).toBe(true);
    expect(await decided({ roles: "admin" })).toBe("subject.properties.roles must be a list of roles");
    expect(await decided({ roles: [] })).toBe("subject.properties.roles must be a list of roles");
  });

  test("unknown fields, and properties that the schema does not know, are ignored", async () => {
    const body = {
      ...asked("alice", "write", ""),
      resource: { type: "record", id: "record-1", colour: "red", properties: { colour: "red" } },
      foo: 1,
    };
    expect(await decisionOn(body)).toBe(true);
  });
});

describe("refusals", () => {
  test("carry the reason, and the least that would be enough", async () => {
    const { json } = await send(EVALUATION, asked("alice", "delete", "record-2"));
    expect(json).toEqual({
      decision: false,
      context: {
        reason: "insufficient_permissions",
        reason_user: { "403": "The authenticated API key does not have permission to perform this operation" },
      },
    });
    const other = await send(EVALUATION, asked("carol", "read", "record-1"));
    expect(other.json.context.access_request).toEqual({ permissions: [], roles: ["member"] });
  });

  test("only an administrator reads names of rules and messages of errors", async () => {
    const admin = sender({ policies: RECORDS, data: DATA, authenticate: () => ({ isAdmin: true }) });
    const { json } = await admin(EVALUATION, asked("alice", "delete", "record-1"));
    expect(json.context.reason_admin["403"]).toContain("record.yaml:");
    const { text } = await send(EVALUATION, asked("alice", "delete", "record-1"));
    expect(text).not.toMatch(/record\.yaml|R\.attr|owners_delete_softly/);
  });

  test("with a platform layer, an operation can be forbidden; then there is nothing to request", async () => {
    const mapping = { account: "resource.properties.accountId", roles: "subject.properties.roles" };
    const { key, account, resource } = ask("keys.createKey");
    const accounts = [{ id: account?.id ?? "", properties: { ...account?.attr } }];
    const subject = { type: "key", id: key.id, properties: { ...key.attr, roles: ["admin"] } };
    const body = { subject, action: { name: "keys.createKey" }, resource: { type: resource.kind, id: resource.id } };
    const point = sender({ policies: shipped, mapping, data: { accounts } });
    const answers = [];
    for (const properties of [resource.attr, { ...resource.attr, system: true }]) {
      answers.push((await point(EVALUATION, { ...body, resource: { ...body.resource, properties } })).json);
    }
    expect(answers).toEqual([
      { decision: true },
      {
        decision: false,
        context: { reason: "forbidden", reason_user: { "403": "This operation is not allowed" } },
      },
    ]);
    expect((await point(EVALUATION, body)).text).toBe("resource.properties.accountId is missing");
    expect(() => authzenHandler({ policies: shipped })).toThrow("the mapping needs account");
  });
});

describe("faulty requests", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test.each<[what: string, body: string | object, message: string]>([
    ["no JSON", "{", "the body is not JSON"],
    ["nothing", "", "the body is not JSON"],
    ["a list", "[]", "the body must be a JSON object"],
    ["null", "null", "the body must be a JSON object"],
    ["a name twice", '{"a":{"b":1,"\\u0062":2}}', "an object of the body has a name twice"],
    ["half a pair", '{"a":"\\ud800"}', "half of a surrogate pair"],
    ["half a pair in a name", '{"\\udc00":1}', "half of a surrogate pair"],
    ["an infinite number", '{"a":1e999}', "a number that is too large"],
    ["33 levels", nested(33), "nested deeper than 32 levels"],
    ["very many levels", "[".repeat(200_000), "nested deeper than 32 levels"],
    ["no subject", { ...asked("alice", "read", "record-1"), subject: undefined }, "subject is missing"],
    ["subject null", asked("alice", "read", "record-1", { subject: null }), "subject must be an object"],
    ["subject a text", asked("alice", "read", "record-1", { subject: "alice" }), "subject must be an object"],
    ["no type", asked("", "read", "record-1", { subject: { id: "alice" } }), "subject.type is missing"],
    ["no id", asked("", "read", "record-1", { subject: { type: "user" } }), "subject.id is missing"],
    [
      "id a number",
      asked("alice", "read", "", { resource: { type: "record", id: 1 } }),
      "resource.id must be a string",
    ],
    ["id empty", asked("alice", "read", ""), "resource.id must have 1 to 4096 characters"],
    ["no action", { ...asked("alice", "read", "record-1"), action: undefined }, "action is missing"],
    ["no name", asked("alice", "", "record-1", { action: {} }), "action.name is missing"],
    ["context a list", asked("alice", "read", "record-1", { context: [] }), "context must be an object"],
    [
      "properties a text",
      asked("", "read", "record-1", { subject: { type: "user", id: "alice", properties: "x" } }),
      "subject.properties must be an object",
    ],
    [
      "properties null",
      asked("", "read", "record-1", { subject: { type: "user", id: "alice", properties: null } }),
      "subject.properties must be an object",
    ],
    [
      "a property of another type",
      asked("alice", "read", "", { resource: { type: "record", id: "record-1", properties: { owner: 5 } } }),
      "resource.properties.owner is not of the type that the policies declare",
    ],
    [
      "a declared attribute of another type",
      asked("alice", "", "record-1", { action: { name: "delete", properties: { soft: "yes" } } }),
      "action.properties.soft is not of the type that the policies declare",
    ],
  ])("%s", async (_, body, message) => {
    const { status, text, headers } = await send(EVALUATION, body);
    expect(status).toBe(400);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toContain(message);
    expect(text).not.toContain("\n");
  });

  test("32 levels are read", async () => {
    const { text } = await send(EVALUATION, nested(32));
    expect(text).toBe("subject is missing");
  });

  test("bytes that are not UTF-8 are refused", async () => {
    const handler = authzenHandler({ policies: RECORDS });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: Uint8Array.of(0x7b, 0xff, 0x7d) };
    const response = await handler(new Request(BASE + EVALUATION, init));
    expect([response.status, await response.text()]).toEqual([400, "the body is not UTF-8 text"]);
  });

  test.each(["text/plain", "application/jsonp", "application/x-www-form-urlencoded", ""])("type %j", async (type) => {
    const { status, text } = await send(EVALUATION, asked("alice", "read", "record-1"), { "content-type": type });
    expect([status, text]).toEqual([400, "the content type must be application/json"]);
  });

  test.each(["application/json; charset=utf-8", "Application/JSON"])("type %j is JSON", async (type) => {
    const { status } = await send(EVALUATION, asked("alice", "read", "record-1"), { "content-type": type });
    expect(status).toBe(200);
  });

  test("a body that is too large is 413, with and without its length", async () => {
    const small = authzenHandler({ policies: RECORDS, limits: { bodyBytes: 100 } });
    const post = (body: RequestInit["body"]) => {
      const headers = { "content-type": "application/json" };
      return small(new Request(BASE + EVALUATION, { method: "POST", body, headers, duplex: "half" } as RequestInit));
    };
    const long = JSON.stringify({ a: "x".repeat(100) });
    const stream = new Blob([long]).stream();
    for (const body of [long, stream]) {
      const response = await post(body);
      expect([response.status, await response.text()]).toEqual([413, "the body is larger than 100 bytes"]);
    }
    expect((await post("{}")).status).toBe(400);
  });
});

describe("the envelope of HTTP", () => {
  test("the request id comes back, on errors too", async () => {
    const id = { "x-request-id": "bfe9eb29-ab87-4ca3-be83-a1d5d8305716" };
    for (const [path, body] of [
      [EVALUATION, asked("alice", "read", "record-1")],
      [EVALUATION, "{"],
      ["/nowhere", "{}"],
    ] as const) {
      expect((await send(path, body, id)).headers.get("x-request-id")).toBe(id["x-request-id"]);
    }
    expect((await send(EVALUATION, "{}")).headers.has("x-request-id")).toBe(false);
  });

  test("other paths and methods", async () => {
    expect((await send("/access/v1/evaluation/", {})).status).toBe(404);
    expect((await send("/access/v1/search", {})).status).toBe(404);
    const handler = authzenHandler({ policies: RECORDS });
    const got = await handler(new Request(BASE + EVALUATION));
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("a caller who is not authenticated is 401", async () => {
    const authenticate = ({ headers }: Request) => (headers.get("authorization") === "Bearer t" ? {} : undefined);
    const point = sender({ policies: RECORDS, data: DATA, authenticate });
    const refused = await point(EVALUATION, asked("alice", "read", "record-1"));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const allowed = await point(EVALUATION, asked("alice", "read", "record-1"), { authorization: "Bearer t" });
    expect(allowed.json).toEqual({ decision: true });
  });

  test("an error of the program is 500 without its text", async () => {
    const errors: unknown[] = [];
    const error = new Error("secret");
    const point = sender({
      policies: RECORDS,
      authenticate: () => {
        throw error;
      },
      onError: (thrown) => errors.push(thrown),
    });
    const { status, text } = await point(EVALUATION, {}, { "x-request-id": "a" });
    expect([status, text, errors]).toEqual([500, "internal error", [error]]);
  });

  test("policies are those in force, and decisions are told", async () => {
    const told: AuthzenDecision[] = [];
    let calls = 0;
    const point = sender({
      policies: () => {
        calls++;
        return RECORDS;
      },
      data: DATA,
      onDecision: (decided) => told.push(decided),
      now: () => new Date(0),
    });
    const before = calls;
    await point(EVALUATION, asked("alice", "read", "record-1"), { "x-request-id": "r" });
    expect(calls - before).toBe(1);
    expect(told).toMatchObject([
      { requestId: "r", request: { operation: "read", key: { id: "alice" } }, decision: { outcome: "allow" } },
    ]);
    expect(told[0]?.request.now).toEqual(new Date(0));
  });
});

describe("metadata", () => {
  const metadata = async (url: string, baseUrl?: string) => {
    const handler = authzenHandler({ policies: RECORDS, ...(baseUrl === undefined ? {} : { baseUrl }) });
    return await answerIn(await handler(new Request(url)));
  };

  test("name the base that was asked, and the endpoints below it", async () => {
    const { json } = await metadata(`${BASE}/.well-known/authzen-configuration`);
    expect(json).toEqual({
      policy_decision_point: BASE,
      access_evaluation_endpoint: `${BASE}/access/v1/evaluation`,
      access_evaluations_endpoint: `${BASE}/access/v1/evaluations`,
      search_subject_endpoint: `${BASE}/access/v1/search/subject`,
      search_resource_endpoint: `${BASE}/access/v1/search/resource`,
      search_action_endpoint: `${BASE}/access/v1/search/action`,
    });
  });

  test("a base with a path has its metadata below the well-known path", async () => {
    const base = "https://example.com/tenant1";
    const { json } = await metadata("http://10.0.0.1/.well-known/authzen-configuration/tenant1", base);
    expect(json).toMatchObject({ policy_decision_point: base, access_evaluation_endpoint: base + EVALUATION });
    expect((await metadata("https://example.com/.well-known/authzen-configuration", base)).status).toBe(404);
    const handler = authzenHandler({ policies: RECORDS, baseUrl: `${base}/` });
    const headers = { "content-type": "application/json" };
    const at = (path: string) =>
      handler(new Request(`https://example.com${path}`, { method: "POST", headers, body: "{}" }));
    expect([(await at(`/tenant1${EVALUATION}`)).status, (await at(EVALUATION)).status]).toEqual([400, 404]);
  });
});

describe("options", () => {
  test.each<[options: object, message: string]>([
    [{ mapping: { attributes: { resource: { a: "resource" } } } }, "the mapping is malformed"],
    [{ mapping: { attributes: { thing: {} } } }, "the mapping is malformed"],
    [{ mapping: { roles: "body.roles" } }, "the mapping is malformed"],
    [{ data: { subjects: [{ type: "user" }] } }, "the data is malformed: /subjects/0: missing properties: 'id'"],
    [{ data: { people: [] } }, "the data is malformed"],
    [{ data: { subjects: [DATA.subjects[0], DATA.subjects[0]] } }, 'the subject "alice" of type "user" twice'],
    [{ data: { accounts: [{ id: "a" }, { id: "a" }] } }, "the data lists an account twice"],
    [{ limits: { evaluations: 0 } }, "limits.evaluations must be a whole number"],
    [{ tokenSecret: new Uint8Array(31) }, "tokenSecret must have at least 32 bytes"],
    [{ baseUrl: "http://pdp.example.com" }, "baseUrl must be an https address"],
    [{ baseUrl: "https://pdp.example.com/?a" }, "baseUrl must be an https address"],
    [{ baseUrl: "pdp.example.com" }, "baseUrl must be an https address"],
  ])("%j", (options, message) => {
    expect(() => authzenHandler({ policies: RECORDS, ...options })).toThrow(message);
  });

  test.each(["http://localhost:3592", "http://127.0.0.1", "http://[::1]:80", "https://a.example.com"])(
    "%s",
    (baseUrl) => {
      expect(() => authzenHandler({ policies: RECORDS, baseUrl })).not.toThrow();
    },
  );
});
