/** Who decides: the engine in this process, or one that has to be asked and may not answer. */

import type { TaskEither } from "fp-ts/lib/TaskEither.js";
import type { PolicyTypes } from "./policy-types.js";
import type { Decision, DecisionRequest } from "./types.js";

/**
 * Why there is no decision. It is no refusal, and says nothing of the key or the resource: a service answers 503.
 *
 * - `unavailable`: the engine could not be reached, or says that it cannot answer.
 * - `timeout`: it did not answer in time.
 * - `cancelled`: the caller's own signal ended the wait.
 * - `refused`: it does not accept the request: the two do not agree on a limit, or on who may ask.
 * - `invalid_answer`: what it answered is no answer to the question.
 * - `other_policies`: it answered by other policies than those it is meant to have.
 */
export interface DecisionFailure {
  readonly kind: "unavailable" | "timeout" | "cancelled" | "refused" | "invalid_answer" | "other_policies";
  /** For operators. It has no attribute values in it. */
  readonly message: string;
  /** What was thrown, if something was. */
  readonly cause?: unknown;
}

/** A decision that has to be waited for. It never rejects. */
export type DecisionTask<T extends PolicyTypes = PolicyTypes> = TaskEither<DecisionFailure, Decision<T>>;

/** What goes with a question that is asked elsewhere. */
export interface AskOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The request's id, for the logs of the one who is asked. */
  readonly requestId?: string | undefined;
}

/** Decides elsewhere; the counterpart of `decide`. */
export type RemoteDecide<T extends PolicyTypes = PolicyTypes> = (
  request: DecisionRequest<T>,
  options?: AskOptions,
) => DecisionTask<T>;
