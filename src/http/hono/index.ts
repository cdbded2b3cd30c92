/** `keyward/http/hono`: decisions as a middleware of Hono. */

import type { Context, Env, MiddlewareHandler } from "hono";
import type { Decided } from "../decision-record.js";
import { type GuardOptions, guard } from "../guard.js";
import { responseOf } from "../reply.js";
import { REQUEST_ID_HEADER } from "../request-id.js";

/** What handlers behind {@link authorize} have in their context: `c.var.decided`. */
export interface DecidedEnv extends Env {
  readonly Variables: { readonly decided: Decided };
}

/**
 * A middleware that lets a request pass if it is allowed, with the decision in `c.var.decided`, and answers with the
 * error envelope otherwise. Every response gets the request id as a header. See `GuardOptions`; the body of a request
 * can be read there and again in the handler (`c.req.json()`).
 */
export function authorize<E extends DecidedEnv = DecidedEnv>(options: GuardOptions<Context<E>>): MiddlewareHandler<E> {
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
