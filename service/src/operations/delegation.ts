/**
 * Delegation: a key may pass on only powers that it has itself. Otherwise a key that may create keys could create one
 * that may do everything.
 *
 * The policies say what a key may do, so they are asked: for each operation, on each resource that the new grant could
 * tell apart from others. Where the new key is allowed, its maker must be allowed too. A resource with the id `*`
 * stands for every resource of its kind: `api.*.read_api` covers it, `api.api_1.read_api` does not.
 */

import type { DecisionRequest } from "keyward";
import type { KeyPowers } from "../store/rows.js";
import { ENVIRONMENTS } from "../store/schema.js";
import { apiResource, keyResource, workspaceResource } from "./resources.js";

export type Probe = Pick<DecisionRequest, "operation" | "resource">;

/**
 * A request that `after` may make, but neither `before` (the same key until now) nor `maker` may; undefined if there is
 * no such request. `permits` asks the permission layer.
 */
export function findExceedingPower(
  permits: (holder: KeyPowers, probe: Probe) => boolean,
  maker: KeyPowers,
  { after, before }: { readonly after: KeyPowers; readonly before?: KeyPowers },
): Probe | undefined {
  return probesFor(after).find(
    (probe) => permits(after, probe) && !(before !== undefined && permits(before, probe)) && !permits(maker, probe),
  );
}

const ANY = "*";

/**
 * Every request with an answer that the roles, permissions and reach of a key can change. The requests vary the
 * operation, the id, and the attributes in {@link VARIED}.
 */
function probesFor(key: KeyPowers): readonly Probe[] {
  const named = (kind: string) => [ANY, ...idsIn(key.permissions, kind)];
  const reached = [...new Set([...key.workspaceIds, ANY])];
  return ENVIRONMENTS.flatMap((environment) => {
    const place = { accountId: key.accountId, environment };
    const workspaces = [...new Set([...reached, ...named("workspace")])].map((id) =>
      workspaceResource({ ...WORKSPACE, ...place, id }),
    );
    const inWorkspaces = reached.flatMap((workspaceId) => {
      const apis = named("api").map((id) => apiResource({ ...API, ...place, id, workspaceId }));
      // A permission for an API covers the keys in it.
      const targets = [
        ...named("api").map((apiId) => ({ id: ANY, apiId })),
        ...named("key").map((id) => ({ id, apiId: ANY })),
      ];
      const keys = targets.map((target) => keyResource({ ...KEY, ...place, ...target, workspaceId }));
      return [...on(PROBED.api, apis), ...on(PROBED.key, keys)];
    });
    return [...on(PROBED.workspace, workspaces), ...inWorkspaces];
  });
}

/** The operations that the service decides on, by the kind of their resources. */
export const PROBED = {
  workspace: ["workspaces.createWorkspace", "apis.createApi", "apis.listApis"],
  api: ["apis.getApi", "apis.listKeys", "apis.updateApi", "apis.deleteApi", "keys.createKey"],
  key: ["keys.getKey", "keys.verifyKey", "keys.updateKey", "keys.revokeKey", "keys.deleteKey", "keys.removeLastAdmin"],
} as const;

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

/**
 * The attributes of resources that the requests vary. The account is the key's own, as the service looks up no other.
 * All other attributes have fixed values. A permission rule that reads one of them could tell resources apart that no
 * request here does, so `policies/requirements.ts` refuses such a rule.
 */
export const VARIED: ReadonlySet<string> = new Set(["accountId", "environment", "workspaceId", "apiId"]);

const WORKSPACE = { state: "active" } as const;
const API = {
  ...{ name: "", system: false, deleteProtection: false, keyCount: 0, createdAt: 0 },
  ...({ state: "active", containerSuspended: false } as const),
};
const KEY = { state: "enabled", containerSuspended: false, system: false } as const;
