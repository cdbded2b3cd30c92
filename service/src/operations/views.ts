/** Rows as callers see them. */

import type { z } from "@hono/zod-openapi";
import type { ApiRow } from "../store/apis.js";
import type { KeyRow } from "../store/keys.js";
import type * as schemas from "./schemas.js";

export function apiView({ api, environment }: Pick<ApiRow, "api" | "environment">): z.input<typeof schemas.api> {
  return {
    apiId: api.id,
    workspaceId: api.workspaceId,
    name: api.name,
    environment,
    state: api.state,
    system: api.system,
    deleteProtection: api.deleteProtection,
    keyCount: api.keyCount,
    createdAt: api.createdAt.toISOString(),
  };
}

export function keyView(key: KeyRow["key"]): z.input<typeof schemas.key> {
  return {
    keyId: key.id,
    apiId: key.apiId,
    name: key.name,
    roles: key.roles,
    permissions: key.permissions,
    workspaceIds: key.workspaceIds,
    state: key.state,
    system: key.system,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  };
}
