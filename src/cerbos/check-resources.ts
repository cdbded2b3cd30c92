/** CheckResources: the request and response messages of the server's API, answered in process. */

import { create } from "@bufbuild/protobuf";
import { Effect } from "@cerbos/api/cerbos/effect/v1/effect_pb";
import type { CheckResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";
import { type CheckResourcesResponse, CheckResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import { ValidationError_Source } from "@cerbos/api/cerbos/schema/v1/schema_pb";
import type { JsonMap, Timestamp } from "../cel/values.js";
import { check } from "../engine/evaluate/check.js";
import type { CheckInput, CheckResult } from "../engine/evaluate/check-types.js";
import type { CheckEngine } from "./engine.js";
import { fromFields, toValue } from "./protobuf-json.js";

/** What a request does not say by itself. */
export interface CheckContext {
  /** One clock value for the whole request. */
  readonly now: Timestamp;
  /** The claims of the request's token; empty if it has none. */
  readonly jwt: JsonMap;
  readonly callId: string;
}

/** Answers a valid request (see `request-faults.ts`). */
export function checkResources(
  { policies, options }: CheckEngine,
  request: CheckResourcesRequest,
  context: CheckContext,
): CheckResourcesResponse {
  const results = request.resources.map((entry) => {
    const input = inputOf(request, entry, context);
    return resultEntry(input, check(policies, input, options), request.includeMeta);
  });
  return create(CheckResourcesResponseSchema, { requestId: request.requestId, cerbosCallId: context.callId, results });
}

function inputOf(
  { principal }: CheckResourcesRequest,
  { resource, actions }: CheckResourcesRequest["resources"][number],
  { now, jwt }: CheckContext,
): CheckInput {
  return {
    principal: {
      id: principal?.id ?? "",
      roles: principal?.roles ?? [],
      attr: fromFields(principal?.attr ?? {}),
      policyVersion: principal?.policyVersion ?? "",
      scope: principal?.scope ?? "",
    },
    resource: {
      kind: resource?.kind ?? "",
      id: resource?.id ?? "",
      attr: fromFields(resource?.attr ?? {}),
      policyVersion: resource?.policyVersion ?? "",
      scope: resource?.scope ?? "",
    },
    actions,
    jwt,
    now,
  };
}

const EFFECTS = { allow: Effect.ALLOW, deny: Effect.DENY } as const;
const SOURCES = { principal: ValidationError_Source.PRINCIPAL, resource: ValidationError_Source.RESOURCE } as const;

function resultEntry({ resource }: CheckInput, result: CheckResult, includeMeta: boolean) {
  const { id, kind, policyVersion, scope } = resource;
  const entries = [...result.actions];
  const meta = {
    actions: Object.fromEntries(
      entries.map(([action, found]) => [action, { matchedPolicy: found.policy, matchedScope: found.scope }]),
    ),
    effectiveDerivedRoles: [...result.effectiveDerivedRoles],
  };
  return {
    resource: { id, kind, policyVersion, scope },
    actions: Object.fromEntries(entries.map(([action, { effect }]) => [action, EFFECTS[effect]])),
    validationErrors: result.validationErrors.map((error) => ({ ...error, source: SOURCES[error.source] })),
    outputs: result.outputs.map(({ src, action, val }) => ({ src, action, val: toValue(val) })),
    ...(includeMeta ? { meta } : {}),
  };
}
