/** Request ids over HTTP. */

import { isRequestId } from "../decisions/error-envelope.js";
import { requestId } from "../decisions/request-id.js";
import { CALLBACK, checkArgument } from "../policy/options.js";

/** The field that carries `meta.requestId` (docs/contract.md §7.1) outside the body. */
export const REQUEST_ID_HEADER = "x-request-id";

/** The longest id that is accepted from a request, in characters. */
const MAX_LENGTH = 128;

const HEADERS = {
  has: (value: unknown) => typeof value === "object" && value !== null && "get" in value && CALLBACK.has(value.get),
  said: "the Headers of the Fetch API, or have a `get` like theirs: `{ get: (name) => request.headers[name] ?? null }`",
};

/**
 * The id in the request's header if it is valid (`req_` and up to 124 letters, digits, `_` and `-`), otherwise a new one.
 *
 * Use this only behind a gateway that sets the header itself. A caller who can set it writes into your logs, and can give
 * two requests the same id. If callers reach the service directly, use `requestId()`. Throws a `TypeError` for headers
 * without `get`.
 */
export function requestIdFrom(headers: Pick<Headers, "get">): string {
  checkArgument("headers", headers, HEADERS);
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && given.length <= MAX_LENGTH && isRequestId(given) ? given : requestId();
}
