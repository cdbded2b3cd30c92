/** Requests over the worked example. Each is allowed until it is changed. */

import type { JsonValue } from "../../src/cel/json.js";
import type { Attr, PlainRequest } from "../property/arbitraries/index.js";

export interface Changes {
  /** Default: an admin. */
  readonly roles?: readonly string[];
  readonly key?: Attributes;
  readonly resource?: Attributes;
  readonly account?: Attributes;
  readonly resourceId?: string;
  readonly accountId?: string;
}

type Attributes = { readonly [name: string]: JsonValue };

const PLACE = { accountId: "acc_1", workspaceId: "ws_1", environment: "production" };

/** A resource of each kind, in a state that allows every operation. */
const RESOURCES: { readonly [kind: string]: { readonly id: string; readonly attr: Attr } } = {
  workspace: { id: "ws_1", attr: { accountId: "acc_1", environment: "production", state: "active" } },
  api: { id: "api_1", attr: { ...PLACE, system: false, deleteProtection: false, state: "active", keyCount: 0 } },
  key: { id: "key_1", attr: { ...PLACE, apiId: "api_1", state: "enabled", system: false } },
};

const ADMIN: Attr = { accountId: "acc_1", workspaceIds: ["*"], environment: "production", permissions: [] };

const ACCOUNT: Attr = {
  plan: "pro",
  status: "active",
  limits: { apis: 10, keys: 100 },
  usage: { apis: 1, keys: 10 },
  holds: [],
};

/** The operations of the worked example, with the kind of their resource. */
export const KINDS: { readonly [operation: string]: string } = {
  "apis.createApi": "workspace",
  "workspaces.createWorkspace": "workspace",
  "workspaces.deleteWorkspace": "workspace",
  "apis.getApi": "api",
  "apis.updateApi": "api",
  "apis.deleteApi": "api",
  "apis.listKeys": "api",
  "keys.createKey": "api",
  "keys.getKey": "key",
  "keys.updateKey": "key",
  "keys.deleteKey": "key",
};

/** A request for `operation` that is allowed, apart from `changes`. An unknown operation is about an API. */
export function ask(operation: string, changes: Changes = {}): PlainRequest {
  const kind = KINDS[operation] ?? "api";
  const resource = RESOURCES[kind] ?? { id: "", attr: {} };
  return {
    key: { id: "key_caller", roles: [...(changes.roles ?? ["admin"])], attr: merged(ADMIN, changes.key) },
    operation,
    resource: { kind, id: changes.resourceId ?? resource.id, attr: merged(resource.attr, changes.resource) },
    account: { id: changes.accountId ?? "acc_1", attr: merged(ACCOUNT, changes.account) },
  };
}

function merged(attr: Attr, changes: Attributes = {}): Attr {
  return structuredClone(Object.assign({ ...attr }, changes));
}

/** A key with these permissions and no role. */
export function holder(...permissions: readonly string[]): Pick<Changes, "roles" | "key"> {
  return { roles: ["custom"], key: { permissions } };
}
