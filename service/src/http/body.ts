/** The body of a request. */

import type { z } from "@hono/zod-openapi";
import { ApiError, BODY_TOO_LARGE } from "keyward/http";
import { invalidBody, MALFORMED_REQUEST, UNSUPPORTED_MEDIA_TYPE } from "./problems.js";
import { parseStrictJson } from "./strict-json.js";

/** `application/json`, with no parameter but the only charset that JSON has. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

/** The JSON value of a request's body of at most `limit` bytes. Throws 415, 413 or 400. */
export async function readBody(request: Request, limit: number): Promise<unknown> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "") || encoding.toLowerCase() !== "identity") {
    throw new ApiError(UNSUPPORTED_MEDIA_TYPE);
  }
  return parseStrictJson(await received(request, limit));
}

async function received(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw new ApiError(BODY_TOO_LARGE);
  try {
    return await bytesOf(request, limit);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The caller went away, or sent less than it said.
    throw new ApiError(MALFORMED_REQUEST, { cause: error });
  }
}

async function bytesOf(request: Request, limit: number): Promise<Uint8Array> {
  if (request.headers.has("content-length")) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel().catch(() => {});
      throw new ApiError(BODY_TOO_LARGE);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/** Most problems that one response tells of, and the length of what it says of each. */
const MAX_ISSUES = 5;
const MAX_LENGTH = 200;

/** What is wrong with a body, by field. It quotes the names of unknown fields, and no value. */
export function bodyFault(error: z.ZodError): ApiError {
  const told = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const text = path.length === 0 ? message : `${path.join(".")}: ${message}`;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });
  return new ApiError(invalidBody(told.join("; ")));
}
