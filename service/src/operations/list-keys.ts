/** The keys of an API, by the page. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { invalidBody } from "../http/problems.js";
import type { BareKeyRow, ItemRow } from "../store/rows.js";
import { KEYS_OF_API } from "../store/statements.js";
import { operation } from "./operation.js";
import { apiResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { keyView } from "./views.js";

const cursor = z
  .string()
  .min(1)
  .max(64)
  .openapi({ description: "Where to go on: `nextCursor` of the page before.", example: "MTc" });

export const listKeys = operation(
  {
    name: "apis.listKeys",
    version: "v2",
    summary: "Lists the keys of an API in the order of their creation, revoked ones among them.",
    input: z.strictObject({
      apiId: schemas.apiId,
      limit: z.int().min(1).max(100).default(100),
      cursor: cursor.optional(),
    }),
    output: z.strictObject({
      keys: z.array(schemas.key),
      nextCursor: cursor.nullable().openapi({ description: "`null` on the last page." }),
    }),
  },
  async (call, { apiId, limit, cursor }) => {
    const sight = await call.see("api", apiId);
    await call.authorize({ sight, operation: "apis.listKeys", resource: apiResource(sight.target) });
    const after = cursor === undefined ? 0 : positionOf(cursor);
    // One more than asked for tells whether there is another page.
    const rows = await call.store.run<ItemRow<BareKeyRow>>(KEYS_OF_API, [apiId, after, limit + 1]);
    const page = rows.slice(0, limit).map(({ item }) => item);
    const last = page.at(-1);
    return {
      keys: page.map(keyView),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last.position) : null,
    };
  },
);

function cursorOf(position: number): string {
  return Buffer.from(String(position)).toString("base64url");
}

function positionOf(cursor: string): number {
  const text = Buffer.from(cursor, "base64url").toString();
  const position = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (cursorOf(position) !== cursor) throw new ApiError(invalidBody("cursor: must be the nextCursor of a page"));
  return position;
}
