/** The error contract: what a refused caller is told (docs/contract.md §7). Nothing of a verdict is in it. */

import { type EnvelopeOptions, type ErrorEnvelope, envelopeOf } from "./error-envelope.js";
import type { Decision, Outcome } from "./types.js";

/** The envelope of docs/contract.md §7.1, for the errors of §7.2. */
export interface ErrorBody extends ErrorEnvelope {
  readonly error: ErrorEnvelope["error"] & { readonly status: 403; readonly title: "Forbidden" };
}

export interface ErrorBodyOptions extends EnvelopeOptions {
  /** The part of `error.type` before the code. Default: `authorization`, as docs/contract.md §7.2 has it. */
  readonly category?: string | undefined;
}

/** docs/contract.md §7.2, letter for letter. */
const DETAILS: { readonly [outcome in Exclude<Outcome, "allow">]: string } = {
  insufficient_permissions: "The authenticated API key does not have permission to perform this operation",
  forbidden: "This operation is not allowed",
};

/**
 * The body of the HTTP 403 response to a refusal; undefined for `allow`.
 * Throws a `TypeError` for malformed options, which are the service's own, and for what is no decision.
 */
export function errorBody(decision: Pick<Decision, "outcome">, options: ErrorBodyOptions): ErrorBody | undefined {
  const { outcome } = decision;
  const { category = AUTHORIZATION } = options;
  if (outcome === "allow") return undefined;
  if (!Object.hasOwn(DETAILS, outcome)) throw new TypeError("the decision has no outcome");
  const kind = { status: 403, title: "Forbidden", category, code: outcome } as const;
  return envelopeOf({ ...kind, detail: DETAILS[outcome] }, options);
}

/** The category of docs/contract.md §7.2, whose errors are those of {@link errorBody} alone. */
export const AUTHORIZATION = "authorization";
