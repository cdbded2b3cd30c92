/** What the server refuses of a CheckResources request before it looks at a policy (reference §2.4). */

import type { CheckResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";
import { OPTIONAL_VERSION, SCOPE } from "../policy/names.js";

/** As in the server's `server.requestLimits`. */
export interface RequestLimits {
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
}

export const DEFAULT_LIMITS: RequestLimits = { maxActionsPerResource: 50, maxResourcesPerRequest: 50 };

const SCOPE_PATTERN = new RegExp(SCOPE);
const VERSION_PATTERN = new RegExp(OPTIONAL_VERSION);

/** Why a request is not valid; undefined if it is. */
export function requestFault(request: CheckResourcesRequest, limits: RequestLimits): string | undefined {
  const { principal, resources, auxData } = request;
  if (principal === undefined) return "principal: value is required";
  if (principal.id === "") return "principal.id: value is required";
  const roles = listFault("principal.roles", principal.roles);
  if (roles !== undefined) return roles;
  if ("" in principal.attr) return "principal.attr: keys must not be empty";
  const place = placeFault("principal", principal);
  if (place !== undefined) return place;
  if (resources.length === 0) return "resources: value is required";
  if (resources.length > limits.maxResourcesPerRequest) {
    return `number of resources in batch exceeds configured limit of ${limits.maxResourcesPerRequest}`;
  }
  for (const [i, entry] of resources.entries()) {
    const fault = entryFault(`resources[${i}]`, entry, limits);
    if (fault !== undefined) return fault;
  }
  return auxData?.jwt?.token === "" ? "auxData.jwt.token: value is required" : undefined;
}

function entryFault(
  path: string,
  { actions, resource }: CheckResourcesRequest["resources"][number],
  limits: RequestLimits,
): string | undefined {
  if (resource === undefined) return `${path}.resource: value is required`;
  if (resource.kind === "") return `${path}.resource.kind: value is required`;
  if (resource.id === "") return `${path}.resource.id: value is required`;
  if ("" in resource.attr) return `${path}.resource.attr: keys must not be empty`;
  const place = placeFault(`${path}.resource`, resource);
  if (place !== undefined) return place;
  const fault = listFault(`${path}.actions`, actions);
  if (fault !== undefined) return fault;
  return actions.length > limits.maxActionsPerResource
    ? `number of actions per resource exceeds configured limit of ${limits.maxActionsPerResource}`
    : undefined;
}

function placeFault(
  path: string,
  { policyVersion, scope }: { readonly policyVersion: string; readonly scope: string },
): string | undefined {
  if (!VERSION_PATTERN.test(policyVersion)) return `${path}.policyVersion: not the version of a policy`;
  if (!SCOPE_PATTERN.test(scope)) return `${path}.scope: not a scope`;
  return undefined;
}

function listFault(path: string, items: readonly string[]): string | undefined {
  if (items.length === 0) return `${path}: must contain at least 1 item`;
  if (items.includes("")) return `${path}: items must not be empty`;
  if (new Set(items).size !== items.length) return `${path}: must contain unique items`;
  return undefined;
}
