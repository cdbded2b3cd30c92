/** PlanResources of the server's API, answered in process: from its request message to its response message. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type PlanResourcesFilter_Expression_OperandSchema,
  PlanResourcesFilter_Kind,
} from "@cerbos/api/cerbos/engine/v1/engine_pb";
import type { PlanResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";
import { type PlanResourcesResponse, PlanResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import type { QueryFilter, QueryOperand } from "../engine/query/operand.js";
import { type NoPlan, planQuery, type QueryInput, type QueryPlan } from "../engine/query/plan-query.js";
import { type CheckContext, principalOf, resourceOf, SOURCES } from "./check-resources.js";
import { toValue } from "./protobuf-json.js";

/** Answers a valid request (see `plan-request-faults.ts`), or tells why there is no query plan. */
export function planResources(
  engine: CheckEngine,
  request: PlanResourcesRequest,
  context: CheckContext,
): PlanResourcesResponse | NoPlan {
  const plan = planQuery(engine.policies, inputOf(request, context), engine.options);
  return "fault" in plan ? plan : responseOf(request, plan, context);
}

function inputOf(request: PlanResourcesRequest, { now, jwt, jwts }: CheckContext): QueryInput {
  return {
    principal: principalOf(request.principal),
    resource: resourceOf(request.resource),
    actions: actionsOf(request),
    jwt,
    jwts,
    now,
  };
}

/** `action` is the older field, for a single action. */
function actionsOf({ action, actions }: PlanResourcesRequest): readonly string[] {
  return action === "" ? actions : [action];
}

function responseOf(
  request: PlanResourcesRequest,
  { filter, text, scopes, validationErrors }: QueryPlan,
  { callId }: CheckContext,
): PlanResourcesResponse {
  const { requestId, action, actions, resource, includeMeta } = request;
  const byAction = { matchedScopes: Object.fromEntries(scopes ?? []) };
  const matched = action === "" ? byAction : { matchedScope: scopes?.get(action) ?? "" };
  return create(PlanResourcesResponseSchema, {
    requestId,
    action,
    actions,
    resourceKind: resource?.kind ?? "",
    policyVersion: resource?.policyVersion ?? "",
    filter: messageOf(filter),
    cerbosCallId: callId,
    validationErrors: validationErrors.map((error) => ({ ...error, source: SOURCES[error.source] })),
    ...(includeMeta ? { meta: { filterDebug: text, ...matched } } : {}),
  });
}

const KINDS = {
  always_allowed: PlanResourcesFilter_Kind.ALWAYS_ALLOWED,
  always_denied: PlanResourcesFilter_Kind.ALWAYS_DENIED,
  conditional: PlanResourcesFilter_Kind.CONDITIONAL,
} as const;

function messageOf(filter: QueryFilter) {
  const kind = KINDS[filter.kind];
  return filter.kind === "conditional" ? { kind, condition: operandOf(filter.condition) } : { kind };
}

type OperandInit = MessageInitShape<typeof PlanResourcesFilter_Expression_OperandSchema>;

function operandOf(operand: QueryOperand): OperandInit {
  if ("variable" in operand) return { node: { case: "variable", value: operand.variable } };
  if ("value" in operand) return { node: { case: "value", value: toValue(operand.value) } };
  const { operator, operands } = operand.expression;
  return { node: { case: "expression", value: { operator, operands: operands.map(operandOf) } } };
}
