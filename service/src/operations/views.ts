/** Converts rows to responses. */

import type { z } from "@hono/zod-openapi";
import type { ApiRow, BareKeyRow, WorkspaceRow } from "../store/rows.js";
import { stateInForce } from "./resources.js";
import type * as schemas from "./schemas.js";

export function apiView(api: ApiRow): z.input<typeof schemas.api> {
  return {
    apiId: api.id,
    workspaceId: api.workspaceId,
    name: api.name,
    environment: api.environment,
    state: stateInForce(api),
    system: api.system,
    deleteProtection: api.deleteProtection,
    keyCount: api.keyCount,
    createdAt: instantOf(api.createdAt),
  };
}

export function keyView(key: Omit<BareKeyRow, "position" | "accountId">): z.input<typeof schemas.key> {
  return {
    keyId: key.id,
    apiId: key.apiId,
    parentId: key.parentId,
    name: key.name,
    roles: [...key.roles],
    permissions: [...key.permissions],
    workspaceIds: [...key.workspaceIds],
    state: stateInForce(key),
    system: key.system,
    expiresAt: endOf(key),
    createdAt: instantOf(key.createdAt),
    externalId: key.externalId,
    meta: key.meta,
    productPermissions: [...key.productPermissions],
    credits: key.credits,
  };
}

/** The part of a key's view that belongs to its version: a use of the key changes nothing in it. */
export function keyVersion(view: ReturnType<typeof keyView>): object {
  const { credits, ...rest } = view;
  return { ...rest, refill: credits?.refill, isLimited: credits !== null };
}

export function workspaceView({
  id,
  name,
  environment,
  state,
  apiCount,
  createdAt,
}: WorkspaceRow): z.input<typeof schemas.workspace> {
  return { workspaceId: id, name, environment, state, apiCount, createdAt: instantOf(createdAt) };
}

/** `milliseconds` may have a fraction: the store's clock is finer. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The time at which a key expires; null if it does not. */
export function endOf({ expiresAt }: Pick<BareKeyRow, "expiresAt">): string | null {
  return expiresAt === null ? null : instantOf(expiresAt);
}
