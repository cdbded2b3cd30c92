/** The error contract: the response to a refused caller (docs/contract.md §7). It contains nothing of a verdict. */

import { checkArgument, OBJECT } from "../policy/options.js";
import { type EnvelopeOptions, type ErrorEnvelope, envelopeOf } from "./error-envelope.js";
import type { Decision, Outcome } from "./types.js";

/** The envelope of docs/contract.md §7.1, for the errors of §7.2. */
export interface ErrorBody extends ErrorEnvelope {
  readonly error: ErrorEnvelope["error"] & { readonly status: 403; readonly title: "Forbidden" };
}

export interface ErrorBodyOptions extends EnvelopeOptions {
  /** The part of `error.type` before the code. Default: `authorization`, by docs/contract.md §7.2. */
  readonly category?: string | undefined;
}

/** The texts of docs/contract.md §7.2, letter for letter. */
const DETAILS: { readonly [outcome in Exclude<Outcome, "allow">]: string } = {
  insufficient_permissions: "The authenticated API key does not have permission to perform this operation",
  forbidden: "This operation is not allowed",
};

/** The text for a refused caller (docs/contract.md §7.2). */
export function refusalDetail(outcome: Exclude<Outcome, "allow">): string {
  return DETAILS[outcome];
}

/**
 * The body of the HTTP 403 response to a refusal; undefined for `allow`. Throws a `TypeError` for malformed options,
 * which the service itself sets, and for a value that is not a decision.
 */
export function errorBody(decision: Pick<Decision, "outcome">, options: ErrorBodyOptions): ErrorBody | undefined {
  checkArgument("decision", decision, OBJECT);
  checkArgument("options", options, OBJECT);
  const { outcome } = decision;
  const { category = AUTHORIZATION } = options;
  if (outcome === "allow") return undefined;
  if (!Object.hasOwn(DETAILS, outcome)) throw new TypeError("the decision has no outcome");
  const kind = { status: 403, title: "Forbidden", category, code: outcome } as const;
  return envelopeOf({ ...kind, detail: DETAILS[outcome] }, options);
}

/** The category of docs/contract.md §7.2. Only {@link errorBody} makes its errors. */
export const AUTHORIZATION = "authorization";
