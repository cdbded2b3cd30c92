/** `keyward/http/express`: decisions as a middleware of Express 5. */

import type { Request, RequestHandler } from "express";
import type { KeyOf, OperationOf, PolicyTypes } from "../../decisions/policy-types.js";
import type { Decision, DecisionRequest } from "../../decisions/types.js";
import { attach, attached } from "../attached.js";
import type { Decided } from "../decision-record.js";
import { type GuardOptions, guard, type ResourceOn } from "../guard.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/**
 * A middleware that lets a request pass if it is allowed, with its decision to be read by {@link decided}, and answers
 * with the error envelope otherwise. Every response gets the request id as a header. See `GuardOptions`; for
 * `request.body` a parser has to come before, and for the key pass `request.headersDistinct` to `bearerKey`.
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
    if (guarded.allowed) {
      attach(request, guarded.decided);
      response.setHeader(REQUEST_ID_HEADER, guarded.decided.requestId);
      next();
      return;
    }
    const { status, headers, body } = guarded.reply;
    response.statusCode = status;
    // Not by Express's own setter, which adds a character set to the content type.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(JSON.stringify(body));
  };
}

/** The decision by which {@link authorize} let a request pass. Throws an `Error` where it did not. */
export function decided<T extends PolicyTypes = PolicyTypes>(
  request: Request,
): Decided<DecisionRequest<T>, Decision<T>>;
export function decided(request: Request): Decided {
  return attached(request);
}
