/**
 * What a key may pass on: nothing that it may not do itself. Otherwise whoever may create keys could make one that may do
 * everything.
 *
 * The policies say what a key may do, so they are asked: for each operation, on each resource that the new grant could
 * tell apart from others, what the new key may do its maker must be allowed to do too. A resource with the id `*` stands
 * for every resource of its kind: `api.*.read_api` covers it, `api.api_1.read_api` does not.
 */

import type { DecisionRequest } from "keyward";
import type { Holder } from "../store/rows.js";
import { apiResource, keyResource, workspaceResource } from "./resources.js";

export type Probe = Pick<DecisionRequest, "operation" | "resource">;

/**
 * Something that `after` may do and neither `before`, the same key until now, nor `maker` may; undefined if there is
 * nothing of that kind. `permits` asks the permission layer.
 */
export function exceeding(
  permits: (holder: Holder, probe: Probe) => boolean,
  maker: Holder,
  { after, before }: { readonly after: Holder; readonly before?: Holder },
): Probe | undefined {
  return probesFor(after).find(
    (probe) => permits(after, probe) && !(before !== undefined && permits(before, probe)) && !permits(maker, probe),
  );
}

const ANY = "*";

/** Every question whose answer the roles, permissions and reach of a key can change. */
function probesFor(key: Holder): readonly Probe[] {
  // The role custom gives nothing.
  if (key.permissions.length === 0 && key.roles.every((role) => role === "custom")) return [];
  const named = (kind: string) => [ANY, ...idsIn(key.permissions, kind)];
  const { accountId, environment } = key;
  const place = { accountId, environment };
  const workspaces = [...new Set([...key.workspaceIds, ...named("workspace")])].map((id) =>
    workspaceResource({ ...place, id, state: "active" }),
  );
  const inWorkspaces = key.workspaceIds.flatMap((workspaceId) => {
    const apis = named("api").map((id) => apiResource({ ...API, ...place, id, workspaceId }));
    // A permission for an API covers the keys in it.
    const targets = [
      ...named("api").map((apiId) => ({ id: ANY, apiId })),
      ...named("key").map((id) => ({ id, apiId: ANY })),
    ];
    const keys = targets.map((target) => keyResource({ ...KEY, ...place, ...target, workspaceId }));
    return [...on(ON_APIS, apis), ...on(ON_KEYS, keys)];
  });
  return [...on(ON_WORKSPACES, workspaces), ...inWorkspaces];
}

const ON_WORKSPACES = ["workspaces.createWorkspace", "apis.createApi", "apis.listApis"];
const ON_APIS = ["apis.getApi", "apis.listKeys", "apis.updateApi", "apis.deleteApi", "keys.createKey"];
const ON_KEYS = ["keys.getKey", "keys.verifyKey", "keys.updateKey", "keys.revokeKey", "keys.deleteKey"];

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
const API = {
  ...{ name: "", system: false, deleteProtection: false, keyCount: 0, createdAt: 0 },
  ...({ state: "active", containerSuspended: false } as const),
};
const KEY = { state: "enabled", containerSuspended: false, system: false } as const;
