/** Uses the service through a client with types generated from the OpenAPI document. */

import createClient from "openapi-fetch";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningServer } from "../../src/http/server.js";
import type { Store } from "../../src/store/store.js";
import { openNewPglite } from "../support/databases.js";
import { serverFor } from "../support/server.js";
import { testService } from "../support/service.js";
import { newAccount, type World } from "../support/world.js";
import type { paths } from "./api.js";

let store: Store;
let server: RunningServer;
let world: World;
beforeAll(async () => {
  store = await openNewPglite();
  world = await newAccount(store);
  server = await serverFor(await testService(store));
});
afterAll(async () => {
  await server.close(1_000);
  await store.close();
});

const clientOf = (key: string) =>
  createClient<paths>({ baseUrl: server.baseUrl, headers: { authorization: `Bearer ${key}` } });

test("from a workspace to a key and back, by the types alone", async () => {
  const client = clientOf(world.admin.secret);
  const workspace = await client.POST("/v2/workspaces.createWorkspace", {
    body: { name: "By a client", environment: "production" },
  });
  const workspaceId = workspace.data?.data.workspaceId ?? "";
  const api = await client.POST("/v2/apis.createApi", { body: { workspaceId, name: "Billing", state: "active" } });
  const apiId = api.data?.data.apiId ?? "";
  expect(api.data?.data).toMatchObject({ state: "active", keyCount: 0, deleteProtection: false });
  const made = await client.POST("/v1/keys.createKey", { body: { apiId, name: "Reader", roles: ["viewer"] } });
  const { keyId = "", key = "" } = made.data?.data ?? {};
  const own = await clientOf(key).POST("/v2/keys.whoami", { body: {} });
  expect(own.data?.data).toMatchObject({ keyId, roles: ["viewer"] });
  const may = { operation: "apis.deleteApi", apiId } as const;
  const verified = await client.POST("/v2/keys.verifyKey", { body: { key, may } });
  expect(verified.data?.data).toMatchObject({ valid: true, code: "valid", keyId, outcome: expect.any(String) });
  await client.POST("/v2/keys.deleteKey", { body: { keyId } });
  const gone = await client.POST("/v2/apis.deleteApi", { body: { apiId } });
  expect(gone.response.status).toBe(200);
});

test("errors have a type as well", async () => {
  const { data, error } = await clientOf(world.admin.secret).POST("/v2/apis.deleteApi", {
    body: { apiId: world.system },
  });
  expect(data).toBeUndefined();
  // The type declares an error envelope for every status.
  const told: { status: number; type: string } | undefined = error?.error;
  expect(told?.type.split("/").at(-1)).toBe("forbidden");
  const ready = await clientOf("").GET("/readyz");
  expect(ready.data?.policies.refused).toBe(false);
});

test("what the document does not have does not compile", async () => {
  const client = clientOf(world.admin.secret);
  // @ts-expect-error: an API has an id.
  const missing = await client.POST("/v2/apis.getApi", { body: {} });
  // @ts-expect-error: there is no such state.
  const wrong = await client.POST("/v2/apis.updateApi", { body: { apiId: world.active, state: "deleting" } });
  expect([missing.response.status, wrong.response.status]).toEqual([400, 400]);
});
