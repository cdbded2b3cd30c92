/** Serves one request to one operation. */

import { credentialsOf } from "../auth/authenticate.js";
import type { Operation } from "../operations/operation.js";
import { readBody } from "./body.js";
import { type IncomingCall, ServedCall } from "./call.js";
import type { Serving } from "./serving.js";

/**
 * The operation's result. The checks follow the order in which the caller may learn their results: authentication, then
 * the rate limit, and only then the faults of the body.
 */
export async function serveOperation(
  serving: Serving,
  operation: Operation,
  {
    request,
    requestId,
    within,
    onCaller,
  }: Pick<IncomingCall, "requestId" | "within" | "onCaller"> & { request: Request },
): Promise<unknown> {
  const credentials = credentialsOf(request.headers);
  const body = await readBody(request, serving.bodyLimit).then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  const call = new ServedCall(serving, { requestId, within, credentials, body, onCaller });
  // Limits each account, so that its requests leave room for others. The account is cached from an earlier request.
  return await serving.turns.run(serving.lanes.of(credentials.prefix), () => operation.run(call));
}
