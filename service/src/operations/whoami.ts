/** Reads the caller's own key. */

import { z } from "@hono/zod-openapi";
import { operation } from "./operation.js";
import * as schemas from "./schemas.js";
import { endOf } from "./views.js";

export const whoami = operation(
  {
    name: "keys.whoami",
    version: "v2",
    summary: "Says which key makes the request. It needs no permission, so nothing is decided.",
    cached: true,
    input: z.strictObject({}),
    output: schemas.identity,
  },
  async (call) => {
    const { caller } = await call.seeIfAny("nothing", "");
    return {
      keyId: caller.id,
      accountId: caller.accountId,
      apiId: caller.apiId,
      parentId: caller.parentId,
      name: caller.name,
      environment: caller.environment,
      roles: [...caller.roles],
      permissions: [...caller.permissions],
      workspaceIds: [...caller.workspaceIds],
      expiresAt: endOf(caller),
    };
  },
);
