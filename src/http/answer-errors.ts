/** What is answered where an error has reached a framework's error handler. */

import type { EnvelopeOptions } from "../decisions/error-envelope.js";
import { requestId as newRequestId } from "../decisions/request-id.js";
import { attachedIfAny } from "./attached.js";
import { ApiError, INTERNAL_ERROR } from "./errors.js";
import { type ErrorReply, errorReply } from "./reply.js";
import { bodyFaultIn, isForCaller } from "./request-body.js";

export interface AnswerErrorsOptions<C> extends Omit<EnvelopeOptions, "requestId"> {
  /** Default: that of the decision on the request, or a new one. */
  readonly requestId?: (context: C) => string;
  /** Called with each error of which the caller is not told. What it throws itself is ignored. */
  readonly onError: (error: unknown, context: C, requestId: string) => void;
}

/**
 * The response to an error: of an `ApiError` what it says; of a body that a parser could not read 400, 413 or 415;
 * otherwise 500, and `onError` is told. Undefined for an error of another middleware, which is for the framework to
 * answer: one that says itself what a caller is to be told, unless `isAnothers` says which are.
 *
 * `request` is what a decision was attached to. Throws a `TypeError` for malformed options.
 */
export function errorAnswer<C>(
  error: unknown,
  context: C,
  request: object,
  { docsUrl, service, requestId, onError }: AnswerErrorsOptions<C>,
  isAnothers: (error: unknown) => boolean = isForCaller,
): ErrorReply | undefined {
  const id = requestId?.(context) ?? attachedIfAny(request)?.requestId ?? newRequestId();
  const options = { docsUrl, service, requestId: id };
  if (error instanceof ApiError) return errorReply(error, options);
  const fault = bodyFaultIn(error);
  if (fault !== undefined) return errorReply(fault, options);
  if (isAnothers(error)) return undefined;
  try {
    onError(error, context, id);
  } catch {
    // There is nobody left to tell.
  }
  return errorReply(INTERNAL_ERROR, options);
}

/** Throws a `TypeError` for options that no envelope can be made with: at the start, and not with the first error. */
export function checkAnswerOptions<C>({ docsUrl, service }: AnswerErrorsOptions<C>): void {
  errorReply(INTERNAL_ERROR, { docsUrl, service, requestId: newRequestId() });
}
