/**
 * `keyward/http`: common parts for handlers of HTTP requests. It needs the Fetch API's `Headers` and `Response`, and
 * nothing of Node. `keyward` has `requestId`, which makes request ids, and `policySetHash`, which identifies policy sets.
 */

export type { ErrorBodyOptions } from "../decisions/error-body.js";
export type { EnvelopeOptions, ErrorEnvelope } from "../decisions/error-envelope.js";
export type { WiringFault } from "../engine/plan/verdict.js";
export { challengeOf } from "../hints/header.js";
export type { AnswerErrorsOptions } from "./answer-errors.js";
export {
  type BearerFault,
  type BearerKeyOptions,
  bearerKey,
  type HeaderFields,
} from "./bearer-key.js";
export { type DecisionRecord, decisionRecord, type GuardDecision, type ReadsOptions } from "./decision-record.js";
export {
  ApiError,
  type ErrorDescription,
  errorEnvelope,
  INTERNAL_ERROR,
  NOT_FOUND,
  SERVICE_UNAVAILABLE,
  UNAUTHENTICATED,
} from "./errors.js";
export {
  type GuardDecisionOn,
  type GuardOptions,
  type GuardResult,
  guard,
  type ResourceOfOperation,
} from "./guard.js";
export type { HintHeaderOptions } from "./refusal-hints.js";
export { type ErrorReply, errorReply, errorResponse, refusalReply, refusalResponse } from "./reply.js";
export {
  BODY_TOO_LARGE,
  INVALID_BODY,
  type JsonBody,
  UNSUPPORTED_MEDIA_TYPE,
} from "./request-body.js";
export { REQUEST_ID_HEADER, requestIdFrom } from "./request-id.js";
