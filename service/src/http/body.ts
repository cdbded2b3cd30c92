/** Reads the body of a request. */

import type { z } from "@hono/zod-openapi";
import { ApiError, BODY_TOO_LARGE } from "keyward/http";
import { invalidBody, MALFORMED_REQUEST, UNSUPPORTED_MEDIA_TYPE } from "./problems.js";
import { parseStrictJson } from "./strict-json.js";

/** `application/json`, with no parameter except the charset UTF-8, the only one that JSON has. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

/** The JSON value of a body of at most `limit` bytes. Throws 415, 413 or 400. */
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
    // The caller disconnected, or sent less than it announced.
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

/** The maximum number of problems in one response, and the maximum length of each text. */
const MAX_ISSUES = 5;
const MAX_LENGTH = 200;

/** The faults of a body, by field. Quotes the names of unknown fields, but no values. */
export function bodyFault(error: z.ZodError): ApiError {
  const told = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const text = path.length === 0 ? message : `${path.join(".")}: ${message}`;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });
  return new ApiError(invalidBody(told.join("; ")));
}
