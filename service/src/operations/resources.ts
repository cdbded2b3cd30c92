/** Rows as policies see them: the principals and resources of `policies/_schemas`. */

import type { Account, DecisionRequest } from "keyward";
import type { Caller } from "../auth/authenticate.js";
import type { AccountRow } from "../store/accounts.js";
import type { ApiRow } from "../store/apis.js";
import type { KeyRow } from "../store/keys.js";
import type { WorkspaceRow } from "../store/workspaces.js";

type Principal = DecisionRequest["key"];
type Resource = DecisionRequest["resource"];

export function principalOf({ key, environment }: Caller): Principal {
  return {
    id: key.id,
    roles: key.roles,
    attr: {
      accountId: key.accountId,
      workspaceIds: key.workspaceIds,
      environment,
      permissions: key.permissions,
    },
  };
}

export function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    attr: {
      plan: row.plan,
      status: row.status,
      limits: { apis: row.limitApis, keys: row.limitKeys },
      usage: { apis: row.usedApis, keys: row.usedKeys },
      holds: row.holds,
    },
  };
}

export function workspaceResource({ workspace }: Pick<WorkspaceRow, "workspace">): Resource {
  const { id, accountId, environment, state } = workspace;
  return { kind: "workspace", id, attr: { accountId, environment, state } };
}

export function apiResource({ api, environment }: Pick<ApiRow, "api" | "environment">): Resource {
  const { id, accountId, workspaceId, system, deleteProtection, state, keyCount } = api;
  const attr = { accountId, workspaceId, environment, system, deleteProtection, state, keyCount };
  return { kind: "api", id, attr };
}

export function keyResource({ key, workspaceId, environment }: Omit<KeyRow, "account">): Resource {
  const { id, accountId, apiId, state, system } = key;
  return { kind: "key", id, attr: { accountId, workspaceId, environment, apiId, state, system } };
}
