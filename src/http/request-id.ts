/** Request ids over HTTP. */

import { isRequestId } from "../decisions/error-envelope.js";
import { requestId } from "../decisions/request-id.js";

/** The field that carries `meta.requestId` (docs/contract.md §7.1) outside the body. */
export const REQUEST_ID_HEADER = "x-request-id";

/** Longest id that is taken over, in characters. */
const MAX_LENGTH = 128;

/**
 * The id that a request came with, if it is one (`req_` and up to 124 letters, digits, `_` and `-`), or a new one.
 *
 * For services behind a gateway that sets the field itself. A caller who can set it chooses what stands in your logs,
 * and can give two requests one id: where callers reach the service directly, take `requestId()`.
 */
export function requestIdFrom(headers: Pick<Headers, "get">): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && given.length <= MAX_LENGTH && isRequestId(given) ? given : requestId();
}
