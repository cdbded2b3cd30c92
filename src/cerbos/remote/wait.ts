/** Waiting for a server: as long as is allowed, and no longer, even for a client that does not look at its signal. */

import { NotOK, Status, ValidationFailed } from "@cerbos/core";
import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import type { DecisionFailure } from "../../decisions/remote-decide.js";

/**
 * What `ask` gives within `timeoutMs`; left, why there is nothing. `ask` gets a signal that ends its calls: when the time
 * is up, when `signal` says so, and when one of them fails. Never rejects.
 */
export async function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<Either<DecisionFailure, T>> {
  if (signal?.aborted === true) return left(CANCELLED);
  const controller = new AbortController();
  let end: (failure: DecisionFailure) => void = () => {};
  const over = new Promise<Either<DecisionFailure, T>>((resolve) => {
    end = (failure) => resolve(left(failure));
  });
  const timer = setTimeout(() => end({ kind: "timeout", message: `no answer within ${timeoutMs} ms` }), timeoutMs);
  const cancel = () => end(CANCELLED);
  signal?.addEventListener("abort", cancel, { once: true });
  const answer = await Promise.race([over, asked(ask, controller.signal)]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", cancel);
  // After an answer there is nothing left to end, and ending it takes a client longer than one would think.
  if (isLeft(answer)) controller.abort();
  return answer;
}

const CANCELLED: DecisionFailure = { kind: "cancelled", message: "the caller's signal ended the wait" };

async function asked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Either<DecisionFailure, T>> {
  try {
    return right(await ask(signal));
  } catch (error) {
    return left(failureOf(error));
  }
}

/** What a client's error says of the server. */
function failureOf(cause: unknown): DecisionFailure {
  if (cause instanceof ValidationFailed) {
    const message = "the server has other policies than these: its schemas refuse what those here accept";
    return { kind: "other_policies", message, cause };
  }
  if (!(cause instanceof NotOK)) return { kind: "unavailable", message: "the server could not be asked", cause };
  const message = `the server answers ${Status[cause.code]}`;
  if (cause.code === Status.DEADLINE_EXCEEDED) return { kind: "timeout", message, cause };
  return { kind: REFUSALS.has(cause.code) ? "refused" : "unavailable", message, cause };
}

/** What asking again does not change. */
const REFUSALS: ReadonlySet<Status> = new Set([
  Status.INVALID_ARGUMENT,
  Status.NOT_FOUND,
  Status.ALREADY_EXISTS,
  Status.PERMISSION_DENIED,
  Status.FAILED_PRECONDITION,
  Status.OUT_OF_RANGE,
  Status.UNIMPLEMENTED,
  Status.UNAUTHENTICATED,
]);
