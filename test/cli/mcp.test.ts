/** `keyward mcp check`: the tools of a server against the shipped policies. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SHIPPED_ROOT } from "../support/policies.js";
import { keyward } from "../support/terminal.js";

const home = mkdtempSync(join(tmpdir(), "keyward-mcp-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function mapping(operation: string, id = "$params.apiId", kind = "api") {
  return {
    evaluation: {
      subject: { type: "key", id: "$token.sub" },
      action: { name: operation },
      resource: { type: kind, id },
    },
  };
}

function tool(name: string, mapped: unknown, more: object = {}) {
  const inputSchema = { type: "object", properties: { apiId: { type: "string" } }, "x-authzen-mapping": mapped };
  return { name, inputSchema, ...more };
}

async function checked(document: unknown, ...args: string[]) {
  const file = join(home, "server.json");
  writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document, null, 2));
  const { code, out, err } = await keyward(["mcp", "check", file, SHIPPED_ROOT, ...args], "");
  return { code, out: out.replaceAll(file, "server.json"), err };
}

const READ = { annotations: { readOnlyHint: true } };

test("tools that fit have no findings, in each form of a list", async () => {
  const tools = [
    tool("get_api", mapping("apis.getApi"), READ),
    tool("delete_api", mapping("apis.deleteApi", "$params.arguments.apiId")),
    tool("delete_apis", { evaluations: [mapping("apis.deleteApi").evaluation] }),
    tool("price", mapping("apis.getApi", "$$params.price")),
  ];
  for (const document of [tools, { tools }, { jsonrpc: "2.0", id: 1, result: { tools } }]) {
    expect(await checked(document)).toEqual({ code: 0, out: "", err: "" });
  }
});

test("a tool without a mapping, and operations that no policy knows: 4", async () => {
  const tools = [
    { name: "free", inputSchema: { type: "object" } },
    tool("rename_api", mapping("apis.renameApi")),
    tool("get_key", mapping("keys.getKey")),
  ];
  const { code, out, err } = await checked({ tools });
  expect(code).toBe(4);
  expect(out.split("\n").map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
    "server.json:4:15 error tool_without_mapping free:",
    "server.json:10:15 error unknown_operation rename_api:",
    "server.json:36:15 error unknown_operation get_key:",
    "",
  ]);
  expect(err).toContain("(exit 4)");
});

test("arguments that the schema lacks, and mappings that cannot be read: 3, at the place in the expression", async () => {
  const tools = [tool("get_api", mapping("apis.getApi", "$params.apiID"))];
  const { code, out } = await checked({ tools });
  expect(code).toBe(3);
  expect(out).toMatch(
    /^server\.json:\d+:\d+ error unknown_argument get_api: \$params\.apiID reads the argument "apiID"/,
  );
  const text = JSON.stringify({ tools }, null, 2).split("\n");
  const line = text.findIndex((one) => one.includes("$params.apiID"));
  expect(out).toContain(`server.json:${line + 1}:${(text[line] ?? "").indexOf("params.apiID") + 1} `);
  const optional = tool("get_api", mapping("apis.getApi", "$params.?apiID.orValue('x')"));
  expect((await checked([optional])).code).toBe(0);
  for (const broken of [
    mapping("apis.getApi", "$params."),
    {},
    { evaluation: {}, evaluations: [] },
    { evaluations: [] },
    { evaluation: { action: { name: "apis.getApi" } } },
    "apis.getApi",
  ]) {
    expect((await checked([tool("broken", broken)])).code, JSON.stringify(broken)).toBe(3);
  }
});

test("readOnlyHint on an operation that a reading role may not do is a warning", async () => {
  const { code, out } = await checked([tool("delete_api", mapping("apis.deleteApi"), READ)], "--format", "json");
  expect([code, JSON.parse(out).findings]).toEqual([
    0,
    [expect.objectContaining({ severity: "warning", code: "read_only_hint", tool: "delete_api", line: 3 })],
  ]);
  const dynamic = await checked([tool("any", mapping("$params.apiId"))]);
  expect([dynamic.code, dynamic.out]).toEqual([0, expect.stringContaining("warning unchecked_operation")]);
});

test("usage", async () => {
  for (const document of ["", "{}", "[1]", '{"tools":[{}]}']) expect((await checked(document)).code).toBe(2);
  expect((await keyward(["mcp"], "")).code).toBe(2);
  expect((await keyward(["mcp", "serve", "a", "b"], "")).code).toBe(2);
  expect((await keyward(["mcp", "check", join(home, "none.json"), SHIPPED_ROOT], "")).code).toBe(2);
  expect((await keyward(["mcp", "check", "--help"], "")).code).toBe(0);
});
