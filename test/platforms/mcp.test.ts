/**
 * The tools of MCP servers, guarded, as the clients of both packages see them.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as Memory2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import * as oauth from "oauth4webapi";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { GuardToolsOptions } from "../../src/mcp/index.js";
import { guardTools, PROTOCOL_METHODS } from "../../src/mcp/index.js";
import { BUILT, ROOT } from "../support/built.js";
import { blocks } from "../support/documents.js";
import { shipped } from "../support/policies.js";
import { ask, type Changes } from "../support/requests.js";
import { guarded, type Ran, TOOLS, type Version } from "./mcp-tools.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Answer = { [name: string]: unknown };

interface Client {
  listResources(): Promise<{ resources: unknown[] }>;
  readResource(asked: { uri: string }): Promise<Answer>;
  getPrompt(asked: { name: string }): Promise<Answer>;
  listTools(): Promise<{ tools: { name: string }[]; [name: string]: unknown }>;
  callTool(call: { name: string; arguments: { [name: string]: unknown } }): Promise<{ [name: string]: unknown }>;
}

async function connected(
  version: Version,
  changes: Changes | (() => Changes),
  options: Partial<GuardToolsOptions> = {},
  before: (server: McpServer1 | McpServer2, ran: Ran) => void = () => undefined,
) {
  const ran: Ran = { calls: [] };
  const { server } = guarded(version, ran, changes, options);
  before(server, ran);
  const client: Client = await (async () => {
    if (server instanceof McpServer1) {
      const [one, other] = Memory1.createLinkedPair();
      const made = new Client1({ name: "c", version: "1" });
      await server.connect(one);
      await made.connect(other);
      closing.push(() => made.close());
      return made;
    }
    const [one, other] = Memory2.createLinkedPair();
    const made = new Client2({ name: "c", version: "1" });
    await server.connect(one);
    await made.connect(other);
    closing.push(() => made.close());
    return made;
  })();
  const call = async (name: string, args: { [name: string]: unknown } = { apiId: "api_1" }) => {
    try {
      return await client.callTool({ name, arguments: args });
    } catch (error) {
      const { code, message, data } = Object.assign({ data: undefined }, { code: 0, message: "" }, pick(error));
      return { code, message, data };
    }
  };
  return { client, call, ran: ran.calls };
}

function pick(error: unknown) {
  const one: { code?: unknown; message?: unknown; data?: unknown } = Object(error);
  return { code: one.code, message: String(one.message).replace(/^MCP error -?\d+: /, ""), data: one.data };
}

const CUSTOM = { roles: ["custom"], key: { permissions: ["api.api_2.delete_api", "api.*.read_api"] } };
const LACKING = "The authenticated API key does not have permission to perform this operation";

describe.each<Version>([1, 2])("an McpServer of version %i", (version) => {
  const names = async ({ client }: Awaited<ReturnType<typeof connected>>) =>
    (await client.listTools()).tools.map(({ name }) => name);

  test("lists the tools that the key can use, in their order, and no tool without a mapping", async () => {
    expect(await names(await connected(version, {}))).toEqual(["get_api", "delete_api", "late"]);
    expect(await names(await connected(version, { roles: ["viewer"] }))).toEqual(["get_api", "late"]);
    expect(await names(await connected(version, CUSTOM))).toEqual(["get_api", "delete_api", "late"]);
    expect(await names(await connected(version, { roles: ["custom"] }))).toEqual([]);
  });

  test("runs the handler of an allowed call, and of no other", async () => {
    const admin = await connected(version, {});
    expect(await admin.call("delete_api")).toMatchObject({ content: [{ type: "text", text: "delete_api ran" }] });
    expect(await admin.call("late")).toMatchObject({ content: [{ type: "text", text: "late ran" }] });
    expect(admin.ran).toEqual(["delete_api", "late"]);
    const custom = await connected(version, CUSTOM);
    expect(await custom.call("delete_api")).toEqual({
      isError: true,
      content: [{ type: "text", text: `${LACKING}. This permission would be enough: api.api_1.delete_api` }],
      structuredContent: { outcome: "insufficient_permissions", scopes: ["api.api_1.delete_api"] },
    });
    expect(custom.ran).toEqual([]);
    await custom.call("delete_api", { apiId: "api_2" });
    expect(custom.ran).toEqual(["delete_api"]);
  });

  test("answers a forbidden call with an error that says stop, and nothing of a permission", async () => {
    const admin = await connected(version, {});
    const answer = await admin.call("delete_api", { apiId: "api_system" });
    expect(answer).toMatchObject({ code: -32001, data: { outcome: "forbidden", retry: false } });
    expect(JSON.stringify(answer)).not.toMatch(/scope|insufficient|www-authenticate|system_resource/i);
    expect(admin.ran).toEqual([]);
  });

  test("answers alike for tools that are not there, have no mapping, or are hidden", async () => {
    const { call, ran } = await connected(version, { roles: ["viewer"] });
    for (const name of ["nothing", "unmapped", "delete_api", "rename_api", "__proto__", "constructor"]) {
      expect(await call(name)).toMatchObject({ code: -32602, message: `Tool ${name} not found` });
    }
    expect(ran).toEqual([]);
    const decided = await connected(version, { roles: ["viewer"] }, { unlisted: "decide" });
    expect(await decided.call("delete_api")).toMatchObject({
      structuredContent: { outcome: "insufficient_permissions", scopes: ["api.api_1.delete_api"] },
    });
    expect(await decided.call("unmapped")).toMatchObject({ code: -32602 });
  });

  test("refuses arguments that do not fit before it decides, and a resource that is not there", async () => {
    const asked: unknown[] = [];
    const tools: GuardToolsOptions["tools"] = {
      get_api: {
        operation: "apis.getApi",
        kind: "api",
        resource: (args) => {
          asked.push(args);
          return undefined;
        },
      },
    };
    const { call, ran } = await connected(version, {}, { tools });
    expect(await call("get_api", { apiId: 1 })).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
    expect(await call("get_api")).toMatchObject({
      isError: true,
      content: [{ text: "The requested resource does not exist" }],
    });
    expect([asked, ran]).toEqual([[{ apiId: "api_1" }], []]);
  });

  test("answers -32603 where anything fails, tells nothing of it, and runs nothing", async () => {
    const errors: unknown[] = [];
    const secret = new Error("hunter2");
    const fail = () => {
      throw secret;
    };
    const onError = (error: unknown) => {
      errors.push(error);
      throw secret;
    };
    const resource = { operation: "apis.getApi", kind: "api", resource: fail };
    const failing: readonly Partial<GuardToolsOptions>[] = [
      { key: fail },
      { key: () => Promise.reject(secret) },
      { account: fail },
      { policies: fail },
      { now: fail },
      { tools: { ...TOOLS, get_api: resource } },
      { tools: { ...TOOLS, get_api: { ...resource, resource: () => ({ id: "a", kind: "key" }) } } },
      { tools: { ...TOOLS, get_api: { ...resource, resource: () => ({ id: "api_1", attr: {} }) } } },
    ];
    for (const [i, options] of failing.entries()) {
      const { call, client, ran } = await connected(version, {}, { ...options, onError });
      expect(await call("get_api"), String(i)).toEqual({ code: -32603, message: "Internal error", data: undefined });
      if (i < 5) await expect(client.listTools()).rejects.toThrow("Internal error");
      expect(ran).toEqual([]);
    }
    expect(errors.length).toBeGreaterThanOrEqual(failing.length);
  });

  test("answers -32603 where a look-up takes too long", async () => {
    const hang = () => new Promise<never>(() => {});
    const resource = { operation: "apis.getApi", kind: "api", resource: hang };
    for (const options of [{ key: hang }, { account: hang }, { tools: { ...TOOLS, get_api: resource } }]) {
      const errors: unknown[] = [];
      const onError = (error: unknown) => errors.push(error);
      const { call, ran } = await connected(version, {}, { ...options, timeoutMs: 20, onError });
      expect(await call("get_api")).toEqual({ code: -32603, message: "Internal error", data: undefined });
      expect([ran, errors]).toEqual([[], expect.arrayContaining([new Error("no answer within 20 ms")])]);
    }
  });

  test("does nothing for a malformed key", async () => {
    const { call, client, ran } = await connected(version, {}, { key: () => Object.assign({ id: 1, roles: [] }) });
    expect((await client.listTools()).tools).toEqual([]);
    expect(await call("get_api")).toMatchObject({ code: -32602 });
    expect(ran).toEqual([]);
  });

  test("decides each request by the key of that request", async () => {
    let changes: Changes = {};
    const admin = await connected(version, () => changes);
    await admin.call("delete_api");
    changes = CUSTOM;
    expect(await admin.call("delete_api")).toMatchObject({ isError: true });
    expect(admin.ran).toEqual(["delete_api"]);
  });

  test("hides a tool of which every call is forbidden, or marks it", async () => {
    const suspended = { account: () => ask("apis.getApi", { account: { status: "suspended" } }).account };
    const hidden = await connected(version, {}, suspended);
    expect(await names(hidden)).toEqual(["get_api", "late"]);
    expect(await hidden.call("delete_api")).toMatchObject({ code: -32602 });
    const marked = await connected(version, {}, { ...suspended, forbidden: "mark" });
    const { tools } = await marked.client.listTools();
    expect(tools.map((tool) => [tool.name, Reflect.get(tool, "_meta")])).toEqual([
      ["get_api", undefined],
      ["delete_api", { "keyward/outcome": "forbidden" }],
      ["late", undefined],
    ]);
    expect(await marked.call("delete_api")).toMatchObject({
      code: -32001,
      data: { outcome: "forbidden", retry: false },
    });
    expect(marked.ran).toEqual([]);
    const usable = await connected(version, CUSTOM, { forbidden: "mark" });
    expect(JSON.stringify(await usable.client.listTools())).not.toContain("keyward/outcome");
    const malformed = await connected(version, {}, { ...suspended, forbidden: "mark", key: () => Object({ id: 1 }) });
    expect(await names(malformed)).toEqual([]);
  });

  test("decides other methods by a table, and refuses those that it does not have", async () => {
    const resource: NonNullable<GuardToolsOptions["methods"]>[string] = {
      operation: "apis.deleteApi",
      kind: "api",
      resource: ({ uri }, context) =>
        TOOLS.delete_api?.resource({ apiId: String(uri).slice("api://".length) }, context),
    };
    const methods = { ...PROTOCOL_METHODS, "resources/list": "open", "resources/read": resource } as const;
    const register = (server: McpServer1 | McpServer2, { calls }: Ran) => {
      for (const id of ["api_1", "api_2", "api_system", "api_none"]) {
        const read = async () => {
          calls.push(id);
          return { contents: [{ uri: `api://${id}`, text: id }] };
        };
        if (server instanceof McpServer1) server.registerResource(id, `api://${id}`, {}, read);
        else server.registerResource(id, `api://${id}`, {}, read);
      }
      const prompt = async () => {
        calls.push("prompt");
        return { messages: [] };
      };
      if (server instanceof McpServer1) server.registerPrompt("p", {}, prompt);
      else server.registerPrompt("p", {}, prompt);
    };
    const { client, ran } = await connected(version, CUSTOM, { methods }, register);
    const read = (id: string) => client.readResource({ uri: `api://${id}` }).catch(pick);
    expect((await client.listResources()).resources.length).toBe(4);
    expect(await read("api_2")).toMatchObject({ contents: [{ text: "api_2" }] });
    expect(await read("api_1")).toEqual({
      code: -32001,
      message: `${LACKING}. This permission would be enough: api.api_1.delete_api`,
      data: { outcome: "insufficient_permissions", scopes: ["api.api_1.delete_api"] },
    });
    expect(await read("api_none")).toMatchObject({ code: -32602, message: "The requested resource does not exist" });
    expect(await client.getPrompt({ name: "p" }).catch(pick)).toMatchObject({ code: -32601 });
    expect(await client.callTool({ name: "delete_api", arguments: { apiId: "api_2" } })).toMatchObject({
      content: [{ text: "delete_api ran" }],
    });
    expect(ran).toEqual(["api_2", "delete_api"]);
    const admin = await connected(version, {}, { methods }, register);
    expect(await admin.client.readResource({ uri: "api://api_system" }).catch(pick)).toMatchObject({
      code: -32001,
      data: { outcome: "forbidden", retry: false },
    });
    const fails = await connected(version, {}, { methods, key: () => Promise.reject(new Error("hunter2")) }, register);
    expect(await fails.client.readResource({ uri: "api://api_1" }).catch(pick)).toMatchObject({
      code: -32603,
      message: "Internal error",
    });
    expect([...admin.ran, ...fails.ran]).toEqual([]);
  });

  test("decides before a handler for all methods, too", async () => {
    const methods = { ...PROTOCOL_METHODS, "apis/delete": { ...TOOLS.delete_api } } as NonNullable<
      GuardToolsOptions["methods"]
    >;
    const server =
      version === 1 ? new McpServer1({ name: "s", version: "1" }) : new McpServer2({ name: "s", version: "1" });
    const ran: string[] = [];
    guardTools(server, {
      policies: shipped,
      key: () => ask("apis.getApi", CUSTOM).key,
      account: () => ask("apis.getApi").account,
      tools: {},
      methods,
    });
    server.server.fallbackRequestHandler = async ({ method }: { method: string }) => {
      ran.push(method);
      return {};
    };
    const get: unknown = Reflect.get(Reflect.get(server.server, "_requestHandlers"), "get");
    const handle = async (method: string, apiId: string) =>
      Promise.resolve(
        Reflect.apply(Reflect.apply(Object(get), undefined, [method]), undefined, [{ method, params: { apiId } }, {}]),
      ).catch(pick);
    expect(await handle("apis/delete", "api_2")).toEqual({});
    expect(await handle("apis/delete", "api_1")).toMatchObject({ code: -32001 });
    expect(await handle("apis/rename", "api_2")).toMatchObject({ code: -32601 });
    expect(ran).toEqual(["apis/delete"]);
  });

  test("also guards handlers that replace the server's own", async () => {
    const { call, ran } = await connected(version, CUSTOM, {}, (server, { calls }) => {
      const own = async () => {
        calls.push("own");
        return { content: [] };
      };
      if (server instanceof McpServer2) server.server.setRequestHandler("tools/call", own);
      else server.server.setRequestHandler(CallToolRequestSchema, own);
    });
    expect(await call("delete_api")).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
    await call("delete_api", { apiId: "api_2" });
    expect(ran).toEqual(["own"]);
  });
});

test("a list is private to its key", async () => {
  const { client } = await connected(2, {}, { ttlMs: 5_000 });
  expect(await client.listTools()).toMatchObject({ cacheScope: "private", ttlMs: 5_000 });
});

test("what is no server, or is connected already, is refused, and so is a malformed table of methods", async () => {
  const options = { policies: shipped, key: () => ask("apis.getApi").key, tools: {} };
  for (const [methods, message] of [
    [{ "tools/call": "open" }, "tools/call is decided by tools"],
    [{ "prompts/get": "closed" }, 'prompts/get must be "open" or a mapping'],
    [{ "prompts/get": { operation: "apis.getApi", kind: "api" } }, "prompts/get must be"],
  ] as const) {
    const made = new McpServer1({ name: "s", version: "1" });
    expect(() => guardTools(made, { ...options, methods: Object(methods) })).toThrow(message);
  }
  expect(() => guardTools({ server: {} }, options)).toThrow(TypeError);
  for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31]) {
    const made = new McpServer1({ name: "s", version: "1" });
    expect(() => guardTools(made, { ...options, timeoutMs })).toThrow(RangeError);
  }
  const server = new McpServer1({ name: "s", version: "1" });
  await server.connect(Memory1.createLinkedPair()[0]);
  expect(() => guardTools(server, options)).toThrow("before connect");
});

async function listening(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

const bodyOf = async (request: AsyncIterable<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/** A server of version 2 over HTTP. */
async function over2(changes: Changes, options: Partial<GuardToolsOptions> = {}) {
  const ran: Ran = { calls: [] };
  const handler = createMcpHandler(() => {
    const { server } = guarded(2, ran, changes, options);
    if (!(server instanceof McpServer2)) throw new Error("another version");
    return server;
  });
  const url = await listening(
    createServer(async (request, response) => {
      const body = await bodyOf(request);
      const fields = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          method: request.method ?? "GET",
          headers: fields,
          ...(body === "" ? {} : { body }),
        }),
      );
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    }),
  );
  const client = new Client2({ name: "c", version: "1" });
  await client.connect(new Http2(url));
  closing.push(() => client.close());
  return { client, ran: ran.calls, url };
}

test("over HTTP, the client of version 2 reads the scope of the challenge, and no challenge of a prohibition", async () => {
  const { client, ran } = await over2(CUSTOM);
  const call = (apiId: string) => client.callTool({ name: "delete_api", arguments: { apiId } });
  await expect(call("api_1")).rejects.toMatchObject({ requiredScope: "api.api_1.delete_api" });
  expect(ran).toEqual([]);
  expect(await call("api_2")).toMatchObject({ content: [{ text: "delete_api ran" }] });
  const admin = await over2({});
  await expect(admin.client.callTool({ name: "delete_api", arguments: { apiId: "api_system" } })).rejects.toMatchObject(
    {
      code: -32001,
      data: { outcome: "forbidden", retry: false },
    },
  );
  const asResult = await over2(CUSTOM, { refusal: "result" });
  expect(await asResult.client.callTool({ name: "delete_api", arguments: { apiId: "api_1" } })).toMatchObject({
    isError: true,
    structuredContent: { outcome: "insufficient_permissions", scopes: ["api.api_1.delete_api"] },
  });
});

test("over HTTP, other methods are decided by the table and challenged alike", async () => {
  const read: NonNullable<GuardToolsOptions["methods"]>[string] = {
    operation: "apis.deleteApi",
    kind: "api",
    resource: ({ uri }, context) => TOOLS.delete_api?.resource({ apiId: uri }, context),
  };
  const { client } = await over2(CUSTOM, { methods: { ...PROTOCOL_METHODS, "resources/read": read } });
  await expect(client.readResource({ uri: "api_1" })).rejects.toMatchObject({ requiredScope: "api.api_1.delete_api" });
  await expect(client.readResource({ uri: "api_system" })).rejects.not.toHaveProperty("requiredScope");
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

test("over HTTP, a server of version 1 answers with the guard's challenge, which oauth4webapi reads", async () => {
  const ran: Ran = { calls: [] };
  let challenged = "";
  const url = await listening(
    createServer(async (request, response) => {
      const body: unknown = JSON.parse((await bodyOf(request)) || "null");
      const { server, guard } = guarded(1, ran, CUSTOM);
      if (!(server instanceof McpServer1)) throw new Error("another version");
      const challenge = await guard.challenge(body, {}, { resource_metadata: "https://example.com/metadata" });
      if (challenge !== undefined) {
        challenged = challenge;
        response.writeHead(403, { "www-authenticate": challenge }).end();
        return;
      }
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      await transport.handleRequest(request, response, body);
    }),
  );
  const client = new Client1({ name: "c", version: "1" });
  await client.connect(new Http1(url));
  closing.push(() => client.close());
  await expect(client.callTool({ name: "delete_api", arguments: { apiId: "api_1" } })).rejects.toThrow();
  expect(ran.calls).toEqual([]);
  expect(await client.callTool({ name: "delete_api", arguments: { apiId: "api_2" } })).toMatchObject({
    content: [{ text: "delete_api ran" }],
  });
  expect(challenged).toBe(
    'Bearer error="insufficient_scope", scope="api.api_1.delete_api", resource_metadata="https://example.com/metadata"',
  );
  const response = new Response(null, { status: 403, headers: { "www-authenticate": challenged } });
  const read: unknown = await oauth
    .protectedResourceRequest("token", "POST", new URL("https://example.com/mcp"), undefined, undefined, {
      [oauth.customFetch]: async () => response,
    })
    .catch((error: unknown) => error);
  expect(read).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
  const [first] = read instanceof oauth.WWWAuthenticateChallengeError ? read.cause : [];
  expect(first?.parameters).toMatchObject({ error: "insufficient_scope", scope: "api.api_1.delete_api" });
});

describe.skipIf(!BUILT)("the example (skipped without dist/: npm run build)", () => {
  // Inside node_modules, its packages are found.
  const home = `${ROOT}test/platforms/node_modules/.example-mcp-${process.pid}`;
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("prints what docs/ask-or-stop.md says", { timeout: 60_000 }, () => {
    cpSync(`${ROOT}examples/mcp`, home, { recursive: true });
    const printed = execFileSync(process.execPath, ["three-keys.mjs"], { cwd: home, encoding: "utf8" });
    expect(blocks("docs/ask-or-stop.md", "text").map(([, block]) => block)).toEqual([printed]);
  });

  test("has the versions of the packages that are tested", () => {
    const { dependencies } = JSON.parse(readFileSync(`${ROOT}examples/mcp/package.json`, "utf8"));
    const { devDependencies } = JSON.parse(readFileSync(`${ROOT}test/platforms/package.json`, "utf8"));
    expect(devDependencies).toMatchObject(dependencies);
  });
});
