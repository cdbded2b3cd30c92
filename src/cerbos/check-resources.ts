/** CheckResources of the server's API, answered in process: from its request message to its response message. */

import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import { Effect } from "@cerbos/api/cerbos/effect/v1/effect_pb";
import type { Resource } from "@cerbos/api/cerbos/engine/v1/engine_pb";
import type { CheckResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";
import { type CheckResourcesResponse, CheckResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import { ValidationError_Source } from "@cerbos/api/cerbos/schema/v1/schema_pb";
import type { JsonMap, Timestamp } from "../cel/values.js";
import { check } from "../engine/evaluate/check.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import type { CheckInput, CheckResult } from "../engine/evaluate/check-types.js";
import { fromFields, toValue } from "./protobuf-json.js";

/** The inputs of an answer that the request message lacks. */
export interface CheckContext {
  /** The time of the whole request. */
  readonly now: Timestamp;
  /** The claims of the request's token; empty if it has none. */
  readonly jwt: JsonMap;
  /** The claims of its named tokens: `{ name: { claims } }`. */
  readonly jwts: JsonMap;
  readonly callId: string;
}

/** Answers a valid request (see `request-faults.ts`). */
export function checkResources(
  engine: CheckEngine,
  request: CheckResourcesRequest,
  context: CheckContext,
): CheckResourcesResponse {
  return responseOf(request, checkedAll(engine, request, context), context);
}

/**
 * The answer as the JSON of the server's HTTP API. It includes the errors of outputs without a value, for which the
 * messages of `@cerbos/api` have no field yet.
 */
export function checkResourcesJson(
  engine: CheckEngine,
  request: CheckResourcesRequest,
  context: CheckContext,
): JsonObject {
  const checked = checkedAll(engine, request, context);
  if (!request.includeMeta && checked.every(isPlain)) return plainJson(request, checked, context);
  const response = toJson(CheckResourcesResponseSchema, responseOf(request, checked, context));
  const results = (response.results ?? []).map((result, i) => {
    const errors = checked[i]?.result.outputs.map(({ error }) => error) ?? [];
    const { outputs } = result;
    if (outputs === undefined) return { ...result };
    return {
      ...result,
      outputs: outputs.map((output, j) => ({ ...output, ...(errors[j] === undefined ? {} : { error: errors[j] }) })),
    };
  });
  return JSON.parse(JSON.stringify({ ...response, ...(results.length === 0 ? {} : { results }) }));
}

/** True if a result has effects alone. */
function isPlain({ result: { validationErrors, outputs } }: Checked): boolean {
  return validationErrors.length === 0 && outputs.length === 0;
}

const EFFECT_NAMES = { allow: "EFFECT_ALLOW", deny: "EFFECT_DENY" } as const;

/** The JSON of plain results, without their messages: those cost as much as the checks. Empty texts are left out. */
function plainJson(
  { requestId }: CheckResourcesRequest,
  checked: readonly Checked[],
  { callId }: CheckContext,
): JsonObject {
  const results = checked.map(({ input: { resource }, result }) => {
    const { id, kind, policyVersion, scope } = resource;
    const place = { ...(policyVersion === "" ? {} : { policyVersion }), ...(scope === "" ? {} : { scope }) };
    const actions: readonly (readonly [string, string])[] = [...result.actions].map(([action, { effect }]) => [
      action,
      EFFECT_NAMES[effect],
    ]);
    return { resource: { id, kind, ...place }, actions: Object.fromEntries(actions) };
  });
  return {
    ...(requestId === "" ? {} : { requestId }),
    results,
    ...(callId === "" ? {} : { cerbosCallId: callId }),
  };
}

interface Checked {
  readonly input: CheckInput;
  readonly result: CheckResult;
}

function checkedAll(
  { policies, options }: CheckEngine,
  request: CheckResourcesRequest,
  context: CheckContext,
): readonly Checked[] {
  return request.resources.map((entry) => {
    const input = inputOf(request, entry, context);
    return { input, result: check(policies, input, options) };
  });
}

function responseOf(
  { requestId, includeMeta }: CheckResourcesRequest,
  checked: readonly Checked[],
  { callId }: CheckContext,
): CheckResourcesResponse {
  const results = checked.map(({ input, result }) => resultEntry(input, result, includeMeta));
  return create(CheckResourcesResponseSchema, { requestId, cerbosCallId: callId, results });
}

function inputOf(
  { principal }: CheckResourcesRequest,
  { resource, actions }: CheckResourcesRequest["resources"][number],
  { now, jwt, jwts }: CheckContext,
): CheckInput {
  return {
    principal: principalOf(principal),
    resource: { id: resource?.id ?? "", ...resourceOf(resource) },
    actions,
    jwt,
    jwts,
    now,
  };
}

/** The principal of a message, as the engine reads it. Absent fields are empty. */
export function principalOf(principal: CheckResourcesRequest["principal"]): CheckInput["principal"] {
  const { id = "", roles = [], attr = {}, policyVersion = "", scope = "" } = principal ?? {};
  return { id, roles, attr: fromFields(attr), policyVersion, scope };
}

/** The resource of a message, in the same way but without its id, which plans lack. */
export function resourceOf(
  resource: Pick<Resource, "kind" | "attr" | "policyVersion" | "scope"> | undefined,
): Omit<CheckInput["resource"], "id"> {
  const { kind = "", attr = {}, policyVersion = "", scope = "" } = resource ?? {};
  return { kind, attr: fromFields(attr), policyVersion, scope };
}

const EFFECTS = { allow: Effect.ALLOW, deny: Effect.DENY } as const;
export const SOURCES = {
  principal: ValidationError_Source.PRINCIPAL,
  resource: ValidationError_Source.RESOURCE,
} as const;

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
    outputs: result.outputs.map(({ src, action, val }) => ({
      src,
      action,
      ...(val === undefined ? {} : { val: toValue(val) }),
    })),
    ...(includeMeta ? { meta } : {}),
  };
}
