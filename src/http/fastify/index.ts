/** `keyward/http/fastify`: decisions as a `preHandler` hook of Fastify 5. */

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preHandlerAsyncHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
} from "fastify";
import type { KeyOf, OperationOf, PolicyTypes } from "../../decisions/policy-types.js";
import type { Decision, DecisionRequest } from "../../decisions/types.js";
import { type AnswerErrorsOptions, checkAnswerOptions, errorAnswer } from "../answer-errors.js";
import { attach, attached } from "../attached.js";
import type { GuardDecision } from "../decision-record.js";
import { statusIn } from "../exposed.js";
import { type GuardOptions, guard, type ResourceOfOperation } from "../guard.js";
import type { ErrorReply } from "../reply.js";
import { bodyOf, type JsonBody } from "../request-body.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/** A hook of a route with these types: `Params`, `Body` and so on. */
type HookOf<Route extends RouteGenericInterface> = preHandlerAsyncHookHandler<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Route
>;

/**
 * A hook that lets an allowed request pass; {@link decided} gives its decision. It answers any other request with the
 * error envelope. Every response gets the request id as a header. It is a `preHandler`, so the body is already parsed and
 * valid. See `GuardOptions`. To read the key, pass `request` to `bearerKey`.
 */
export function authorize<
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOfOperation<T, Operation> = ResourceOfOperation<T, Operation>,
  Route extends RouteGenericInterface = RouteGenericInterface,
>(options: GuardOptions<FastifyRequest<Route>, T, Key, Operation, Resource>): HookOf<Route>;
export function authorize(options: GuardOptions<FastifyRequest>): preHandlerAsyncHookHandler {
  const check = guard(options);
  return async (request, reply) => {
    const guarded = await check(request);
    if (guarded.allowed) {
      attach(request, guarded.decided);
      reply.header(REQUEST_ID_HEADER, guarded.decided.requestId);
      return undefined;
    }
    return send(guarded.reply, reply);
  };
}

function send({ status, headers, body }: ErrorReply, reply: FastifyReply): FastifyReply {
  // Sent as bytes, so that Fastify adds no character set to the content type.
  return reply
    .code(status)
    .headers(headers)
    .send(new TextEncoder().encode(JSON.stringify(body)));
}

/**
 * The body that Fastify has read. Throws an `ApiError` (400) if it is not a JSON object, or none was sent. Within
 * `authorize`, and before {@link answerErrors}, that error is the response.
 */
export function jsonBody(request: FastifyRequest): JsonBody {
  return bodyOf(request.body);
}

/**
 * For `setErrorHandler`. Answers with the error envelope an `ApiError`, a body that could not be read (400, 413, 415),
 * and any other error (500). Errors with `expose: true`, and errors of Fastify and its plugins (4xx with a code
 * `FST_…`), are left to Fastify, except a 403, which is answered as `forbidden`. Throws a `TypeError` for a malformed
 * `docsUrl`, `service` or `category`, for an unknown option or an invalid value.
 */
export function answerErrors(
  options: AnswerErrorsOptions<FastifyRequest>,
): Parameters<FastifyInstance["setErrorHandler"]>[0] {
  checkAnswerOptions(options);
  return (error, request, reply) => {
    const answer = errorAnswer(error, request, request, options, fastifyStatus);
    return answer === undefined ? reply.send(error) : send(answer, reply);
  };
}

/** The status of an error of Fastify or its plugins, if the caller caused the error. */
function fastifyStatus(error: unknown): number | undefined {
  const isFastifys = error instanceof Error && "code" in error && /^FST_/.test(String(error.code));
  const status = statusIn(error);
  return isFastifys && status !== undefined && status < 500 ? status : undefined;
}

/** The decision with which {@link authorize} let a request pass. Throws an `Error` if there is none. */
export function decided<T extends PolicyTypes = PolicyTypes>(
  request: FastifyRequest,
): GuardDecision<DecisionRequest<T>, Decision<T>>;
export function decided(request: FastifyRequest): GuardDecision {
  return attached(request);
}
