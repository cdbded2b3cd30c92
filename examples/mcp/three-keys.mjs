/** Three keys of the demonstration use the tools of the MCP server: each lists them, and is told to ask or to stop. */

import { once } from "node:events";
import { createServer } from "node:http";
import { devNull } from "node:os";
import { readConfig } from "@keyward/service/dist/config/config.js";
import { seedDemo } from "@keyward/service/dist/demo/seed.js";
import { createLogger } from "@keyward/service/dist/observability/logger.js";
import { startService } from "@keyward/service/dist/service.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { loadPoliciesOrThrow, shippedPolicies } from "keyward/node";
import { keyServer } from "./server.mjs";

const config = readConfig({ DEMO: "1", PORT: "0", CHALLENGES: "1", DECISION_LOG: devNull, LOG_LEVEL: "silent" });
const service = await startService(config, createLogger("silent"));
const { keys, apis, more } = await seedDemo(service.store);
const answer = keyServer({ ...service, policies: await loadPoliciesOrThrow(shippedPolicies) });

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
  const url = `http://${request.headers.host}${request.url}`;
  const answered = await answer(new Request(url, { method: request.method, headers: request.headers, ...body }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);

const remove = (apiId) => ({ name: "delete_api", arguments: { apiId } });
const create = (permissions = []) => ({
  name: "create_key",
  arguments: { apiId: apis.active, name: "made by an agent", permissions },
});
const CALLS = [
  ["delete an API", remove(more.emptyApi)],
  ["delete the system's API", remove(apis.system)],
  ["create a key", create()],
  ["create a key that may delete", create([`api.${apis.active}.delete_api`])],
];

for (const name of ["read_only", "limited", "admin"]) {
  const client = new Client({ name: "three-keys", version: "1.0.0" });
  const headers = { authorization: `Bearer ${keys[name]}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const { tools } = await client.listTools();
  print(`${name} sees ${tools.map((tool) => tool.name).join(", ")}`);
  for (const [what, call] of CALLS) {
    const said = await client.callTool(call).then(outcomeOf, refusalOf);
    print(`  ${what}: ${said.replaceAll(apis.active, "ACTIVE").replaceAll(more.emptyApi, "EMPTY")}`);
  }
  await client.close();
}
server.close();
await service.close();

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** A result: that of the tool, or of the service that decided again. */
function outcomeOf({ isError, structuredContent }) {
  return isError ? `${structuredContent.outcome}, ask for ${structuredContent.scopes.join(" ")}` : "done";
}

/** A refusal by the guard: a challenge over HTTP, or an error that says stop. */
function refusalOf({ requiredScope, data }) {
  return requiredScope === undefined ? `${data.outcome}, stop` : `insufficient_permissions, ask for ${requiredScope}`;
}
