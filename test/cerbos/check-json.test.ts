/** The JSON of plain results, which is written without messages, is that of the messages. */

import { fromJson, toJson } from "@bufbuild/protobuf";
import { CheckResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import { CheckResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import { expect, test } from "vitest";
import { timestampAt } from "../../src/cel/time.js";
import { checkResources, checkResourcesJson } from "../../src/cerbos/check-resources.js";
import { compileCheckEngineOrThrow } from "../../src/cerbos/index.js";
import { shippedFiles } from "../support/policies.js";

const engine = compileCheckEngineOrThrow(shippedFiles);
const RESOURCE = { kind: "api", id: "api_1", attr: { accountId: "a", workspaceId: "w", environment: "production" } };
const PRINCIPAL = {
  id: "k",
  roles: ["viewer"],
  attr: { accountId: "a", workspaceIds: ["*"], environment: "production", permissions: [] },
};

test.each([
  [{ requestId: "r" }, "call", {}],
  [{}, "", {}],
  [{ requestId: "r" }, "call", { policyVersion: "default" }],
  [{ requestId: "r" }, "call", { policyVersion: "other", scope: "a.b" }],
])("%j %j %j", (fields, callId, place) => {
  const actions = ["apis.getApi", "apis.deleteApi", "__proto__"];
  const resources = [
    { actions, resource: { ...RESOURCE, ...place } },
    { actions: ["keys.getKey"], resource: { ...RESOURCE, kind: "key", ...place } },
  ];
  const request = fromJson(CheckResourcesRequestSchema, { ...fields, principal: PRINCIPAL, resources });
  const context = { now: timestampAt(0), jwt: {}, jwts: {}, callId };
  const response = toJson(CheckResourcesResponseSchema, checkResources(engine, request, context));
  expect(JSON.stringify(checkResourcesJson(engine, request, context))).toBe(JSON.stringify(response));
});
