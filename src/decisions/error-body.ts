/** The error contract: what a refused caller is told (contract §7). Nothing of a verdict is in it. */

import type { Decision, Outcome } from "./types.js";

/** The envelope of contract §7.1. */
export interface ErrorBody {
  readonly meta: { readonly requestId: string };
  readonly error: {
    readonly detail: string;
    readonly status: 403;
    readonly title: "Forbidden";
    readonly type: string;
  };
}

export interface ErrorBodyOptions {
  /** `req_` followed by an opaque string: see {@link requestId}. */
  readonly requestId: string;
  /** The host, and path if any, of the error descriptions, without a scheme: `{docs_url}` of contract §7.1. */
  readonly docsUrl: string;
}

/** Contract §7.2, letter for letter. */
const DETAILS: { readonly [outcome in Exclude<Outcome, "allow">]: string } = {
  insufficient_permissions: "The authenticated API key does not have permission to perform this operation",
  forbidden: "This operation is not allowed",
};

/**
 * The body of the HTTP 403 response to a refusal; undefined for `allow`.
 * Throws a `TypeError` for a malformed `requestId` or `docsUrl`: both are the service's own.
 */
export function errorBody(decision: Pick<Decision, "outcome">, options: ErrorBodyOptions): ErrorBody | undefined {
  const { outcome } = decision;
  if (outcome === "allow") return undefined;
  const { requestId, docsUrl } = checked(options);
  return {
    meta: { requestId },
    error: {
      detail: DETAILS[outcome],
      status: 403,
      title: "Forbidden",
      type: `https://${docsUrl}/api-reference/errors-v2/service/authorization/${outcome}`,
    },
  };
}

const REQUEST_ID = /^req_[\w-]+$/;
const DOCS_URL = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[\w.~-]+)*$/i;

function checked({ requestId, docsUrl }: ErrorBodyOptions): ErrorBodyOptions {
  if (!REQUEST_ID.test(requestId)) throw new TypeError("requestId must be req_ followed by letters, digits, _ or -");
  if (!DOCS_URL.test(docsUrl))
    throw new TypeError("docsUrl must be a host, and path if any, without a scheme or final /");
  return { requestId, docsUrl };
}
