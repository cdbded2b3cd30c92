/** What an operation is, and what it has to work with. */

import type { z } from "@hono/zod-openapi";
import type { DecisionRequest } from "keyward";
import type { Caller } from "../auth/authenticate.js";
import type { Queries, Store } from "../store/store.js";

/** One call of an operation. */
export interface Call {
  readonly caller: Caller;
  readonly store: Store;
  /** Decides, records the decision, and throws `Refused` unless it is `allow`; 503 if there is no decision. */
  authorize(request: DecisionRequest): Promise<void>;
  /** Whether the permission layer, alone, allows. For questions about what a key could do: nothing is recorded. */
  permits(request: Omit<DecisionRequest, "account">): boolean;
}

/** A call in a transaction that holds the lock of the caller's account: nothing in the account changes but by it. */
export interface Change extends Call {
  readonly queries: Queries;
}

interface Description<Input extends z.ZodObject, Output extends z.ZodType> {
  /** `keys.createKey`: the operation in policies, and the last part of its path. */
  readonly name: string;
  /** The first part of its path, and the only version that it answers under. */
  readonly version: "v1" | "v2";
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
}

/** An operation with the types of its request and response forgotten, for tables. */
export interface Operation extends Description<z.ZodObject, z.ZodType> {
  run(call: Call, body: unknown): Promise<unknown>;
}

/** `input` is of the request's shape: `run` throws a `ZodError` for a body that is not. */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  description: Description<Input, Output>,
  run: (call: Call, input: z.output<Input>) => Promise<z.input<Output>>,
): Operation {
  return { ...description, run: (call, body) => run(call, description.input.parse(body)) };
}
