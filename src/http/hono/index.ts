/** `keyward/http/hono`: decisions as a middleware of Hono. */

import type { Context, Env, ErrorHandler, MiddlewareHandler } from "hono";
import type { KeyOf, OperationOf, PolicyTypes } from "../../decisions/policy-types.js";
import { type AnswerErrorsOptions, checkAnswerOptions, errorAnswer } from "../answer-errors.js";
import { attach } from "../attached.js";
import type { GuardDecision } from "../decision-record.js";
import { ApiError } from "../errors.js";
import { exposedStatus } from "../exposed.js";
import { type GuardDecisionOn, type GuardOptions, guard, type ResourceOfOperation } from "../guard.js";
import { responseOf } from "../reply.js";
import { bodyFaultIn, bodyOf, INVALID_BODY, type JsonBody, UNSUPPORTED_MEDIA_TYPE } from "../request-body.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/** The context variables of handlers behind {@link authorize}: `c.var.decided`. */
export interface DecidedEnv<Made = GuardDecision> extends Env {
  readonly Variables: { readonly decided: Made };
}

/**
 * A middleware that lets an allowed request pass, with the decision in `c.var.decided`. It answers any other request with
 * the error envelope. Every response gets the request id as a header. See `GuardOptions`; its functions can read the body
 * of a request, and the handler can read it again (`c.req.json()`).
 */
export function authorize<
  E extends Env = Env,
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOfOperation<T, Operation> = ResourceOfOperation<T, Operation>,
>(
  options: GuardOptions<Context<E>, T, Key, Operation, Resource>,
): MiddlewareHandler<DecidedEnv<GuardDecisionOn<T, Key, Operation, Resource>>>;
export function authorize(options: GuardOptions<Context<DecidedEnv>>): MiddlewareHandler<DecidedEnv> {
  const check = guard(options);
  return async (context, next) => {
    const guarded = await check(context);
    if (!guarded.allowed) return responseOf(guarded.reply);
    context.set("decided", guarded.decided);
    attach(context.req, guarded.decided);
    await next();
    context.header(REQUEST_ID_HEADER, guarded.decided.requestId);
    return undefined;
  };
}

/**
 * The body of a request. It can be read again. Throws an `ApiError` if its type is not JSON (415), if it is not a JSON
 * object (400), or exceeds `bodyLimit` (413). A body without a type is read as JSON. Within `authorize`, and with
 * {@link answerErrors}, that error is the response.
 */
export async function jsonBody(context: Context): Promise<JsonBody> {
  const type = context.req.header("content-type");
  if (type && !isJson(type)) throw new ApiError(UNSUPPORTED_MEDIA_TYPE);
  let parsed: unknown;
  try {
    parsed = await context.req.json();
  } catch (cause) {
    throw new ApiError(bodyFaultIn(cause) ?? INVALID_BODY, { cause });
  }
  return bodyOf(parsed);
}

/** `application/json`, or a type with the suffix `+json` (RFC 6839 §3.1), with or without parameters. */
function isJson(type: string): boolean {
  return /^\s*application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i.test(type);
}

/**
 * For `onError`. Answers with the error envelope an `ApiError`, a body that could not be read (400, 413, 415), and any
 * other error (500). An `HTTPException` is answered as it says, and an error with `expose: true` with its status and
 * message. A 403 among these is answered as `forbidden`. Throws a `TypeError` for a malformed `docsUrl`, `service` or
 * `category`, for an unknown option or an invalid value.
 */
export function answerErrors<E extends Env = Env>(options: AnswerErrorsOptions<Context<E>>): ErrorHandler<E> {
  checkAnswerOptions(options);
  return (error, context) => {
    const response = "getResponse" in error ? error.getResponse() : undefined;
    const reply = errorAnswer(error, context, context.req, options, () => response?.status);
    if (reply !== undefined) return responseOf(reply);
    return response ?? new Response(error.message, { status: exposedStatus(error) ?? 500 });
  };
}
