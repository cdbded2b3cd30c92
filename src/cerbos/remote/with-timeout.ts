/** Waits for a server up to a time limit, even if a client ignores its signal. */

import { NotOK, Status, ValidationFailed } from "@cerbos/core";
import { type Either, isLeft, left, right } from "fp-ts/lib/Either.js";
import type { DecisionFailure } from "../../decisions/remote-decide.js";

/**
 * The result of `ask` if it arrives within `timeoutMs`. Left: why there is none. `ask` gets a signal that aborts its
 * calls: on timeout, when `signal` aborts, and when one of the calls fails. Never rejects.
 */
export async function withTimeout<T>(
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
  // After a successful answer there is nothing to abort, and aborting is slow in some clients.
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

/** The failure that a client's error stands for. */
function failureOf(cause: unknown): DecisionFailure {
  if (cause instanceof ValidationFailed) {
    const message =
      "the server's policies differ from these: its schemas reject attributes that the schemas here accept";
    return { kind: "other_policies", message, cause };
  }
  if (!(cause instanceof NotOK)) return { kind: "unavailable", message: "the server could not be asked", cause };
  const message = `the server answers ${Status[cause.code]}`;
  if (cause.code === Status.DEADLINE_EXCEEDED) return { kind: "timeout", message, cause };
  return { kind: REFUSALS.has(cause.code) ? "refused" : "unavailable", message, cause };
}

/** Statuses that a retry would not change. */
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
