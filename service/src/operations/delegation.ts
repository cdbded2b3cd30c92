/**
 * What a key may pass on: nothing that it may not do itself. Otherwise whoever may create keys could make one that may do
 * everything.
 *
 * The policies say what a key may do, so they are asked: for each operation, on each resource that the new grant could
 * tell apart from others, what the new key may do its maker must be allowed to do too. A resource with the id `*` stands
 * for every resource of its kind: `api.*.read_api` covers it, `api.api_1.read_api` does not.
 */

import type { DecisionRequest } from "keyward";
import type { Caller } from "../auth/authenticate.js";
import { Refused } from "../http/refused.js";
import type { Call } from "./operation.js";
import { apiResource, keyResource, principalOf, workspaceResource } from "./resources.js";

type Probe = Pick<DecisionRequest, "operation" | "resource">;

/**
 * Throws a refusal (`insufficient_permissions`: a key with more permissions can do it) if `after` may do anything that
 * neither `before`, the same key until now, nor the caller may.
 */
export function requireMayGrant(call: Call, after: Caller, before?: Caller): void {
  for (const probe of probesFor(after)) {
    const may = (key: Caller) => call.permits({ key: principalOf(key), ...probe });
    if (!may(after) || (before !== undefined && may(before)) || may(call.caller)) continue;
    throw new Refused({ outcome: "insufficient_permissions" });
  }
}

const ANY = "*";

/** Every question whose answer the roles, permissions and reach of a key can change. */
function probesFor({ key, environment }: Caller): readonly Probe[] {
  // The role custom gives nothing.
  if (key.permissions.length === 0 && key.roles.every((role) => role === "custom")) return [];
  const named = (kind: string) => [ANY, ...idsIn(key.permissions, kind)];
  const place = { accountId: key.accountId, environment };
  const workspaces = [...new Set([...key.workspaceIds, ...named("workspace")])].map((id) =>
    workspaceResource({ workspace: { ...WORKSPACE, ...place, id } }),
  );
  const inWorkspaces = key.workspaceIds.flatMap((workspaceId) => {
    const apis = named("api").map((id) => apiResource({ environment, api: { ...API, ...place, id, workspaceId } }));
    // A permission for an API covers the keys in it.
    const targets = [
      ...named("api").map((apiId) => ({ id: ANY, apiId })),
      ...named("key").map((id) => ({ id, apiId: ANY })),
    ];
    const keys = targets.map((target) =>
      keyResource({ workspaceId, environment, key: { ...KEY, ...place, ...target } }),
    );
    return [...on(ON_APIS, apis), ...on(ON_KEYS, keys)];
  });
  return [...on(ON_WORKSPACES, workspaces), ...inWorkspaces];
}

const ON_WORKSPACES = ["workspaces.createWorkspace", "apis.createApi"];
const ON_APIS = ["apis.getApi", "apis.listKeys", "apis.updateApi", "apis.deleteApi", "keys.createKey"];
const ON_KEYS = ["keys.getKey", "keys.updateKey", "keys.deleteKey"];

function on(operations: readonly string[], resources: readonly Probe["resource"][]): readonly Probe[] {
  return operations.flatMap((operation) => resources.map((resource) => ({ operation, resource })));
}

/** The ids of a kind that permissions name. */
function idsIn(permissions: readonly string[], kind: string): readonly string[] {
  return permissions.flatMap((permission) => {
    const [type, id] = permission.split(".");
    return type === kind && id !== undefined && id !== ANY ? [id] : [];
  });
}

/** What permission policies do not look at; of the right types, for those that might. */
const COMMON = { name: "", createdAt: new Date(0) } as const;
const WORKSPACE = { ...COMMON, state: "active" } as const;
const API = { ...COMMON, system: false, deleteProtection: false, state: "active", keyCount: 0 } as const;
const KEY = {
  ...COMMON,
  position: 0,
  prefix: "",
  hash: "",
  roles: [],
  permissions: [],
  workspaceIds: [],
  state: "enabled",
  system: false,
  expiresAt: null,
} satisfies Partial<Caller["key"]>;
