/** Converts rows to the principals and resources of `policies/_schemas`. */

import type { Account, DecisionRequest } from "keyward";
import type { AccountRow, ApiRow, KeyPowers, KeyRow, WorkspaceRow } from "../store/rows.js";

type Principal = DecisionRequest["key"];
export type Resource = DecisionRequest["resource"];

export function principalOf({ id, roles, accountId, workspaceIds, environment, permissions }: KeyPowers): Principal {
  return {
    id,
    roles: [...roles],
    attr: { accountId, workspaceIds: [...workspaceIds], environment, permissions: [...permissions] },
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
      holds: [...row.holds],
    },
  };
}

export function workspaceResource({
  id,
  accountId,
  environment,
  state,
}: Pick<WorkspaceRow, "id" | "accountId" | "environment" | "state">): Resource {
  return { kind: "workspace", id, attr: { accountId, environment, state } };
}

/**
 * The effective state: a suspended workspace or API suspends everything in it. A revoked key stays revoked, since
 * lifting the suspension does not restore it.
 */
export function stateInForce<State extends string>({
  state,
  containerSuspended,
}: {
  readonly state: State;
  readonly containerSuspended: boolean;
}): State | "suspended" {
  return containerSuspended && state !== "revoked" ? "suspended" : state;
}

export function apiResource({ id, name: _, createdAt: __, containerSuspended, state, ...attr }: ApiRow): Resource {
  return { kind: "api", id, attr: { ...attr, state: stateInForce({ state, containerSuspended }) } };
}

type KeyAttributes = Pick<
  KeyRow,
  "id" | "accountId" | "workspaceId" | "environment" | "apiId" | "state" | "containerSuspended" | "system"
>;

export function keyResource({
  id,
  accountId,
  workspaceId,
  environment,
  apiId,
  system,
  ...states
}: KeyAttributes): Resource {
  const state = stateInForce(states);
  return { kind: "key", id, attr: { accountId, workspaceId, environment, apiId, state, system } };
}
