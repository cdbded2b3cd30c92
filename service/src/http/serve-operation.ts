/** One request to one operation. */

import { credentialsOf } from "../auth/authenticate.js";
import type { Operation } from "../operations/operation.js";
import { readBody } from "./body.js";
import { type Arrived, ServedCall } from "./call.js";
import type { Serving } from "./serving.js";

/**
 * The operation's result. The order is that of what a caller may learn: who it is, whether it asks too often, and only
 * then what is wrong with what it sent.
 */
export async function serveOperation(
  serving: Serving,
  operation: Operation,
  { request, requestId, within, onCaller }: Pick<Arrived, "requestId" | "within" | "onCaller"> & { request: Request },
): Promise<unknown> {
  const credentials = credentialsOf(request.headers);
  const body = await readBody(request, serving.bodyLimit).then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  const call = new ServedCall(serving, { requestId, within, credentials, body, onCaller });
  // One account's requests leave room for those of others: it is told from a key that was seen before.
  return await serving.turns.run(serving.lanes.of(credentials.prefix), () => operation.run(call));
}
