/** The caller's own key. */

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.js";
import * as schemas from "./schemas.js";

export const whoami = operation(
  {
    name: "keys.whoami",
    version: "v2",
    summary: "Says which key makes the request. It needs no permission, so nothing is decided.",
    input: z.strictObject({}),
    output: schemas.identity,
  },
  async ({ caller: { key, environment } }) => ({
    keyId: key.id,
    accountId: key.accountId,
    apiId: key.apiId,
    name: key.name,
    environment,
    roles: key.roles,
    permissions: key.permissions,
    workspaceIds: key.workspaceIds,
    expiresAt: key.expiresAt?.toISOString() ?? null,
  }),
);
