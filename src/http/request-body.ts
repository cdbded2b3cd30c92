/** Bodies of requests: JSON objects, and the errors for other bodies. */

import { ApiError, type ErrorDescription } from "./errors.js";
import { exposedStatus, statusIn } from "./exposed.js";

/** 400: the body is not a JSON object. */
export const INVALID_BODY: ErrorDescription = {
  status: 400,
  category: "request",
  code: "invalid_body",
  detail: "The request body is not a JSON object",
};

/** 413: the body is larger than the service accepts. */
export const BODY_TOO_LARGE: ErrorDescription = {
  status: 413,
  category: "request",
  code: "too_large",
  detail: "The request body is too large",
};

/** 415: the service does not accept the type, character set or compression of the body. */
export const UNSUPPORTED_MEDIA_TYPE: ErrorDescription = {
  status: 415,
  category: "request",
  code: "unsupported_media_type",
  detail: "The type of the request body is not supported",
};

const BY_STATUS: ReadonlyMap<unknown, ErrorDescription> = new Map(
  [INVALID_BODY, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE].map((one) => [one.status, one]),
);

/** The body of a request. Its fields are unchecked input of the caller. */
export interface JsonBody {
  readonly [field: string]: unknown;
}

/** A parsed body. Throws an {@link ApiError} if it is not an object, or is missing. */
export function bodyOf(parsed: unknown): JsonBody {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new ApiError(INVALID_BODY);
  return { ...parsed };
}

/**
 * The fault of a body, from the error that a framework's parser threw; undefined for other errors. The parsers are
 * `body-parser` (Express), Fastify's own, and Hono's `bodyLimit`.
 */
export function bodyFaultIn(error: unknown): ErrorDescription | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { type, code, statusCode } = fieldsOf(error);
  const isParsers =
    (typeof type === "string" &&
      /^(entity|charset|encoding|request)\./.test(type) &&
      exposedStatus(error) !== undefined) ||
    (typeof code === "string" && /^FST_ERR_(CTP_|VALIDATION$)/.test(code)) ||
    // Earlier versions of Fastify 5 set a status on the error of `JSON.parse`.
    (error instanceof SyntaxError && statusCode !== undefined) ||
    // Nothing else marks the error of Hono's body limit. Other `HTTPException`s are a handler's own.
    ("getResponse" in error && statusIn(error) === 413);
  return isParsers ? BY_STATUS.get(statusIn(error)) : undefined;
}

interface ParserErrorFields {
  readonly statusCode?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
}

/** Read by name, because some are getters of the error's class. */
function fieldsOf(error: object & ParserErrorFields): ParserErrorFields {
  const { statusCode, type, code } = error;
  return { statusCode, type, code };
}
