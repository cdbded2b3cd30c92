/** The errors of this service, in addition to those of `keyward/http`. */

import { type ErrorDescription, SERVICE_UNAVAILABLE } from "keyward/http";

/** A temporary fault: the same request may succeed later. `retry-after` is in seconds (RFC 9110 §10.2.3). */
export const UNAVAILABLE: ErrorDescription = { ...SERVICE_UNAVAILABLE, headers: { "retry-after": "1" } };

const request = { category: "request" } as const;

export const MALFORMED_REQUEST: ErrorDescription = {
  ...request,
  status: 400,
  code: "malformed_request",
  detail: "The request is not well-formed HTTP",
};

export const INVALID_JSON: ErrorDescription = {
  ...request,
  status: 400,
  code: "invalid_json",
  detail: "The request body is not a JSON object in UTF-8",
};

export const DUPLICATE_FIELD: ErrorDescription = {
  ...request,
  status: 400,
  code: "duplicate_field",
  detail: "The request body has one field twice",
};

export const UNKNOWN_OPERATION: ErrorDescription = {
  ...request,
  status: 404,
  code: "unknown_operation",
  detail: "There is no such operation",
};

export function methodNotAllowed(allow: string): ErrorDescription {
  return {
    ...request,
    status: 405,
    code: "method_not_allowed",
    detail: "The operation does not have this method",
    headers: { allow },
  };
}

export const REQUEST_TIMEOUT: ErrorDescription = {
  ...request,
  status: 408,
  code: "timeout",
  detail: "The request did not arrive in time",
};

export const CONFLICT: ErrorDescription = {
  status: 409,
  category: "resource",
  code: "conflict",
  detail: "The name is already in use",
};

export const PRECONDITION_FAILED: ErrorDescription = {
  ...request,
  status: 412,
  code: "precondition_failed",
  detail: "The resource has changed: If-Match names another version",
};

export const UNEXPECTED_PRECONDITION: ErrorDescription = {
  ...request,
  status: 400,
  code: "unexpected_precondition",
  detail: "The operation does not take If-Match",
};

export const UNSUPPORTED_MEDIA_TYPE: ErrorDescription = {
  ...request,
  status: 415,
  code: "unsupported_media_type",
  detail: "The request body must be application/json, in UTF-8 and not compressed",
};

export const INVALID_IDEMPOTENCY_KEY: ErrorDescription = {
  ...request,
  status: 400,
  code: "invalid_idempotency_key",
  detail: "The field Idempotency-Key must be 1 to 255 visible ASCII characters",
};

export const IDEMPOTENCY_KEY_REUSED: ErrorDescription = {
  ...request,
  status: 422,
  code: "idempotency_key_reused",
  detail: "The Idempotency-Key came with another request before",
};

export const HEADERS_TOO_LARGE: ErrorDescription = {
  ...request,
  status: 431,
  code: "headers_too_large",
  detail: "The header fields are too large",
};

/** Nobody reads this answer. The status is that of nginx, for logs. */
export const CALLER_GONE: ErrorDescription = {
  ...request,
  status: 499,
  code: "caller_gone",
  title: "Client Closed Request",
  detail: "The caller closed the connection before the request was served",
};

/** `who` makes too many requests. */
export function rateLimited(seconds: number, who: "The API key" | "The account" | "The address"): ErrorDescription {
  return {
    status: 429,
    category: "rate_limit",
    code: "exceeded",
    detail: `${who} makes too many requests`,
    headers: { "retry-after": String(seconds) },
  };
}

/** The faults of a body, for the caller who sent it. */
export function invalidBody(detail: string): ErrorDescription {
  return { ...request, status: 400, code: "invalid_body", detail };
}
