/** Lists the APIs of a workspace that the caller may read, page by page. */

import { z } from "@hono/zod-openapi";
import { APIS_OF_WORKSPACE } from "../store/lists.js";
import type { ApiRow } from "../store/rows.js";
import { cursor, limit, nextCursor } from "./cursor.js";
import { operation } from "./operation.js";
import { apiResource, workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { apiView } from "./views.js";

const place = { of: ({ id }: ApiRow) => id, first: "", form: /^[\w-]{1,64}$/ };

export const listApis = operation(
  {
    name: "apis.listApis",
    version: "v2",
    summary: "Lists the APIs of a workspace that `apis.getApi` would be allowed for, in the order of their ids.",
    input: z.strictObject({ workspaceId: schemas.workspaceId, limit, cursor: cursor.optional() }),
    output: z.strictObject({ apis: z.array(schemas.api), nextCursor }),
  },
  async (call, { workspaceId, ...page }) => {
    const sight = await call.see("workspace", workspaceId);
    const { target } = sight;
    await call.authorize({ sight, operation: "apis.listApis", resource: workspaceResource(target) });
    const { accountId, environment } = target;
    const listing = {
      list: APIS_OF_WORKSPACE,
      within: workspaceId,
      sight,
      operation: "apis.getApi",
      kind: "api",
      common: { accountId, environment, workspaceId },
      resourceOf: apiResource,
      place,
    };
    const { items, nextCursor } = await call.list<ApiRow>(listing, page);
    return { apis: items.map(apiView), nextCursor };
  },
);
