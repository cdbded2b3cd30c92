/** The body of a request. */

import type { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { invalidBody, MALFORMED_REQUEST, UNSUPPORTED_MEDIA_TYPE } from "./problems.js";
import { parseStrictJson } from "./strict-json.js";

/** `application/json`, with no parameter but the only charset that JSON has. */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

/** The JSON value of a request's body. Throws 415 or 400. */
export async function readBody(request: Request): Promise<unknown> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "") || encoding.toLowerCase() !== "identity") {
    throw new ApiError(UNSUPPORTED_MEDIA_TYPE);
  }
  return parseStrictJson(await received(request));
}

async function received(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer();
  } catch (error) {
    // The caller went away, or sent less than it said.
    throw new ApiError(MALFORMED_REQUEST, { cause: error });
  }
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
