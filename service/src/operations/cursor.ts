/** Cursors of lists, opaque to callers. */

import { hash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { invalidBody } from "../http/problems.js";

export const cursor = z
  .string()
  .min(1)
  .max(128)
  .openapi({ description: "Where to go on: `nextCursor` of the page before.", example: "NDA4ODkyZmE2YTJhMTc" });

export const nextCursor = cursor.nullable().openapi({ description: "`null` on the last page." });

export const limit = z.int().min(1).max(100).default(100);

/** The number of hexadecimal digits of the hash of list and place in a cursor. */
const CHECKED = 12;

/**
 * The cursor of a place in a list. It is valid for this list only, and damage is detected. It is not secret: a forged
 * cursor shows the caller the rows that it may see anyway, from another place on.
 */
export function cursorOf(list: string, place: string): string {
  return Buffer.from(`${hash("sha256", `${list}\n${place}`).slice(0, CHECKED)}${place}`).toString("base64url");
}

/** The place in the list that a cursor encodes, which must match `form`. Throws 400 for an invalid cursor. */
export function cursorPlaceOf(cursor: string, list: string, form: RegExp): string {
  const place = Buffer.from(cursor, "base64url").toString().slice(CHECKED);
  if (!form.test(place) || cursorOf(list, place) !== cursor) {
    throw new ApiError(invalidBody("cursor: must be the nextCursor of a page"));
  }
  return place;
}
