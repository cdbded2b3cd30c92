/** `keyward/http/hono`: decisions as a middleware of Hono. */

import type { Context, Env, MiddlewareHandler } from "hono";
import type { KeyOf, OperationOf, PolicyTypes } from "../../decisions/policy-types.js";
import type { Decided } from "../decision-record.js";
import { type DecidedOn, type GuardOptions, guard, type ResourceOn } from "../guard.js";
import { responseOf } from "../reply.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/** What handlers behind {@link authorize} have in their context: `c.var.decided`. */
export interface DecidedEnv<Made = Decided> extends Env {
  readonly Variables: { readonly decided: Made };
}

/**
 * A middleware that lets a request pass if it is allowed, with the decision in `c.var.decided`, and answers with the
 * error envelope otherwise. Every response gets the request id as a header. See `GuardOptions`; the body of a request
 * can be read there and again in the handler (`c.req.json()`).
 */
export function authorize<
  E extends Env = Env,
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOn<T, Operation> = ResourceOn<T, Operation>,
>(
  options: GuardOptions<Context<E>, T, Key, Operation, Resource>,
): MiddlewareHandler<DecidedEnv<DecidedOn<T, Key, Operation, Resource>>>;
export function authorize(options: GuardOptions<Context<DecidedEnv>>): MiddlewareHandler<DecidedEnv> {
  const check = guard(options);
  return async (context, next) => {
    const guarded = await check(context);
    if (!guarded.allowed) return responseOf(guarded.reply);
    context.set("decided", guarded.decided);
    await next();
    context.header(REQUEST_ID_HEADER, guarded.decided.requestId);
    return undefined;
  };
}
