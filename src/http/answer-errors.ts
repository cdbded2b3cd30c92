/** Answers to errors that have reached a framework's error handler. */

import type { ErrorBodyOptions } from "../decisions/error-body.js";
import { requestId as newRequestId } from "../decisions/request-id.js";
import { attachedIfAny } from "./attached.js";
import { ApiError, INTERNAL_ERROR } from "./errors.js";
import { exposedStatus } from "./exposed.js";
import { type ErrorReply, errorReply, refusalReply } from "./reply.js";
import { bodyFaultIn } from "./request-body.js";

export interface AnswerErrorsOptions<C> extends Omit<ErrorBodyOptions, "requestId"> {
  /** Default: that of the decision on the request, or a new one. */
  readonly requestId?: (context: C) => string;
  /** Called with each error of which the caller is not told. What it throws itself is ignored. */
  readonly onError: (error: unknown, context: C, requestId: string) => void;
}

/**
 * The response to an error: to an `ApiError` its own; to a body that a parser could not read 400, 413 or 415; otherwise
 * 500, and `onError` is told. Undefined for an error that the framework answers: with `expose: true`, or one of its own,
 * to which `frameworkStatus` gives the status.
 *
 * A 403 among those is answered as `forbidden`, and `onError` is told its reason: clients rely on the envelope of a 403
 * (docs/contract.md §7.2), and no other key helps against the refusal of a middleware.
 *
 * `request` is the object that `authorize` attached its decision to. Throws a `TypeError` for malformed options.
 */
export function errorAnswer<C>(
  error: unknown,
  context: C,
  request: object,
  given: AnswerErrorsOptions<C>,
  frameworkStatus: (error: unknown) => number | undefined = () => undefined,
): ErrorReply | undefined {
  const { docsUrl, service, category } = given;
  const requestId = idFor(context, request, given);
  const options = { docsUrl, service, requestId };
  if (error instanceof ApiError) return errorReply(error, options);
  const fault = bodyFaultIn(error);
  if (fault !== undefined) return errorReply(fault, options);
  const status = frameworkStatus(error) ?? exposedStatus(error);
  if (status !== undefined && status !== 403) return undefined;
  report(given, error, context, requestId);
  const refusal = status === 403 ? refusalReply({ outcome: "forbidden" }, { ...options, category }) : undefined;
  return refusal ?? errorReply(INTERNAL_ERROR, options);
}

/** An id that an envelope can have. A framework would show the caller an error of `requestId`. */
function idFor<C>(context: C, request: object, options: AnswerErrorsOptions<C>): string {
  const known = attachedIfAny(request)?.requestId ?? newRequestId();
  try {
    const id = options.requestId?.(context) ?? known;
    errorReply(INTERNAL_ERROR, { docsUrl: options.docsUrl, service: options.service, requestId: id });
    return id;
  } catch (error) {
    report(options, error, context, known);
    return known;
  }
}

function report<C>({ onError }: AnswerErrorsOptions<C>, error: unknown, context: C, requestId: string): void {
  try {
    onError(error, context, requestId);
  } catch {
    // There is nobody left to tell.
  }
}

/** Throws a `TypeError` for options that no envelope can be made with: at the start, and not with the first error. */
export function checkAnswerOptions<C>({ docsUrl, service, category }: AnswerErrorsOptions<C>): void {
  refusalReply({ outcome: "forbidden" }, { docsUrl, service, category, requestId: newRequestId() });
}
