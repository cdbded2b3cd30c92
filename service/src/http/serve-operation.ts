/** Serves one request to one operation. */

import type { Context } from "@opentelemetry/api";
import { ApiError } from "keyward/http";
import { authenticate, type Credentials, credentialsOf } from "../auth/authenticate.js";
import { inSpan } from "../observability/tracing.js";
import type { Operation } from "../operations/operation.js";
import { KEY_PROOFS } from "../store/snapshots.js";
import { readBody } from "./body.js";
import { ServedCall } from "./call.js";
import { callerNetworkOf } from "./caller-address.js";
import type { IncomingCall } from "./incoming-call.js";
import { CALLER_GONE, rateLimited, UNEXPECTED_PRECONDITION } from "./problems.js";
import type { Serving } from "./serving.js";

/** The result of an operation. */
export interface ServedOperation {
  readonly data: unknown;
  /** Further fields of the response. */
  readonly headers: { readonly [name: string]: string };
}

/**
 * The operation's result. The checks follow the order in which the caller may learn their results: the limit of its
 * address, authentication, the limits of its key and its account, and only then the faults of the body.
 */
export async function serveOperation(
  serving: Serving,
  operation: Operation,
  { request, ...arrived }: Pick<IncomingCall, "requestId" | "within" | "onCaller" | "address"> & { request: Request },
): Promise<ServedOperation> {
  const wait = serving.limits.address.take(callerNetworkOf(arrived.address));
  if (wait !== undefined) throw new ApiError(rateLimited(wait, "The address"));
  const credentials = credentialsOf(request.headers);
  // A caller that was not seen lately is authenticated before its body is read.
  const accountId = serving.known.of(credentials.hash) ?? (await proved(serving, credentials, arrived.within));
  const body = await bodyOf(operation, request, serving.bodyLimit).then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  const requireCaller = () => {
    if (request.signal.aborted) throw new ApiError(CALLER_GONE);
  };
  const call = new ServedCall(serving, {
    ...{ ...arrived, credentials, accountId, body, requireCaller },
    isCached: operation.cached === true,
    idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
    ifMatch: request.headers.get("if-match") ?? undefined,
  });
  // Limits each account, so that its requests leave room for others.
  const data = await serving.turns.run(accountId, () => {
    requireCaller();
    return operation.run(call);
  });
  return { data, headers: call.headers };
}

/** The body. Throws its faults, and 400 for an `If-Match` that the operation would ignore: a change would be made anyway. */
async function bodyOf({ conditional }: Operation, request: Request, limit: number): Promise<unknown> {
  const body = await readBody(request, limit);
  if (conditional !== true && request.headers.has("if-match")) throw new ApiError(UNEXPECTED_PRECONDITION);
  return body;
}

/** The account of the key that the credentials prove. Throws 401. */
async function proved({ lookups, known }: Serving, credentials: Credentials, within: Context): Promise<string> {
  const { name } = KEY_PROOFS;
  const attributes = { "db.system.name": "postgresql", "db.operation.name": name };
  const look = () => lookups.find(credentials.prefix);
  const { accountId } = authenticate(credentials, await inSpan(within, { name, kind: "client", attributes }, look));
  known.learn(credentials.hash, accountId);
  return accountId;
}
