/** Answers errors that reach a framework's error handler. */

import type { ErrorBodyOptions } from "../decisions/error-body.js";
import { requestId as newRequestId } from "../decisions/request-id.js";
import { ANY, CALLBACK, checkOptions, ignored, type OptionTable } from "../policy/options.js";
import { attachedIfAny } from "./attached.js";
import { ApiError, INTERNAL_ERROR } from "./errors.js";
import { exposedStatus } from "./exposed.js";
import { GUARD_OPTIONS } from "./guard.js";
import { type ErrorReply, errorReply, refusalReply } from "./reply.js";
import { bodyFaultIn } from "./request-body.js";

export interface AnswerErrorsOptions<C> extends Omit<ErrorBodyOptions, "requestId"> {
  /** Default: the id of the decision on the request, or a new one. */
  readonly requestId?: (context: C) => string;
  /** Called with each error that the caller is not told about. Errors of this function are ignored. */
  readonly onError: (error: unknown, context: C, requestId: string) => void;
}

const ANSWER_OPTIONS = {
  docsUrl: ANY,
  service: ANY,
  category: ANY,
  requestId: CALLBACK,
  onError: CALLBACK,
} satisfies OptionTable<AnswerErrorsOptions<unknown>>;

/**
 * The response to an error:
 *
 * - an `ApiError` is answered as it says;
 * - a body that a parser could not read, with 400, 413 or 415;
 * - an error with `expose: true`, or one of the framework's own, is left to the framework (undefined). `frameworkStatus`
 *   gives the status of the framework's own errors;
 * - any other error, with 500, and `onError` is called.
 *
 * A 403 of the third kind is answered as `forbidden`, and `onError` gets its reason. Clients rely on the envelope of a
 * 403 (docs/contract.md §7.2), and no other key helps against a refusal by middleware.
 *
 * `request` is the object to which `authorize` attached its decision. Throws a `TypeError` for malformed options.
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

/**
 * A request id that is valid in an envelope. An error thrown by `requestId` would be shown to the caller by the
 * framework.
 */
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
    // Nothing is left to report the error to.
  }
}

/** Throws a `TypeError` for options from which no envelope can be made: at startup, not at the first error. */
export function checkAnswerOptions<C>(options: AnswerErrorsOptions<C>): void {
  checkOptions(options, { ...ignored(GUARD_OPTIONS), ...ANSWER_OPTIONS });
  const { docsUrl, service, category } = options;
  refusalReply({ outcome: "forbidden" }, { docsUrl, service, category, requestId: newRequestId() });
}
