/** Decisions by another engine, which has to be asked and may not answer. */

import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import type { PolicyTypes } from "./policy-types.js";
import type { Decision, DecisionRequest } from "./types.js";

/**
 * Why there is no decision. A failure is not a refusal, and says nothing of the key or the resource: a service answers
 * 503.
 *
 * - `unavailable`: the engine could not be reached, or says that it cannot answer.
 * - `timeout`: the engine did not answer in time.
 * - `cancelled`: the caller's own signal ended the wait.
 * - `refused`: the engine does not accept the request. The two do not agree on a limit, or on the callers that may ask.
 * - `invalid_answer`: the response does not answer the question.
 * - `other_policies`: the engine answered by other policies than those that it is meant to have.
 */
export interface DecisionFailure {
  readonly kind: "unavailable" | "timeout" | "cancelled" | "refused" | "invalid_answer" | "other_policies";
  /** For operators. It has no attribute values in it. */
  readonly message: string;
  /** The value that was thrown, if something was thrown. */
  readonly cause?: unknown;
}

/** A decision that has to be waited for. It never rejects. */
export type DecisionTask<T extends PolicyTypes = PolicyTypes> = TaskEither<DecisionFailure, Decision<T>>;

/** Options of a question to another engine. */
export interface AskOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The request's id, for the logs of the engine that is asked. */
  readonly requestId?: string | undefined;
}

/** Decides elsewhere; the counterpart of `decide`. */
export type RemoteDecide<T extends PolicyTypes = PolicyTypes> = (
  request: DecisionRequest<T>,
  options?: AskOptions,
) => DecisionTask<T>;
