/** Where a list goes on: opaque to callers. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { invalidBody } from "../http/problems.js";

export const cursor = z
  .string()
  .min(1)
  .max(128)
  .openapi({ description: "Where to go on: `nextCursor` of the page before.", example: "MTc" });

export const nextCursor = cursor.nullable().openapi({ description: "`null` on the last page." });

export const limit = z.int().min(1).max(100).default(100);

export function cursorOf(place: string): string {
  return Buffer.from(place).toString("base64url");
}

/** The place that a cursor names. Throws 400 for what is none. */
export function placeOf(cursor: string, form: RegExp): string {
  const place = Buffer.from(cursor, "base64url").toString();
  if (!form.test(place) || cursorOf(place) !== cursor) {
    throw new ApiError(invalidBody("cursor: must be the nextCursor of a page"));
  }
  return place;
}
