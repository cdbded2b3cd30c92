/** Types of operations, and the interface that they work with. */

import type { z } from "@hono/zod-openapi";
import type { UncoveredRequest } from "keyward";
import type { AccountRow, ApiRow, CallerRow, ChainedKey, KeyPowers, KeyRow, WorkspaceRow } from "../store/rows.js";
import type { Statement } from "../store/statement.js";
import type { ParameterValue, RequestStore } from "../store/store.js";
import type { Listing, Page } from "./listing.js";
import type { Resource } from "./resources.js";

/** The targets of requests, by kind. `secret` is a key that is looked up by its secret. */
export interface Targets {
  readonly nothing: never;
  readonly workspace: WorkspaceRow;
  readonly api: ApiRow;
  readonly key: KeyRow;
  readonly secret: KeyRow;
}

/** A consistent snapshot for a request: the key that makes it, its account and the resource. */
export interface RequestSnapshot<Target> {
  /** The version of the rows; see `SightRow`. */
  readonly version: string;
  readonly caller: CallerRow;
  readonly account: AccountRow;
  readonly target: Target;
}

/** The input of a decision on an operation. */
export interface ServiceQuestion<Target> {
  readonly sight: RequestSnapshot<Target>;
  readonly operation: string;
  readonly resource: Resource;
}

/** A change that was decided on, but not yet made. */
export interface Change<Output> {
  readonly statement: Statement;
  /** The parameters of the statement from $4 on. Those that create have the answer to store as a further, last one. */
  readonly values: readonly ParameterValue[];
  readonly output: Output;
  /** The key that is changed. A key may change another key only if it has all powers of that key. */
  readonly over?: ChainedKey;
  /** The key that the change creates, or gives more powers to. The powers of `before` need no grant. */
  readonly grants?: { readonly after: KeyPowers; readonly before?: KeyPowers };
  /** A further request that the permission layer must allow to the caller, and to each key above it. */
  readonly needs?: UncoveredRequest;
  /** For the audit: the created or changed values, without any secret. */
  readonly about: { readonly [field: string]: ParameterValue };
  /** A unique constraint that the change may violate, and the error for the caller. */
  readonly conflict?: { readonly constraint: string; readonly error: Error };
}

/** A snapshot, a request to decide, and the change if it is allowed. */
export interface Proposal<Target, Output> extends ServiceQuestion<Target> {
  change(): Change<Output> | Promise<Change<Output>>;
}

/** One call of an operation. */
export interface Call {
  readonly store: Pick<RequestStore, "run">;
  /** Parses the body. Throws 401, 429, and then 400 if the body does not match the operation's schema. */
  input<Input extends z.ZodObject>(schema: Input): Promise<z.output<Input>>;
  /** Reads a snapshot. Throws 401, 429, or 404 if the caller's account has no such resource. */
  see<Kind extends keyof Targets>(kind: Kind, id: string): Promise<RequestSnapshot<Targets[Kind]>>;
  /** Reads a snapshot without a resource, or with one that may be missing. */
  seeIfAny<Kind extends keyof Targets>(kind: Kind, id: string): Promise<RequestSnapshot<Targets[Kind] | undefined>>;
  /**
   * Decides, and records the decision. Throws `Refused` unless it is `allow`; 500 for a fault, 503 without a decision.
   */
  authorize(question: ServiceQuestion<unknown>): Promise<void>;
  /**
   * A page of the list's rows that the caller may read. Decisions on rows are not recorded. Throws 400 for a bad
   * cursor.
   */
  list<Item>(
    listing: Listing<Item>,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<Item>>;
  /**
   * As {@link authorize}, and makes the change. `propose` is called again if its snapshot was changed, by this process
   * or another, before the change could be made.
   */
  change<Target, Output>(propose: () => Promise<Proposal<Target, Output>>): Promise<Output>;
  /**
   * As {@link change}, for an operation that creates. A request that repeats an earlier one, by its `Idempotency-Key`,
   * gets the output of that one and makes no change. Throws 400 for a malformed key, and 422 for a key that came with
   * another input.
   */
  create<Target, Output>(
    request: {
      /** The operation, for policies, while nothing but permissions is in the way. */
      readonly operation: string;
      readonly input: object;
      readonly output: z.ZodType<Output>;
    },
    propose: () => Promise<Proposal<Target, Output>>,
  ): Promise<Output>;
  /**
   * The first resource on which the permission layer allows an operation to a key and the keys above it; the first of
   * all if there is none.
   * Nothing is recorded.
   */
  firstPermitted(holder: ChainedKey, operation: string, resources: readonly [Resource, ...Resource[]]): Resource;
  /** Throws 412 if the request has an `If-Match` that is not the entity tag of this version. */
  requireMatch(version: object): void;
  /** Puts an entity tag into the response, that of the view or of the part that belongs to its version; returns the view. */
  tagged<View extends object>(view: View, version?: object): View;
  /**
   * Takes credits of a key, unless fewer are left. `remaining` are those that are left then; undefined if the use of the
   * key is not limited any more. Throws 499 for a caller that has left.
   */
  takeCredits(
    keyId: string,
    cost: number,
  ): Promise<{ readonly isTaken: boolean; readonly remaining: number } | undefined>;
  /** The requests that a key may make at once, by the limit of this replica; null without a limit. */
  remainingOf(keyId: string): { readonly limit: number; readonly remaining: number } | null;
  /** A key of the account with the keys above it; undefined if the account has no such key. */
  chainedKey(accountId: string, id: string): Promise<ChainedKey | undefined>;
  /** Throws 400 unless the policies in force know these roles and permissions. */
  requireKnown(granted: Pick<KeyPowers, "roles" | "permissions">): void;
  /** The outcome of a request by another key; `over` is as in {@link Change}. Nothing is recorded. */
  ask(
    question: Omit<ServiceQuestion<unknown>, "sight"> & {
      readonly holder: ChainedKey;
      readonly account: AccountRow;
      readonly over?: ChainedKey;
    },
  ): Promise<"allow" | "insufficient_permissions" | "forbidden">;
}

interface OperationDescription<Input extends z.ZodObject, Output extends z.ZodType> {
  /** The operation's name in policies, and the last part of its path: `keys.createKey`. */
  readonly name: string;
  /** The first part of its path. It answers under this version only. */
  readonly version: "v1" | "v2";
  readonly summary: string;
  /** True if it makes something new, so that requests may have an `Idempotency-Key`. */
  readonly creates?: true;
  /** True if the response has an entity tag. */
  readonly tagged?: true;
  /** True if its snapshots may be a short time old, where the service keeps any (`KEY_CACHE_MS`). */
  readonly cached?: true;
  /** True if the request may have an `If-Match`. */
  readonly conditional?: true;
  readonly input: Input;
  readonly output: Output;
}

/** An operation without the types of its input and output, for tables. */
export interface Operation extends OperationDescription<z.ZodObject, z.ZodType> {
  run(call: Call): Promise<unknown>;
}

export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  description: OperationDescription<Input, Output>,
  run: (call: Call, input: z.output<Input>) => Promise<z.input<Output>>,
): Operation {
  return { ...description, run: async (call) => run(call, await call.input(description.input)) };
}
