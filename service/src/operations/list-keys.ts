/** Lists the keys of an API that the caller may read, page by page. */

import { z } from "@hono/zod-openapi";
import { KEYS_OF_API } from "../store/lists.js";
import type { BareKeyRow } from "../store/rows.js";
import { cursor, limit, nextCursor } from "./cursor.js";
import { operation } from "./operation.js";
import { apiResource, keyResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { keyView } from "./views.js";

const place = { of: ({ position }: BareKeyRow) => String(position), first: "0", form: /^\d{1,15}$/ };

export const listKeys = operation(
  {
    name: "apis.listKeys",
    version: "v2",
    summary: "Lists the keys of an API that `keys.getKey` would be allowed for, oldest first, revoked ones among them.",
    input: z.strictObject({ apiId: schemas.apiId, limit, cursor: cursor.optional() }),
    output: z.strictObject({ keys: z.array(schemas.key), nextCursor }),
  },
  async (call, { apiId, ...page }) => {
    const sight = await call.see("api", apiId);
    const { target } = sight;
    await call.authorize({ sight, operation: "apis.listKeys", resource: apiResource(target) });
    const { accountId, environment, workspaceId } = target;
    const listing = {
      list: KEYS_OF_API,
      within: apiId,
      sight,
      operation: "keys.getKey",
      kind: "key",
      common: { accountId, environment, workspaceId, apiId },
      resourceOf: (item: BareKeyRow) => keyResource({ ...item, environment, workspaceId }),
      place,
    };
    const { items, nextCursor } = await call.list<BareKeyRow>(listing, page);
    return { keys: items.map(keyView), nextCursor };
  },
);
