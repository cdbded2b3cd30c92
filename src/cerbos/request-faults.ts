/**
 * Validates a CheckResources request as the server does before it reads policies, with the server's messages
 * (docs/cerbos-semantics.md §2.4).
 */

import type { CheckResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";

/** The limits of the server's `server.requestLimits`. */
export interface RequestLimits {
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
}

export const DEFAULT_LIMITS: RequestLimits = { maxActionsPerResource: 50, maxResourcesPerRequest: 50 };

/** Why a request is invalid; undefined if it is valid. */
export function requestFault(request: CheckResourcesRequest, limits: RequestLimits): string | undefined {
  return violationMessage(violations(request)) ?? limitFault(request.resources, limits);
}

/** The server's message for violations; undefined if there are none. */
export function violationMessage(violations: readonly string[]): string | undefined {
  const [first, ...others] = violations;
  if (first === undefined) return undefined;
  if (others.length === 0) return `validation error: ${first}`;
  return `validation errors:${[first, ...others].map((violation) => `\n - ${violation}`).join("")}`;
}

function violations({ principal, resources, auxData }: CheckResourcesRequest): readonly string[] {
  const found = [...principalFaults(principal)];
  if (resources.length === 0) found.push("resources: value is required");
  for (const [i, entry] of resources.entries()) found.push(...entryFaults(`resources[${i}]`, entry));
  return [...found, ...auxDataFaults(auxData)];
}

export function principalFaults(principal: CheckResourcesRequest["principal"]): readonly string[] {
  if (principal === undefined) return ["principal: value is required"];
  return [
    ...required("principal.id", principal.id),
    ...versionFaults("principal.policy_version", principal.policyVersion),
    ...listFaults("principal.roles", principal.roles),
    ...attributeFaults("principal.attr", principal.attr),
    ...scopeFaults("principal.scope", principal.scope),
  ];
}

export function auxDataFaults(auxData: CheckResourcesRequest["auxData"]): readonly string[] {
  return auxData?.jwt === undefined ? [] : required("aux_data.jwt.token", auxData.jwt.token);
}

type CheckedResourceEntry = CheckResourcesRequest["resources"][number];

function entryFaults(path: string, { actions, resource }: CheckedResourceEntry): readonly string[] {
  const listed = listFaults(`${path}.actions`, actions);
  if (resource === undefined) return [...listed, `${path}.resource: value is required`];
  return [
    ...listed,
    ...required(`${path}.resource.kind`, resource.kind),
    ...versionFaults(`${path}.resource.policy_version`, resource.policyVersion),
    ...required(`${path}.resource.id`, resource.id),
    ...attributeFaults(`${path}.resource.attr`, resource.attr),
    ...scopeFaults(`${path}.resource.scope`, resource.scope),
  ];
}

export function required(path: string, value: string): readonly string[] {
  return value === "" ? [`${path}: value is required`] : [];
}

const TOO_SHORT = "must be at least 1 characters";

export function listFaults(path: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [`${path}: value is required`];
  const repeated = new Set(items).size !== items.length ? [`${path}: repeated value must contain unique items`] : [];
  return [...repeated, ...items.flatMap((item, i) => (item === "" ? [`${path}[${i}]: ${TOO_SHORT}`] : []))];
}

export function attributeFaults(path: string, attributes: { readonly [name: string]: unknown }): readonly string[] {
  return Object.hasOwn(attributes, "") ? [`${path}[""]: ${TOO_SHORT}`] : [];
}

const VERSION = /^[\w]*$/;
const SCOPE = /^(^$|\.|[0-9a-zA-Z][\w-]*(\.\w[\w-]*)*)$/;

export function versionFaults(path: string, version: string): readonly string[] {
  return VERSION.test(version) ? [] : [`${path}: does not match regex pattern \`^[\\w]*$\``];
}

export function scopeFaults(path: string, scope: string): readonly string[] {
  if (SCOPE.test(scope)) return [];
  return [`${path}: does not match regex pattern \`^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$\``];
}

function limitFault(resources: readonly CheckedResourceEntry[], limits: RequestLimits): string | undefined {
  const { maxResourcesPerRequest } = limits;
  if (resources.length > maxResourcesPerRequest) {
    return exceeded("resources in batch", resources.length, maxResourcesPerRequest);
  }
  for (const { actions } of resources) {
    const fault = actionLimitFault(actions, limits);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function actionLimitFault(
  actions: readonly string[],
  { maxActionsPerResource }: RequestLimits,
): string | undefined {
  return actions.length > maxActionsPerResource
    ? exceeded("actions", actions.length, maxActionsPerResource)
    : undefined;
}

function exceeded(what: string, found: number, limit: number): string {
  return `number of ${what} (${found}) exceeds configured limit (${limit})`;
}
