/**
 * `keyward/mcp`: decisions on the tools of MCP servers, of `@modelcontextprotocol/sdk` 1.x and
 * `@modelcontextprotocol/server` 2.x. It needs neither package, and nothing of Node.
 */

export { type GuardToolsOptions, guardTools, type ToolGuard } from "./guard-tools.js";
export type { GuardedServer } from "./mcp-server.js";
export { type MethodTable, PROTOCOL_METHODS } from "./methods.js";
export type { ToolArguments, ToolMapping } from "./tool-decisions.js";
