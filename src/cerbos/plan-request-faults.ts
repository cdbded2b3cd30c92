/** Validates a PlanResources request as the server does before it reads policies, with the server's messages. */

import type { PlanResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";
import {
  actionLimitFault,
  attributeFaults,
  auxDataFaults,
  listFaults,
  principalFaults,
  type RequestLimits,
  required,
  scopeFaults,
  versionFaults,
  violationMessage,
} from "./request-faults.js";

/** The API's own limit on actions, independent of the configured limits. */
const MAX_ACTIONS = 20;

/** Why a request is invalid; undefined if it is valid. */
export function planRequestFault(request: PlanResourcesRequest, limits: RequestLimits): string | undefined {
  return violationMessage(violations(request)) ?? actionLimitFault(request.actions, limits);
}

function violations({ action, actions, principal, resource, auxData }: PlanResourcesRequest): readonly string[] {
  const found: string[] = [];
  if ((action === "") === (actions.length === 0)) {
    found.push("Exactly one of 'action' or 'actions' field must be set");
  }
  found.push(...principalFaults(principal));
  if (resource === undefined) found.push("resource: value is required");
  else {
    found.push(
      ...required("resource.kind", resource.kind),
      ...attributeFaults("resource.attr", resource.attr),
      ...versionFaults("resource.policy_version", resource.policyVersion),
      ...scopeFaults("resource.scope", resource.scope),
    );
  }
  found.push(...auxDataFaults(auxData));
  if (actions.length > MAX_ACTIONS) found.push(`actions: must contain no more than ${MAX_ACTIONS} item(s)`);
  if (actions.length > 0) found.push(...listFaults("actions", actions));
  return found;
}
