/** Malformed requests get 4xx in the error envelope; nothing is stored and nothing leaks. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../src/http/server.js";
import { accounts, apis, keys, workspaces } from "../src/store/schema.js";
import type { Store } from "../src/store/store.js";
import { describeStores } from "./support/databases.js";
import { until } from "./support/process.js";
import { raw, serverFor } from "./support/server.js";
import { answerOf, type TestService, testService } from "./support/service.js";
import { newAccount, type World } from "./support/world.js";

describeStores("bad input", (open) => {
  let store: Store;
  let service: TestService;
  let server: RunningServer;
  let world: World;
  let before: unknown;
  const contents = () =>
    Promise.all(
      [accounts, workspaces, apis, keys].map((table) => store.queries.select().from(table).orderBy(table.id)),
    );
  beforeAll(async () => {
    store = await open();
    service = await testService(store);
    server = await serverFor(service);
    world = await newAccount(store);
    before = await contents();
  });
  afterAll(async () => {
    await server.close(1_000);
    await store.close();
  });

  const send = async (
    body: string | Uint8Array<ArrayBuffer> | null,
    more: { path?: string; method?: string; headers?: object } = {},
  ) => {
    const { path = "/v1/keys.createKey", method = "POST", headers = {} } = more;
    const response = await fetch(server.baseUrl + path, {
      method,
      body,
      headers: { authorization: `Bearer ${world.admin.secret}`, "content-type": "application/json", ...headers },
    });
    return answerOf(response);
  };
  const expectError = (answer: Awaited<ReturnType<typeof send>>, status: number, code: string) => {
    expect(answer.status, answer.text).toBe(status);
    expect(Object.keys(answer.body)).toEqual(["meta", "error"]);
    expect(Object.keys(answer.body.error)).toEqual(["detail", "status", "title", "type"]);
    expect(answer.body.error.status).toBe(status);
    expect(answer.body.error.type).toMatch(
      new RegExp(`^https://docs\\.example\\.com/api-reference/errors-v2/service/[a-z_]+/${code}$`),
    );
    expect(answer.headers.get("x-request-id")).toBe(answer.body.meta.requestId);
    // No stack, path, SQL, policy or secret.
    expect(answer.text).not.toMatch(/ at |\.ts|\.js\b|select |insert |policy|policies|vplatform|vdefault|kw_/i);
  };
  const valid = () => ({ apiId: world.active, name: "x" });

  describe("bodies", () => {
    test.each([
      ["empty", ""],
      ["text", "hello"],
      ["cut off", '{"apiId":'],
      ["two values", "{} {}"],
      ["a comment", '{"apiId":"x",/* */"name":"x"}'],
      ["a trailing comma", '{"apiId":"x","name":"x",}'],
      ["NaN", '{"apiId":NaN}'],
      ["deep", `{"apiId":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
      ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ["UTF-16", Buffer.from('{"apiId":"x"}', "utf16le")],
    ])("%s", async (_, body) => expectError(await send(body), 400, "invalid_json"));

    test.each([
      ["at the top", '{"apiId":"api_1","apiId":"api_2","name":"x"}'],
      ["in other spelling", '{"apiId":"api_1","\\u0061piId":"api_2","name":"x"}'],
      ["further down", '{"apiId":"api_1","name":"x","more":{"a":1,"a":2}}'],
      ["of __proto__", '{"__proto__":1,"__proto__":2}'],
    ])("one name twice, %s", async (_, body) => expectError(await send(body), 400, "duplicate_field"));

    test.each<[string, (given: object) => unknown]>([
      ["an unknown field", (given) => ({ ...given, admin: true })],
      ["__proto__", (given) => JSON.parse(JSON.stringify(given).replace("{", '{"__proto__":{"roles":["admin"]},'))],
      ["constructor", (given) => ({ ...given, constructor: { prototype: {} } })],
      ["an array", () => []],
      ["null", () => null],
      ["a string", () => "x"],
      ["a missing field", () => ({ name: "x" })],
      ["a number for text", (given) => ({ ...given, name: 7 })],
      ["null for text", (given) => ({ ...given, apiId: null })],
      ["an object for text", (given) => ({ ...given, apiId: { $ne: "" } })],
      ["an empty name", (given) => ({ ...given, name: "" })],
      ["a long name", (given) => ({ ...given, name: "x".repeat(256) })],
      ["a NUL in the name", (given) => ({ ...given, name: "a\u0000b" })],
      ["half of a surrogate pair", (given) => ({ ...given, name: "a\ud800b" })],
      ["an id with a quote", (given) => ({ ...given, apiId: "' or '1'='1" })],
      ["an id with a newline", (given) => ({ ...given, apiId: "api_1\n" })],
      ["an id with a NUL", (given) => ({ ...given, apiId: "api_1\u0000" })],
      ["a long id", (given) => ({ ...given, apiId: "x".repeat(65) })],
      ["an unknown role", (given) => ({ ...given, roles: ["owner"] })],
      ["no role", (given) => ({ ...given, roles: [] })],
      ["one role twice", (given) => ({ ...given, roles: ["viewer", "viewer"] })],
      ["no permission's form", (given) => ({ ...given, permissions: ["api.*"] })],
      ["a regular expression's undoing", (given) => ({ ...given, permissions: [`api.${"a".repeat(9_999)}!`] })],
      ["every workspace and one", (given) => ({ ...given, workspaceIds: ["*", world.workspaceId] })],
      ["a time that is none", (given) => ({ ...given, expiresAt: "2030-02-30T00:00:00Z" })],
      ["more values than any operation takes", (given) => ({ ...given, permissions: Array(500).fill(0) })],
      ["a time in the past", (given) => ({ ...given, expiresAt: "2001-01-01T00:00:00Z" })],
    ])("%s", async (_, body) => expectError(await send(JSON.stringify(body(valid()))), 400, "invalid_body"));

    test.each([
      ["a list", "[0".padEnd(2 * 30_000, ",0")],
      ["names", `{${Array.from({ length: 6_000 }, (_, i) => `"${i}":0`).join()}`],
    ])("%s of too many values is left at the first one too many, before it is known to be JSON", async (_, body) => {
      const answer = await send(`{"apiId":"x","name":"y","more":${body}`);
      expectError(answer, 400, "invalid_body");
      expect(answer.body.error.detail).toBe("must not have more than 500 values");
    });

    test("ids that are names of JavaScript's are ids", async () => {
      for (const apiId of ["__proto__", "constructor", "toString"]) {
        expectError(await send(JSON.stringify({ ...valid(), apiId })), 404, "not_found");
      }
    });

    test.each([
      ["10 MB", {}],
      ["10 MB in pieces", { "transfer-encoding": "chunked" }],
    ])("%s", async (_, headers) => {
      const body = `{"apiId":"x","name":"${"x".repeat(10_000_000)}"}`;
      const pieces = "transfer-encoding" in headers;
      const chunks = pieces ? body.match(/.{1,100000}/gs)?.map((c) => `${c.length.toString(16)}\r\n${c}\r\n`) : [body];
      const length = pieces ? "transfer-encoding: chunked" : `content-length: ${body.length}`;
      const head = `POST /v1/keys.createKey HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${world.admin.secret}\r\n${length}\r\nconnection: close\r\n\r\n`;
      const answer = await raw(server.baseUrl, [head, ...(chunks ?? []), pieces ? "0\r\n\r\n" : ""]);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toMatch(/\{"meta":\{"requestId":"req_\w+"\},"error":\{"detail":"[^"]+","status":413,/);
    });
  });

  test.each([
    ["none", ""],
    ["text", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["another charset", "application/json; charset=utf-16"],
    ["two", "application/json, text/plain"],
    ["another JSON", "application/problem+json"],
  ])("content type: %s", async (_, type) => {
    expectError(
      await send(JSON.stringify(valid()), { headers: { "content-type": type } }),
      415,
      "unsupported_media_type",
    );
  });

  test("a compressed body", async () => {
    const headers = { "content-encoding": "gzip" };
    expectError(await send(JSON.stringify(valid()), { headers }), 415, "unsupported_media_type");
  });

  test.each(["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])("%s", async (method) => {
    const answer = await send(null, { method });
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe("POST");
  });

  test("POST to what is read", async () => {
    const answer = await send("{}", { path: "/healthz" });
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
  });

  test.each([
    "/",
    "/v1",
    "/v2/keys.createKey",
    "/v1/apis.deleteApi",
    "/v3/keys.getKey",
    "/v1/keys.createKey/",
    "/v1/keys.createkey",
    "//v1/keys.createKey",
    "/v1/keys.createKey%00",
    "/__proto__",
    "/v2/../v1/x",
  ])("there is nothing at %s", async (path) => expectError(await send("{}", { path }), 404, "unknown_operation"));

  describe("on the wire", () => {
    const error = /\{"meta":\{"requestId":"req_\w+"\},"error":\{"detail":"[^"]+","status":4\d\d,/;
    const start = "POST /v2/keys.whoami HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";

    test("a hundred thousand fields' worth of Authorization", async () => {
      const long = await raw(server.baseUrl, [start, `authorization: Bearer ${"a".repeat(1_000_000)}\r\n\r\n`]);
      expect(long).toMatch(/^HTTP\/1\.1 431 /);
      expect(long).toMatch(error);
      const many = "authorization: Bearer a\r\n".repeat(100_000);
      const answer = await raw(server.baseUrl, [start, many, "content-length: 2\r\n\r\n{}"]);
      expect(answer).toMatch(/^HTTP\/1\.1 431 /);
      expect(answer).toMatch(error);
    });

    test("a long key, and two fields, are no key", async () => {
      const field = (secret: string) => `authorization: Bearer ${secret}\r\n`;
      const tail = "content-length: 2\r\nconnection: close\r\n\r\n{}";
      const two = await raw(server.baseUrl, [start, field(world.admin.secret), field(world.admin.secret), tail]);
      expect(two).toMatch(/^HTTP\/1\.1 401 /);
      const long = await raw(server.baseUrl, [start, field("a".repeat(8_000)), tail]);
      expect(long).toMatch(/^HTTP\/1\.1 401 /);
      expect(long).toMatch(error);
    });

    test.each([
      ["nonsense", "nonsense\r\n\r\n"],
      ["a field without a name", `${start}: x\r\n\r\n`],
      ["two lengths", `${start}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
      ["a length and chunks", `${start}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
      ["a NUL in a field", `${start}x: a\u0000b\r\n\r\n`],
    ])("%s", async (_, text) => {
      const answer = await raw(server.baseUrl, [text]);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(error);
      expect(answer).toMatch(/x-request-id: req_/);
    });

    test.each([
      ["what cannot be read", "garbage\r\n\r\n", 400],
      ["a tunnel that is asked for", "CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n", 404],
    ])("requests before %s are answered, each, and then it is", async (_, last, status) => {
      const body = JSON.stringify({ apiId: world.active, name: "pipelined" });
      const create =
        `POST /v1/keys.createKey HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
        `authorization: Bearer ${world.admin.secret}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const apart = await raw(server.baseUrl, [create, create, last]);
      const together = await raw(server.baseUrl, [`${create}${create}${last}`]);
      for (const answer of [apart, together]) {
        expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", `HTTP/1.1 ${status}`]);
        expect(answer).toMatch(error);
        for (const [, keyId] of answer.matchAll(/"keyId":"(\w+)"/g)) {
          const path = "/v2/keys.deleteKey";
          expect((await send(JSON.stringify({ keyId }), { path })).status).toBe(200);
        }
      }
    });

    test.each([
      ["without Host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
      ["with two Hosts", "GET /healthz HTTP/1.1\r\nhost: x\r\nHost: x\r\n\r\n", 400],
      ["with a Host that is none", "GET /healthz HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n", 400],
      ["about the server as a whole", "OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", 404],
      ["for a tunnel", "CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n", 404],
      ["for no path", "GET healthz HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ])("a request %s", async (_, text, status) => {
      const answer = await raw(server.baseUrl, [text], 2_000);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toMatch(error);
    });

    test.each([
      ["/metrics", 200],
      ["/metrics?x=%6d#/../y", 200],
      ["http://x/metrics", 200],
      ["http://x:80/metrics?a", 200],
      ["HTTP://x/metrics", 400],
      ["/%6detrics", 404],
      ["/metric%73?a", 404],
      ["/x/../metrics", 404],
      ["/./metrics", 404],
      ["/metrics/.", 404],
      ["/x/%2e%2e/metrics", 404],
      ["/x/.%2E/metrics", 404],
      ["/x\\..\\metrics", 404],
      ["/metrics#a", 404],
      ["//x/metrics", 404],
      ["http://x/%6detrics", 404],
      ["http://x/y/../metrics", 404],
      ["http://x\\metrics", 400],
      ["http://x", 404],
      ["http://x?/metrics", 404],
      ["https:metrics", 400],
      ["ftp://x/metrics", 400],
    ])("a path is served as it is sent, or not at all: %s", async (target, status) => {
      const answer = await raw(server.baseUrl, [`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`]);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      if (status !== 200) expect(answer).toMatch(error);
    });

    test("HTTP/1.0 has no Host", async () => {
      const answer = await raw(server.baseUrl, ["GET /healthz HTTP/1.0\r\n\r\n"]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/);
    });

    test("a body that is cut off is nobody's fault", async () => {
      const head = `${start}authorization: Bearer ${world.admin.secret}\r\ncontent-length: 100\r\n\r\n{`;
      await raw(server.baseUrl, [head], 200);
      expect((await send("{}", { path: "/v2/keys.whoami" })).status).toBe(200);
    });

    test.each(["content-length: 100", "transfer-encoding: chunked"])(
      "nor is one without a key (%s)",
      async (length) => {
        const before = service.logged.length;
        await raw(server.baseUrl, [`${start}${length}\r\n\r\n`, "5\r\n{"], 200);
        const lines = () => service.logged.slice(before).map((line) => JSON.parse(line));
        // Log lines of earlier requests may arrive late.
        await until("it is logged", () =>
          lines().some(
            ({ msg, operation, outcome, status }) =>
              msg === "request" && operation === "keys.whoami" && outcome === "invalid_key" && status === 401,
          ),
        );
        expect(lines().filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
      },
    );
  });

  test("of all that nothing was stored, and nothing leaked into a log", async () => {
    expect(await contents()).toEqual(before);
    const logged = service.logged.join("");
    expect(logged).not.toMatch(/kw_[0-9a-f]{16}/);
    expect(logged).not.toMatch(/"level":"(error|fatal)"/);
  });
});
