/**
 * The OpenAPI document is valid, and the service's answers conform to it.
 *
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../test/support/size.js";
import { requestLimits } from "../../src/http/rate-limit.js";
import { OPERATIONS, pathOf } from "../../src/operations/index.js";
import { StoreUnavailable } from "../../src/store/faults.js";
import type { Store } from "../../src/store/store.js";
import { openNewPglite } from "../support/databases.js";
import { almost, arbitraryFor } from "../support/from-schema.js";
import { type Answer, type TestService, testService } from "../support/service.js";
import { newAccount, type World } from "../support/world.js";

let store: Store;
let service: TestService;
let world: World;
// biome-ignore lint/suspicious/noExplicitAny: a JSON document.
let document: any;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

beforeAll(async () => {
  store = await openNewPglite();
  service = await testService(store);
  world = await newAccount(store);
  document = await (await service.app.request("/openapi.json")).json();
  ajv.addSchema(document, "openapi");
});
afterAll(() => store.close());

/** The address of an operation's response schema in the document. */
function schemaAt(path: string, status: number): string {
  const pointer = ["paths", path, "post", "responses", String(status), "content", "application/json", "schema"];
  return `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
}

function expectDescribed(path: string, answer: Answer): void {
  const validate = ajv.getSchema(schemaAt(path, answer.status));
  if (validate === undefined) throw new Error(`${path} has no response ${answer.status}`);
  expect(validate(answer.body), `${path} ${answer.status} ${JSON.stringify(validate.errors)}`).toBe(true);
  // The schema is strict: an additional field makes the answer invalid.
  expect(validate({ ...answer.body, more: 1 })).toBe(false);
}

test("it is OpenAPI 3.1, and has every operation", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths)).toEqual([...OPERATIONS.map(pathOf), "/healthz", "/readyz"]);
  expect(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).toContain('"@keyward/service"');
});

test("every operation's success is what it says", async () => {
  const seen = new Set<string>();
  const done = async (path: string, body: unknown, key = world.admin.secret) => {
    const answer = await service.call(path, key, body);
    expect([path, answer.status]).toEqual([path, 200]);
    expectDescribed(path, answer);
    seen.add(path);
    return answer.body.data;
  };
  const { workspaceId } = await done("/v2/workspaces.createWorkspace", { name: "New", environment: "production" });
  await done("/v2/workspaces.getWorkspace", { workspaceId });
  await done("/v2/workspaces.listWorkspaces", {});
  const gone = await done("/v2/workspaces.createWorkspace", { name: "Gone", environment: "production" });
  await done("/v2/workspaces.deleteWorkspace", { workspaceId: gone.workspaceId });
  const { apiId } = await done("/v2/apis.createApi", { workspaceId, name: "x", state: "active" });
  await done("/v2/apis.listApis", { workspaceId });
  await done("/v2/apis.getApi", { apiId });
  await done("/v2/apis.updateApi", { apiId, deleteProtection: false });
  const expiresAt = "2099-01-01T00:00:00+02:00";
  const one = await done("/v1/keys.createKey", { apiId, name: "x", roles: ["viewer"], expiresAt });
  const two = await done("/v1/keys.createKey", { apiId, name: "y", permissions: ["api.*.read_api"] });
  await done("/v2/apis.listKeys", { apiId, limit: 1 });
  await done("/v2/keys.getKey", { keyId: one.keyId });
  await done("/v2/keys.whoami", {}, one.key);
  await done("/v2/keys.verifyKey", { key: one.key, may: { operation: "apis.getApi", apiId } });
  await done("/v2/keys.updateKey", { keyId: one.keyId, state: "disabled", externalId: "c", meta: { tier: "gold" } });
  await done("/v2/keys.rerollKey", { keyId: one.keyId, graceSeconds: 60 });
  const { keyId: revoked } = await done("/v1/keys.createKey", { apiId, name: "z" });
  await done("/v2/keys.revokeKey", { keyId: revoked });
  for (const { keyId } of [one, two]) await done("/v2/keys.deleteKey", { keyId });
  await done("/v2/apis.deleteApi", { apiId });
  expect([...seen].sort()).toEqual(OPERATIONS.map(pathOf).sort());
});

test("every operation's errors are what it says", async () => {
  const seen = new Set<number>();
  const limited = await testService(store, { limits: requestLimits({ key: { perSecond: 0.001, burst: 1 } }) });
  await limited.call("/v2/keys.whoami", world.admin.secret, {});
  const unavailable = await testService(store, {
    store: { ...store, run: () => Promise.reject(new StoreUnavailable("none", { cause: refused() })) },
  });
  for (const path of OPERATIONS.map(pathOf)) {
    const answers = [
      await service.call(path, world.admin.secret, "{"),
      await service.call(path, world.admin.secret, { more: 1 }),
      await service.call(path, undefined, {}),
      await service.call(path, world.admin.secret, "x".repeat(70_000)),
      await limited.call(path, world.admin.secret, {}),
    ];
    for (const answer of answers) {
      expectDescribed(path, answer);
      seen.add(answer.status);
    }
  }
  const more: [string, TestService, string, unknown][] = [
    ["/v2/apis.deleteApi", service, world.viewer.secret, { apiId: world.active }],
    ["/v2/apis.deleteApi", service, world.admin.secret, { apiId: world.system }],
    ["/v2/apis.deleteApi", service, world.admin.secret, { apiId: "api_none" }],
    ["/v2/workspaces.createWorkspace", service, world.admin.secret, { name: "Production", environment: "production" }],
    ["/v2/apis.deleteApi", unavailable, world.admin.secret, { apiId: world.active }],
  ];
  for (const [path, where, key, body] of more) {
    const answer = await where.call(path, key, body);
    expectDescribed(path, answer);
    seen.add(answer.status);
  }
  expect([...seen].sort()).toEqual([400, 401, 403, 404, 409, 413, 429, 503]);
});

function refused(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
}

test("it passes the recommended rules of Redocly", async () => {
  const config = await createConfig({ extends: ["recommended"], telemetry: "off" });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test("a refusal has an example for each of its kinds, and is itself as they are", async () => {
  const { viewer, admin, active, system } = world;
  for (const { name, ...operation } of OPERATIONS) {
    const refused = document.paths[pathOf({ name, ...operation })].post.responses[403];
    if (name === "keys.whoami" || name === "workspaces.listWorkspaces") {
      expect(refused).toBeUndefined();
      continue;
    }
    const { examples } = refused.content["application/json"];
    expect(Object.keys(examples)).toEqual(["insufficient_permissions", "forbidden"]);
    for (const { value } of Object.values<{ value: unknown }>(examples)) {
      expect(ajv.getSchema(schemaAt(pathOf({ name, ...operation }), 403))?.(value)).toBe(true);
    }
  }
  const { examples } = document.paths["/v2/apis.deleteApi"].post.responses[403].content["application/json"];
  const lacking = await service.call("/v2/apis.deleteApi", viewer.secret, { apiId: active });
  const forbidden = await service.call("/v2/apis.deleteApi", admin.secret, { apiId: system });
  expect(lacking.body.error).toEqual(examples.insufficient_permissions.value.error);
  expect(forbidden.body.error).toEqual(examples.forbidden.value.error);
});

/** Faults that a JSON Schema cannot express. */
const MEANING = /: must be (in the future|workspaces of the account|the nextCursor of a page)$/;

test.each(OPERATIONS.map(pathOf))(
  "of %s the service refuses for its shape what the schema refuses, and nothing else",
  async (path) => {
    const pointer = ["paths", path, "post", "requestBody", "content", "application/json", "schema"];
    const at = pointer.map((part) => encodeURIComponent(part.replaceAll("/", "~1"))).join("/");
    const accepts = ajv.getSchema(`openapi#/${at}`);
    const resolve = (reference: string) => document.components.schemas[reference.split("/").at(-1) ?? ""];
    const schema = document.paths[path].post.requestBody.content["application/json"].schema;
    const exact = arbitraryFor(schema, resolve);
    const seen = { allowed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: exact }, almost(exact)), async (body) => {
        const allowed = accepts?.(body) === true;
        const answer = await service.call(path, world.admin.secret, body);
        const shape = answer.status === 400 && !MEANING.test(answer.body.error.detail);
        expect([body, answer.text.slice(0, 300), shape]).toEqual([body, answer.text.slice(0, 300), !allowed]);
        seen[allowed ? "allowed" : "refused"]++;
      }),
      { numRuns: sized(1_000), seed: 20_261_122 },
    );
    expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(sized(1_000) / 20);
  },
);
