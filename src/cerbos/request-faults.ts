/**
 * What the server refuses of a CheckResources request before it looks at a policy, in its words
 * (docs/cerbos-semantics.md §2.4).
 */

import type { CheckResourcesRequest } from "@cerbos/api/cerbos/request/v1/request_pb";

/** As in the server's `server.requestLimits`. */
export interface RequestLimits {
  readonly maxActionsPerResource: number;
  readonly maxResourcesPerRequest: number;
}

export const DEFAULT_LIMITS: RequestLimits = { maxActionsPerResource: 50, maxResourcesPerRequest: 50 };

/** Why a request is not valid; undefined if it is. */
export function requestFault(request: CheckResourcesRequest, limits: RequestLimits): string | undefined {
  const [first, ...others] = violations(request);
  if (first === undefined) return limitFault(request.resources, limits);
  if (others.length === 0) return `validation error: ${first}`;
  return `validation errors:${[first, ...others].map((violation) => `\n - ${violation}`).join("")}`;
}

function violations({ principal, resources, auxData }: CheckResourcesRequest): readonly string[] {
  const found: string[] = [];
  if (principal === undefined) found.push("principal: value is required");
  else {
    found.push(...required("principal.id", principal.id));
    found.push(...versionFaults("principal.policy_version", principal.policyVersion));
    found.push(...listFaults("principal.roles", principal.roles));
    found.push(...attributeFaults("principal.attr", principal.attr));
    found.push(...scopeFaults("principal.scope", principal.scope));
  }
  if (resources.length === 0) found.push("resources: value is required");
  for (const [i, entry] of resources.entries()) found.push(...entryFaults(`resources[${i}]`, entry));
  if (auxData?.jwt !== undefined) found.push(...required("aux_data.jwt.token", auxData.jwt.token));
  return found;
}

type Entry = CheckResourcesRequest["resources"][number];

function entryFaults(path: string, { actions, resource }: Entry): readonly string[] {
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

function required(path: string, value: string): readonly string[] {
  return value === "" ? [`${path}: value is required`] : [];
}

const TOO_SHORT = "must be at least 1 characters";

function listFaults(path: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [`${path}: value is required`];
  const repeated = new Set(items).size !== items.length ? [`${path}: repeated value must contain unique items`] : [];
  return [...repeated, ...items.flatMap((item, i) => (item === "" ? [`${path}[${i}]: ${TOO_SHORT}`] : []))];
}

function attributeFaults(path: string, attributes: { readonly [name: string]: unknown }): readonly string[] {
  return Object.hasOwn(attributes, "") ? [`${path}[""]: ${TOO_SHORT}`] : [];
}

const VERSION = /^[\w]*$/;
const SCOPE = /^(^$|\.|[0-9a-zA-Z][\w-]*(\.\w[\w-]*)*)$/;

function versionFaults(path: string, version: string): readonly string[] {
  return VERSION.test(version) ? [] : [`${path}: does not match regex pattern \`^[\\w]*$\``];
}

function scopeFaults(path: string, scope: string): readonly string[] {
  if (SCOPE.test(scope)) return [];
  return [`${path}: does not match regex pattern \`^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$\``];
}

function limitFault(
  resources: readonly Entry[],
  { maxActionsPerResource, maxResourcesPerRequest }: RequestLimits,
): string | undefined {
  const exceeded = (what: string, found: number, limit: number) =>
    `number of ${what} (${found}) exceeds configured limit (${limit})`;
  if (resources.length > maxResourcesPerRequest) {
    return exceeded("resources in batch", resources.length, maxResourcesPerRequest);
  }
  const entry = resources.find(({ actions }) => actions.length > maxActionsPerResource);
  return entry === undefined ? undefined : exceeded("actions", entry.actions.length, maxActionsPerResource);
}
