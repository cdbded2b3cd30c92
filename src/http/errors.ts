/** The errors in responses of a service, apart from refusals. */

import { AUTHORIZATION } from "../decisions/error-body.js";
import { type EnvelopeOptions, type ErrorEnvelope, envelopeOf, isWord } from "../decisions/error-envelope.js";

/** An error as the caller sees it. */
export interface ErrorDescription {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The last parts of `error.type` (docs/contract.md §7.1): words of lower-case letters, digits, `_` and `-`. */
  readonly category: string;
  readonly code: string;
  /** Text for the caller. It must not reveal anything that the caller may not know. */
  readonly detail: string;
  /** Default: the name of the status in RFC 9110. */
  readonly title?: string;
  /** Further header fields of the response: `allow` with 405, `retry-after` with 429. */
  readonly headers?: { readonly [name: string]: string };
}

/**
 * An {@link ErrorDescription} to throw in a handler or in a function given to `guard`, to tell the caller why it cannot
 * go on. Its `message` and `cause` are for logs; the response contains neither.
 */
export class ApiError extends Error implements ErrorDescription {
  override readonly name = "ApiError";
  readonly status: number;
  readonly category: string;
  readonly code: string;
  readonly detail: string;
  readonly title: string;
  readonly headers: { readonly [name: string]: string };

  /** Throws a `TypeError` for a description from which no envelope can be made. */
  constructor(description: ErrorDescription, options: { readonly message?: string; readonly cause?: unknown } = {}) {
    const { status, category, code, detail, title, headers } = checked(description);
    const { message = `${status} ${category}/${code}`, ...rest } = options;
    super(message, rest);
    this.status = status;
    this.category = category;
    this.code = code;
    this.detail = detail;
    this.title = title;
    this.headers = headers;
  }
}

/** 401: the same for every key that is missing, malformed, unknown or no longer valid. */
export const UNAUTHENTICATED: ErrorDescription = {
  status: 401,
  category: "authentication",
  code: "invalid_key",
  detail: "The API key is missing or not valid",
};

/** 404: the same for an id that does not exist and for an id of another account. */
export const NOT_FOUND: ErrorDescription = {
  status: 404,
  category: "resource",
  code: "not_found",
  detail: "The requested resource does not exist",
};

/** 500: a fault of the service. */
export const INTERNAL_ERROR: ErrorDescription = {
  status: 500,
  category: "server",
  code: "internal_error",
  detail: "The service failed to process the request",
};

/** 503: there is no decision, or a store cannot be read. The same request may succeed later. */
export const SERVICE_UNAVAILABLE: ErrorDescription = {
  status: 503,
  category: "server",
  code: "unavailable",
  detail: "The service is temporarily unavailable",
};

/**
 * The envelope of an error (docs/contract.md §7.1). For refusals see `errorBody`. Throws a `TypeError` for a malformed
 * description, `requestId` or `docsUrl`: all of them come from the service itself.
 */
export function errorEnvelope(error: ErrorDescription, options: EnvelopeOptions): ErrorEnvelope {
  return envelopeOf(checked(error), options);
}

/** Validates a description, and fills in its defaults. */
export function checked(error: ErrorDescription): Required<ErrorDescription> {
  const { status, category, code, detail, title = TITLES.get(status), headers = {} } = error;
  if (!Number.isInteger(status) || status < 400 || status > 599) throw new TypeError("status must be 400 to 599");
  if (!isWord(category) || !isWord(code)) {
    throw new TypeError("category and code must be words of lower-case letters, digits, _ and -");
  }
  if (category === AUTHORIZATION) throw new TypeError("the authorization errors are made by errorBody");
  if (title === undefined) throw new TypeError(`a title is needed for the status ${status}`);
  return { status, category, code, detail, title, headers: { ...DEFAULT_HEADERS.get(status), ...headers } };
}

/** RFC 9110 §15.5.2 requires a challenge with every 401. This is the challenge of RFC 6750 §3. */
const DEFAULT_HEADERS: ReadonlyMap<number, { readonly [name: string]: string }> = new Map([
  [401, { "www-authenticate": "Bearer" }],
]);

/** RFC 9110 §15, RFC 6585. */
const TITLES: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [402, "Payment Required"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [406, "Not Acceptable"],
  [408, "Request Timeout"],
  [409, "Conflict"],
  [410, "Gone"],
  [411, "Length Required"],
  [412, "Precondition Failed"],
  [413, "Content Too Large"],
  [414, "URI Too Long"],
  [415, "Unsupported Media Type"],
  [422, "Unprocessable Content"],
  [428, "Precondition Required"],
  [429, "Too Many Requests"],
  [431, "Request Header Fields Too Large"],
  [500, "Internal Server Error"],
  [501, "Not Implemented"],
  [502, "Bad Gateway"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
]);
