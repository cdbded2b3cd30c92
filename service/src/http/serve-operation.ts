/** One request to one operation. */

import { type DecisionRequest, decide } from "keyward";
import { ApiError, decisionRecord } from "keyward/http";
import { authenticate } from "../auth/authenticate.js";
import type { DecisionLog } from "../observability/decision-log.js";
import type { Metrics } from "../observability/metrics.js";
import type { Call, Operation } from "../operations/operation.js";
import type { Decider } from "../policies/decider.js";
import type { Policies } from "../policies/policies.js";
import type { Store } from "../store/store.js";
import { readBody } from "./body.js";
import { rateLimited } from "./problems.js";
import type { RateLimit } from "./rate-limit.js";
import { Refused } from "./refused.js";

/** What requests are served with. */
export interface Serving {
  readonly store: Store;
  readonly policies: Policies;
  readonly decider: Decider;
  readonly decisionLog: DecisionLog;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
}

/** Told of the caller as soon as it is known: for the log line of the request. */
export type OnCaller = (caller: { readonly keyId: string; readonly accountId: string }) => void;

/**
 * The operation's result. The order is that of what a caller may learn: who it is, whether it asks too often, and only
 * then what is wrong with what it sent.
 */
export async function serveOperation(
  serving: Serving,
  operation: Operation,
  { request, requestId, onCaller }: { request: Request; requestId: string; onCaller: OnCaller },
): Promise<unknown> {
  const { store, rateLimit } = serving;
  const caller = await authenticate(store.queries, request.headers);
  onCaller({ keyId: caller.key.id, accountId: caller.key.accountId });
  const wait = rateLimit.take(caller.key.id);
  if (wait !== undefined) throw new ApiError(rateLimited(wait));
  const body = await readBody(request);
  const call: Call = {
    caller,
    store,
    authorize: (question) => authorize(serving, requestId, question),
    permits: (question) => permits(serving, question),
  };
  return await operation.run(call, body);
}

async function authorize(
  { decider, decisionLog, metrics }: Serving,
  requestId: string,
  request: DecisionRequest,
): Promise<void> {
  const started = performance.now();
  const { decision, policySetHash } = await decider.decide(request, requestId);
  const durationMs = performance.now() - started;
  metrics.decision({ operation: request.operation, outcome: decision.outcome }, durationMs);
  await decisionLog.write(decisionRecord({ requestId, request, decision, durationMs, policySetHash }));
  if (decision.outcome !== "allow") throw new Refused(decision);
}

/** A PDP has the same policies, and could not be asked hundreds of questions for one request. */
function permits({ policies }: Serving, request: Omit<DecisionRequest, "account">): boolean {
  return decide(policies.current.set, { ...request, account: { id: "" } }).permission.effect === "allow";
}
