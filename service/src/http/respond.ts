/** Maps thrown errors to responses. */

import {
  ApiError,
  type EnvelopeOptions,
  type ErrorReply,
  errorReply,
  INTERNAL_ERROR,
  refusalReply,
} from "keyward/http";
import { z } from "zod";
import { NotWritten } from "../observability/line-output.js";
import { NoDecision } from "../policies/decider.js";
import { StoreUnavailable } from "../store/faults.js";
import { bodyFault } from "./body.js";
import { UNAVAILABLE } from "./problems.js";
import { Refused } from "./refused.js";
import { NoTurn } from "./turns.js";

export interface Failure {
  readonly reply: ErrorReply;
  /** The outcome for logs and metrics. */
  readonly outcome: string;
  /** Whether the service itself is at fault. Operators must see such errors. */
  readonly fault: boolean;
}

/** The response to an error. */
export function failureOf(error: unknown, envelope: EnvelopeOptions): Failure {
  if (error instanceof Refused) {
    const reply = refusalReply(error.decision, envelope);
    const { challenge } = error;
    const fields = challenge === undefined ? {} : { "www-authenticate": challenge };
    if (reply !== undefined) {
      const challenged = { ...reply, headers: { ...reply.headers, ...fields } };
      return { reply: challenged, outcome: error.decision.outcome, fault: false };
    }
  }
  const { description, fault } = describe(error);
  return { reply: errorReply(description, envelope), outcome: description.code, fault };
}

/** Temporary errors: the caller may retry. */
const OUTAGES = [NoDecision, NotWritten, StoreUnavailable, NoTurn];

function describe(error: unknown) {
  if (error instanceof ApiError) return { description: error, fault: error.status >= 500 };
  if (error instanceof z.ZodError) return { description: bodyFault(error), fault: false };
  const outage = OUTAGES.some((kind) => error instanceof kind);
  return { description: outage ? UNAVAILABLE : INTERNAL_ERROR, fault: true };
}
