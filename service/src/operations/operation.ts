/** What an operation is, and what it has to work with. */

import type { z } from "@hono/zod-openapi";
import type { DecisionRequest } from "keyward";
import type { AccountRow, ApiRow, CallerRow, Holder, KeyRow, WorkspaceRow } from "../store/rows.js";
import type { Statement } from "../store/statements.js";
import type { Requests, Value } from "../store/store.js";
import type { Listing, Page } from "./listing.js";

/** What requests are about, by kind; `secret` is a key that is found by its secret. */
export interface Targets {
  readonly nothing: never;
  readonly workspace: WorkspaceRow;
  readonly api: ApiRow;
  readonly key: KeyRow;
  readonly secret: KeyRow;
}

/** What a request sees: the key that makes it, its account and the resource, all of one moment. */
export interface Sight<Target> {
  /** As of `SightRow`. */
  readonly version: string;
  readonly caller: CallerRow;
  readonly account: AccountRow;
  readonly target: Target;
}

/** What an operation may be decided on. */
export interface Question<Target> {
  readonly sight: Sight<Target>;
  readonly operation: string;
  readonly resource: DecisionRequest["resource"];
}

/** A change that was decided on, and is not made yet. */
export interface Change<Output> {
  readonly statement: Statement;
  /** The values of the statement from $4 on. */
  readonly values: readonly Value[];
  readonly output: Output;
  /** The key that is changed: a key changes another one only if it may all that this one may. */
  readonly over?: Holder;
  /** Whose powers the change makes or widens; what `before` may do already needs no grant. */
  readonly grants?: { readonly after: Holder; readonly before?: Holder };
  /** For the audit: what was made or changed, and how, without any secret. */
  readonly about: { readonly [field: string]: Value };
  /** What a unique constraint that the change breaks is called, and what the caller is told. */
  readonly conflict?: { readonly constraint: string; readonly error: Error };
}

/** How a change comes about: what is seen, what is decided on, and the change if it is allowed. */
export interface Proposal<Target, Output> extends Question<Target> {
  change(): Change<Output> | Promise<Change<Output>>;
}

/** One call of an operation. */
export interface Call {
  readonly store: Pick<Requests, "run">;
  /** Throws 401, 429, and then, for a body that is not of the operation's shape, 400. */
  input<Input extends z.ZodObject>(schema: Input): Promise<z.output<Input>>;
  /** Throws 401, 429, or 404 if there is no such thing in the caller's account. */
  see<Kind extends keyof Targets>(kind: Kind, id: string): Promise<Sight<Targets[Kind]>>;
  /** What is seen where no resource is asked for, or none is found. */
  seeIfAny<Kind extends keyof Targets>(kind: Kind, id: string): Promise<Sight<Targets[Kind] | undefined>>;
  /** Decides, records the decision, and throws `Refused` unless it is `allow`: 500 for a fault, 503 if there is none. */
  authorize(question: Question<unknown>): Promise<void>;
  /** A page of what the caller may read of a list. Each row is decided on, and not recorded. Throws 400 for its cursor. */
  list<Item>(
    listing: Listing<Item>,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<Item>>;
  /**
   * As {@link authorize}, and makes the change. `propose` is called again if what it saw has changed since, in this
   * process or another, before the change could be made.
   */
  change<Target, Output>(propose: () => Promise<Proposal<Target, Output>>): Promise<Output>;
  /** Throws 400 unless the policies in force know these roles and permissions. */
  requireKnown(granted: Pick<Holder, "roles" | "permissions">): void;
  /** The outcome of a request by another key; `over` is as in {@link Change}. Nothing is recorded. */
  ask(
    question: Omit<Question<unknown>, "sight"> & {
      readonly holder: Holder;
      readonly account: AccountRow;
      readonly over?: Holder;
    },
  ): Promise<"allow" | "insufficient_permissions" | "forbidden">;
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
  run(call: Call): Promise<unknown>;
}

export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  description: Description<Input, Output>,
  run: (call: Call, input: z.output<Input>) => Promise<z.input<Output>>,
): Operation {
  return { ...description, run: async (call) => run(call, await call.input(description.input)) };
}
