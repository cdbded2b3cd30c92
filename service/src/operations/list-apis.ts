/** The APIs of a workspace, by the page. */

import { z } from "@hono/zod-openapi";
import type { ApiRow, ItemRow } from "../store/rows.js";
import { APIS_OF_WORKSPACE } from "../store/statements.js";
import { cursor, limit, nextCursor, pageOf, placeOf } from "./cursor.js";
import { operation } from "./operation.js";
import { workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { apiView } from "./views.js";

export const listApis = operation(
  {
    name: "apis.listApis",
    version: "v2",
    summary: "Lists the APIs of a workspace in the order of their ids.",
    input: z.strictObject({ workspaceId: schemas.workspaceId, limit, cursor: cursor.optional() }),
    output: z.strictObject({ apis: z.array(schemas.api), nextCursor }),
  },
  async (call, { workspaceId, limit, cursor }) => {
    const sight = await call.see("workspace", workspaceId);
    await call.authorize({ sight, operation: "apis.listApis", resource: workspaceResource(sight.target) });
    const after = cursor === undefined ? "" : placeOf(cursor, /^[\w-]{1,64}$/);
    const rows = await call.store.run<ItemRow<ApiRow>>(APIS_OF_WORKSPACE, [workspaceId, after, limit + 1]);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => id);
    return { apis: items.map(apiView), nextCursor };
  },
);
