/** Waiting for a server: as long as is allowed, and no longer, even for a client that does not look at its signal. */

import { NotOK, Status, ValidationFailed } from "@cerbos/core";
import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { DecisionFailure } from "../../decisions/decider.js";

/**
 * What `ask` gives within `timeoutMs`; left, why there is nothing. `ask` gets a signal that ends its calls: when the time
 * is up, when `signal` says so, and when the wait is over. Never rejects.
 */
export async function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<Either<DecisionFailure, T>> {
  const controller = new AbortController();
  let ended: DecisionFailure | undefined;
  let end: (failure: DecisionFailure) => void = () => {};
  const over = new Promise<Either<DecisionFailure, T>>((resolve) => {
    end = (failure) => {
      ended ??= failure;
      resolve(left(ended));
      controller.abort();
    };
  });
  const timer = setTimeout(() => end({ kind: "timeout", message: `no answer within ${timeoutMs} ms` }), timeoutMs);
  const cancel = () => end({ kind: "cancelled", message: "the caller's signal ended the wait" });
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted === true) cancel();
    const answer = ended === undefined ? asked(ask, controller.signal) : over;
    return await Promise.race([over, answer]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    controller.abort();
  }
}

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
