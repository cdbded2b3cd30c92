/** `keyward/http/express`: decisions as a middleware of Express, 4 and 5. */

import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
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

/** The parameters of a route with an unknown path. */
type AnyParams = Request["params"];

/** A middleware for routes with these parameters. One for any route leaves the parameters that handlers see to the path. */
type MiddlewareOf<Params> = [AnyParams] extends [Params]
  ? <P>(request: Request<P>, response: Response, next: NextFunction) => void
  : RequestHandler<Params>;

/**
 * A middleware that lets an allowed request pass; {@link decided} gives its decision. It answers any other request with
 * the error envelope. Every response gets the request id as a header. See `GuardOptions`. To read `request.body`, a
 * parser must run first. To read the key, pass `request` to `bearerKey`.
 */
export function authorize<
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOfOperation<T, Operation> = ResourceOfOperation<T, Operation>,
  Params = AnyParams,
>(options: GuardOptions<Request<Params>, T, Key, Operation, Resource>): MiddlewareOf<Params>;
export function authorize(options: GuardOptions<Request>): RequestHandler {
  const check = guard(options);
  return async (request, response, next) => {
    const guarded = await check(request);
    try {
      if (!guarded.allowed) return send(guarded.reply, response);
      attach(request, guarded.decided);
      response.setHeader(REQUEST_ID_HEADER, guarded.decided.requestId);
    } catch (error) {
      // The response has been sent already. Express 4 ignores the rejection of a handler's promise.
      return next(error);
    }
    return next();
  };
}

function send({ status, headers, body }: ErrorReply, response: Response): void {
  response.statusCode = status;
  // Express's own setter would add a character set to the content type.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(JSON.stringify(body));
}

/**
 * The body that a parser such as `express.json()` has read. Throws an `ApiError` (400) if it is not a JSON object, or was
 * not read. Within `authorize`, and before {@link answerErrors}, that error is the response.
 */
export function jsonBody(request: Request): JsonBody {
  return bodyOf(request.body);
}

/**
 * An error handler; add it last. Answers with the error envelope an `ApiError`, a body that could not be read (400,
 * 413, 415), and any other error (500). Errors with `expose: true` are left to Express, except a 403, which is answered
 * as `forbidden`. Throws a `TypeError` for a malformed `docsUrl`, `service` or `category`, for an unknown option or an
 * invalid value.
 */
export function answerErrors(options: AnswerErrorsOptions<Request>): ErrorRequestHandler {
  checkAnswerOptions(options);
  // Express recognizes an error handler by its four parameters.
  return (error, request, response, next) => {
    const reply = response.headersSent ? undefined : errorAnswer(error, request, request, options, routerStatus);
    if (reply === undefined) next(error);
    else send(reply, response);
  };
}

/** The status of an error of Express's router: a part of the path that is not well-formed (`/keys/%zz`). */
function routerStatus(error: unknown): number | undefined {
  return error instanceof URIError && statusIn(error) === 400 ? 400 : undefined;
}

/** The decision with which {@link authorize} let a request pass. Throws an `Error` if there is none. */
export function decided<T extends PolicyTypes = PolicyTypes>(
  request: Request,
): GuardDecision<DecisionRequest<T>, Decision<T>>;
export function decided(request: Request): GuardDecision {
  return attached(request);
}
