/** The keys of an API, by the page. */

import { z } from "@hono/zod-openapi";
import type { BareKeyRow, ItemRow } from "../store/rows.js";
import { KEYS_OF_API } from "../store/statements.js";
import { cursor, limit, nextCursor, pageOf, placeOf } from "./cursor.js";
import { operation } from "./operation.js";
import { apiResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { keyView } from "./views.js";

export const listKeys = operation(
  {
    name: "apis.listKeys",
    version: "v2",
    summary: "Lists the keys of an API in the order of their creation, revoked ones among them.",
    input: z.strictObject({ apiId: schemas.apiId, limit, cursor: cursor.optional() }),
    output: z.strictObject({ keys: z.array(schemas.key), nextCursor }),
  },
  async (call, { apiId, limit, cursor }) => {
    const sight = await call.see("api", apiId);
    await call.authorize({ sight, operation: "apis.listKeys", resource: apiResource(sight.target) });
    const after = cursor === undefined ? 0 : Number(placeOf(cursor, /^\d{1,15}$/));
    const rows = await call.store.run<ItemRow<BareKeyRow>>(KEYS_OF_API, [apiId, after, limit + 1]);
    const { items, nextCursor } = pageOf(rows, limit, ({ position }) => String(position));
    return { keys: items.map(keyView), nextCursor };
  },
);
