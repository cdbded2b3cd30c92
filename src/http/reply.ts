/** Error responses: as data, for servers that write their own, and as the Fetch API's `Response`. */

import { type ErrorBodyOptions, errorBody } from "../decisions/error-body.js";
import { type EnvelopeOptions, type ErrorEnvelope, envelopeOf } from "../decisions/error-envelope.js";
import type { Decision } from "../decisions/types.js";
import { checked, type ErrorDescription } from "./errors.js";
import { REQUEST_ID_HEADER } from "./request-id.js";

/** A response that carries an error envelope. */
export interface ErrorReply {
  readonly status: number;
  /** By lower-case name, with `content-type` and the request id. */
  readonly headers: { readonly [name: string]: string };
  readonly body: ErrorEnvelope;
}

/**
 * The response to an error. Throws a `TypeError` for a malformed description, `requestId` or `docsUrl`: all of them come
 * from the service itself.
 */
export function errorReply(error: ErrorDescription, options: EnvelopeOptions): ErrorReply {
  const full = checked(error);
  return replyOf(envelopeOf(full, options), full.headers);
}

/** The 403 response to a refusal (docs/contract.md §7.2); undefined for `allow`. Throws like {@link errorReply}. */
export function refusalReply(decision: Pick<Decision, "outcome">, options: ErrorBodyOptions): ErrorReply | undefined {
  const body = errorBody(decision, options);
  return body && replyOf(body, {});
}

function replyOf(body: ErrorEnvelope, more: { readonly [name: string]: string }): ErrorReply {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(more)) headers[name.toLowerCase()] = value;
  return { status: body.error.status, headers: { ...headers, ...headersOf(body) }, body };
}

/** An error depends on the caller's key, so no cache may store it. */
function headersOf({ meta }: ErrorEnvelope) {
  return {
    "content-type": "application/json",
    "cache-control": "no-store",
    [REQUEST_ID_HEADER]: meta.requestId,
  };
}

/** {@link errorReply} as a `Response`. */
export function errorResponse(error: ErrorDescription, options: EnvelopeOptions): Response {
  return responseOf(errorReply(error, options));
}

/** {@link refusalReply} as a `Response`. */
export function refusalResponse(decision: Pick<Decision, "outcome">, options: ErrorBodyOptions): Response | undefined {
  const reply = refusalReply(decision, options);
  return reply && responseOf(reply);
}

export function responseOf({ status, headers, body }: ErrorReply): Response {
  return new Response(JSON.stringify(body), { status, headers });
}
