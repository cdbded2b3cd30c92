/** An MCP server over the key-management service. The guard decides on each tool by the service's policies. */

import { authenticate, credentialsOf } from "@keyward/service/dist/auth/authenticate.js";
import { accountOf, apiResource, principalOf } from "@keyward/service/dist/operations/resources.js";
import { SNAPSHOTS } from "@keyward/service/dist/store/snapshots.js";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { guardTools } from "keyward/mcp";
import { z } from "zod";

const apiId = z.string();

/** Each tool performs an operation of the service, on an API. */
const TOOLS = {
  get_api: { operation: "apis.getApi", path: "/v2/apis.getApi", input: z.object({ apiId }) },
  delete_api: { operation: "apis.deleteApi", path: "/v2/apis.deleteApi", input: z.object({ apiId }) },
  create_key: {
    operation: "keys.createKey",
    path: "/v1/keys.createKey",
    input: z.object({ apiId, name: z.string(), permissions: z.array(z.string()).default([]) }),
  },
};

/** Answers requests to `/mcp`. `store` and `policies` are those of the service at `baseUrl`. */
export function keyServer({ baseUrl, store, policies }) {
  /** The key that a secret proves, its account, and an API of that account. Throws 401 for an unknown secret. */
  const snapshot = async (credentials, id = "") => {
    const [row] = await store.run(SNAPSHOTS.api, [credentials.prefix, id]);
    const caller = authenticate(credentials, row?.caller);
    return { caller, account: row.account, api: row.target ?? undefined };
  };
  /** The credentials of the request that a tool is called in. */
  const ofCaller = ({ http }) => http.authInfo.extra.credentials;

  const guarded = () => {
    const server = new McpServer({ name: "key-management", version: "1.0.0" });
    for (const [name, { path, operation, input }] of Object.entries(TOOLS)) {
      server.registerTool(name, { description: `Performs ${operation}.`, inputSchema: input }, (args, context) =>
        answerOf(baseUrl + path, ofCaller(context).secret, args),
      );
    }
    guardTools(server, {
      policies,
      key: async (context) => principalOf((await snapshot(ofCaller(context))).caller),
      account: async (context) => accountOf((await snapshot(ofCaller(context))).account),
      tools: Object.fromEntries(
        Object.entries(TOOLS).map(([name, { operation }]) => [
          name,
          {
            operation,
            kind: "api",
            resource: async (args, context) => {
              const { api } = await snapshot(ofCaller(context), args.apiId);
              return api && apiResource(api);
            },
          },
        ]),
      ),
      // A key is told the permission for a tool that it cannot use. Hiding such tools is the default.
      unlisted: "decide",
    });
    return server;
  };

  const handler = createMcpHandler(guarded);
  return async (request) => {
    const credentials = credentialsOf(request.headers);
    try {
      const { caller } = await snapshot(credentials);
      const authInfo = { token: "", clientId: caller.id, scopes: [], extra: { credentials } };
      return await handler.fetch(request, { authInfo });
    } catch {
      return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
    }
  };
}

/** Calls the service with the caller's own key. It decides again, and alone decides on the powers of a new key. */
async function answerOf(url, secret, args) {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  const { data, error } = await response.json();
  if (response.ok) return { content: [{ type: "text", text: JSON.stringify(data) }] };
  const outcome = error.type.split("/").at(-1);
  const [, scope = ""] = /scope="([^"]*)"/.exec(response.headers.get("www-authenticate") ?? "") ?? [];
  return {
    isError: true,
    content: [{ type: "text", text: error.detail }],
    structuredContent: { outcome, scopes: scope.split(" ").filter(Boolean) },
  };
}
