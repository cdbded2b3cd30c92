/** MCP servers over the worked example, of both packages, for the tests of `keyward/mcp`. */

import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type GuardToolsOptions, guardTools, type ToolGuard } from "../../src/mcp/index.js";
import { shipped } from "../support/policies.js";
import { ask, type Changes } from "../support/requests.js";

/** The calls that handlers have run, by the name of the tool. */
export interface Ran {
  readonly calls: string[];
}

const APIS: { readonly [id: string]: Changes } = {
  api_1: {},
  api_2: { resourceId: "api_2" },
  api_system: { resourceId: "api_system", resource: { system: true } },
};

/** Mappings of all tools but `unmapped`. */
export const TOOLS: GuardToolsOptions["tools"] = {
  delete_api: {
    operation: "apis.deleteApi",
    kind: "api",
    resource: ({ apiId }) => {
      const changes = APIS[String(apiId)];
      return changes === undefined ? undefined : ask("apis.deleteApi", changes).resource;
    },
  },
  get_api: {
    operation: "apis.getApi",
    kind: "api",
    resource: ({ apiId }) => ask("apis.getApi", { resourceId: String(apiId) }).resource,
  },
  rename_api: { operation: "apis.renameApi", kind: "api", resource: () => ask("apis.getApi").resource },
  late: { operation: "apis.getApi", kind: "api", resource: () => ask("apis.getApi").resource },
};

export type Version = 1 | 2;

/** A guarded server: `delete_api`, `get_api`, `rename_api` and `unmapped` are registered before the guard, `late` after. */
export function guarded(
  version: Version,
  ran: Ran,
  changes: Changes | (() => Changes),
  options: Partial<GuardToolsOptions> = {},
) {
  const server =
    version === 1 ? new McpServer1({ name: "s", version: "1" }) : new McpServer2({ name: "s", version: "1" });
  const register = (name: string) => {
    const config = {
      description: name,
      inputSchema: z.object({ apiId: z.string() }),
      annotations: { readOnlyHint: true },
    };
    const handler = async () => {
      ran.calls.push(name);
      return { content: [{ type: "text" as const, text: `${name} ran` }] };
    };
    if (server instanceof McpServer1) server.registerTool(name, config, handler);
    else server.registerTool(name, config, handler);
  };
  for (const name of ["unmapped", "get_api", "delete_api", "rename_api"]) register(name);
  const guard: ToolGuard = guardTools(server, {
    policies: shipped,
    key: () => ask("apis.getApi", typeof changes === "function" ? changes() : changes).key,
    account: () => ask("apis.getApi").account,
    tools: TOOLS,
    ...options,
  });
  register("late");
  return { server, guard };
}
