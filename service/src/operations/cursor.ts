/** Where a list goes on: opaque to callers. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { invalidBody } from "../http/problems.js";
import type { ItemRow } from "../store/rows.js";

export const cursor = z
  .string()
  .min(1)
  .max(128)
  .openapi({ description: "Where to go on: `nextCursor` of the page before.", example: "MTc" });

export const nextCursor = cursor.nullable().openapi({ description: "`null` on the last page." });

export const limit = z.int().min(1).max(100).default(100);

function cursorOf(place: string): string {
  return Buffer.from(place).toString("base64url");
}

/** The first `limit` of some rows, of which there is one more if the list goes on, and the cursor of the page after. */
export function pageOf<Item>(
  rows: readonly ItemRow<Item>[],
  limit: number,
  place: (last: Item) => string,
): { readonly items: readonly Item[]; readonly nextCursor: string | null } {
  const items = rows.slice(0, limit).map(({ item }) => item);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(place(last)) : null };
}

/** The place that a cursor names. Throws 400 for what is none. */
export function placeOf(cursor: string, form: RegExp): string {
  const place = Buffer.from(cursor, "base64url").toString();
  if (!form.test(place) || cursorOf(place) !== cursor) {
    throw new ApiError(invalidBody("cursor: must be the nextCursor of a page"));
  }
  return place;
}
