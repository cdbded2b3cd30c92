/** `keyward/http/express`: decisions as a middleware of Express, 4 and 5. */

import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { KeyOf, OperationOf, PolicyTypes } from "../../decisions/policy-types.js";
import type { Decision, DecisionRequest } from "../../decisions/types.js";
import { type AnswerErrorsOptions, checkAnswerOptions, errorAnswer } from "../answer-errors.js";
import { attach, attached } from "../attached.js";
import type { Decided } from "../decision-record.js";
import { type GuardOptions, guard, type ResourceOn } from "../guard.js";
import type { ErrorReply } from "../reply.js";
import { bodyOf, type JsonBody } from "../request-body.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/**
 * A middleware that lets a request pass if it is allowed, with its decision to be read by {@link decided}, and answers
 * with the error envelope otherwise. Every response gets the request id as a header. See `GuardOptions`; for
 * `request.body` a parser has to come before, and for the key pass `request` to `bearerKey`.
 */
export function authorize<
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOn<T, Operation> = ResourceOn<T, Operation>,
>(options: GuardOptions<Request, T, Key, Operation, Resource>): RequestHandler;
export function authorize(options: GuardOptions<Request>): RequestHandler {
  const check = guard(options);
  return async (request, response, next) => {
    const guarded = await check(request);
    try {
      if (!guarded.allowed) return send(guarded.reply, response);
      attach(request, guarded.decided);
      response.setHeader(REQUEST_ID_HEADER, guarded.decided.requestId);
    } catch (error) {
      // There is an answer already. Express 4 does not look at what a handler's promise rejects with.
      return next(error);
    }
    return next();
  };
}

function send({ status, headers, body }: ErrorReply, response: Response): void {
  response.statusCode = status;
  // Not by Express's own setter, which adds a character set to the content type.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(JSON.stringify(body));
}

/**
 * The body that a parser before has read (`express.json()`). Throws an `ApiError` (400) if it is no JSON object, or none
 * was read: inside of `authorize` and before {@link answerErrors} that is the answer.
 */
export function jsonBody(request: Request): JsonBody {
  return bodyOf(request.body);
}

/**
 * An error handler, to be used last, that answers with the error envelope: an `ApiError`, a body that could not be read
 * (400, 413, 415), and any other error (500). Errors with `expose: true` are left to Express, but for a 403, which is
 * answered as `forbidden`. Throws a `TypeError` for a malformed `docsUrl`, `service` or `category`.
 */
export function answerErrors(options: AnswerErrorsOptions<Request>): ErrorRequestHandler {
  checkAnswerOptions(options);
  // By its four parameters Express knows it for an error handler.
  return (error, request, response, next) => {
    const reply = response.headersSent ? undefined : errorAnswer(error, request, request, options);
    if (reply === undefined) next(error);
    else send(reply, response);
  };
}

/** The decision by which {@link authorize} let a request pass. Throws an `Error` where it did not. */
export function decided<T extends PolicyTypes = PolicyTypes>(
  request: Request,
): Decided<DecisionRequest<T>, Decision<T>>;
export function decided(request: Request): Decided {
  return attached(request);
}
