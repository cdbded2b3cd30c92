/**
 * Decides on an HTTP request in any framework: reads the key, the resource and its account, decides, and makes the
 * response. The adapters (`keyward/http/hono`, …) add only a few lines to this.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import type { ErrorBodyOptions } from "../decisions/error-body.js";
import type { KeptDeciders } from "../decisions/kept-deciders.js";
import type { AccountOf, KeyOf, KindOf, OperationOf, PolicyTypes, ResourceOf } from "../decisions/policy-types.js";
import type { DecisionTask } from "../decisions/remote-decide.js";
import { requestId as newRequestId } from "../decisions/request-id.js";
import { snapshot } from "../decisions/snapshot.js";
import type { Decision, DecisionRequest } from "../decisions/types.js";
import {
  ANY,
  among,
  CALLBACK,
  checkOptions,
  FLAG,
  OBJECT,
  type OptionTable,
  required,
  TEXT,
} from "../policy/options.js";
import type { GuardDecision } from "./decision-record.js";
import { ApiError, type ErrorDescription, INTERNAL_ERROR, SERVICE_UNAVAILABLE } from "./errors.js";
import { type HintHeaderOptions, hintHeaders } from "./refusal-hints.js";
import { type ErrorReply, errorReply, refusalReply } from "./reply.js";

/**
 * The result of a function of {@link GuardOptions}: the value, or the error for the response. The function may also
 * throw.
 */
export type GuardInput<T> = T | ApiError | Promise<T | ApiError>;

/**
 * How to decide on a request of a framework. `C` is the framework's own request or context.
 *
 * The functions are called in this order: `key`, `operation`, `resource`, `account`. If one returns or throws an
 * {@link ApiError}, the caller gets that error (401 for a key that is not valid, 404 for a resource that the caller may
 * not know of). Any other thrown value is answered with 500, without details.
 */
export interface GuardOptions<
  C,
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOfOperation<T, Operation> = ResourceOfOperation<T, Operation>,
> extends Omit<ErrorBodyOptions, "requestId">,
    HintHeaderOptions<T> {
  /**
   * One of:
   *
   * - `(request) => decide(policies, request)`. For typed policies its parameter type determines the other types:
   *   `(request: DecisionRequest<Policies>) => …`. It gets a `snapshot` of the values that the functions gave.
   * - A decider of `keyward/cerbos`, called in the same way. No decision is answered with 503.
   * - The result of `keepDeciders`. It gets the values themselves.
   */
  readonly decide:
    | ((
        request: DecisionRequest<T>,
        about: { readonly context: C; readonly requestId: string },
      ) => Decision<T> | Promise<Decision<T>> | DecisionTask<T>)
    | KeptDeciders<T>;
  /** The caller's key, read anew for each request. */
  readonly key: (context: C) => GuardInput<Key>;
  /** The operation's name. */
  readonly operation: Operation | ((context: C, known: { readonly key: Key }) => GuardInput<Operation>);
  /** The resource in its current state, looked up among the resources of the key's account. */
  readonly resource: (
    context: C,
    known: { readonly key: Key; readonly operation: NoInfer<Operation> },
  ) => GuardInput<Resource>;
  /** The account that owns the resource. */
  readonly account: (
    context: C,
    known: { readonly key: Key; readonly operation: NoInfer<Operation>; readonly resource: NoInfer<Resource> },
  ) => GuardInput<AccountOf<T>>;
  /** The decision's clock. Default: none, for policies that do not read the time. */
  readonly now?: (context: C) => Date;
  /** Default: a new id for each request. */
  readonly requestId?: (context: C) => string;
  /** Called with each decision before it takes effect, to record it. Errors of this function are answered with 500. */
  readonly onDecision?: (
    decided: GuardDecisionOn<T, NoInfer<Key>, NoInfer<Operation>, NoInfer<Resource>>,
    context: C,
  ) => void | Promise<void>;
  /**
   * How to answer a decision with a `fault`: a refusal because the question was wrong, not the key or the resource.
   * `fail` (default): 500, so that a broken deployment does not look like refusals, and no caller is told to use another
   * key. `refuse`: the 403 of the decision's outcome. `onError` is called in both cases.
   */
  readonly onFault?: "fail" | "refuse";
  /**
   * The error for a refusal, in place of the contract's 403: 402 for an account that must pay, 409 for a state that the
   * caller can change. `undefined` keeps the 403. It is called after `onDecision`, for refusals only, so it cannot allow
   * anything. Any other result, and an error other than an {@link ApiError}, is answered with 500.
   */
  readonly answer?: (decision: Decision<T>, context: C) => ApiError | undefined;
  /**
   * Called with the details that the caller is not told: a thrown value, the reason why there is no decision (a
   * `DecisionFailure`), or the fault of a question (a `WiringFault`). Errors of this function are ignored.
   */
  readonly onError: (error: unknown, context: C, requestId: string) => void;
}

export const GUARD_OPTIONS = {
  docsUrl: ANY,
  service: ANY,
  category: ANY,
  policies: ANY,
  challenge: FLAG,
  acceptedHeader: ANY,
  decide: required({
    has: (value) => CALLBACK.has(value) || OBJECT.has(value),
    said: "a function, or the result of keepDeciders",
  }),
  key: required(CALLBACK),
  operation: required({ has: (value) => TEXT.has(value) || CALLBACK.has(value), said: "a text or a function" }),
  resource: required(CALLBACK),
  account: required(CALLBACK),
  now: CALLBACK,
  requestId: CALLBACK,
  onDecision: CALLBACK,
  onFault: among(["fail", "refuse"]),
  answer: CALLBACK,
  onError: CALLBACK,
} satisfies OptionTable<GuardOptions<unknown>>;

/** The resources to which an operation can apply. */
export type ResourceOfOperation<T extends PolicyTypes, Operation extends string> = {
  readonly [K in KindOf<T>]: Operation extends OperationOf<T, K> ? ResourceOf<T, K> : never;
}[KindOf<T>];

/** A decision, with the key and the resource of the types that the functions returned. */
export type GuardDecisionOn<T extends PolicyTypes, Key, Operation, Resource> = GuardDecision<
  {
    readonly key: Key;
    readonly operation: Operation;
    readonly resource: Resource;
    readonly account: AccountOf<T>;
    readonly now?: Date | undefined;
  },
  Decision<T>
>;

/** How to proceed with a request: continue, or answer with an error. */
export type GuardResult<Made = GuardDecision> =
  | { readonly allowed: true; readonly decided: Made }
  | { readonly allowed: false; readonly requestId: string; readonly reply: ErrorReply };

/**
 * Makes a function that decides on requests. It never rejects, and any error on the way is never `allowed`. Throws a
 * `TypeError` for a malformed `docsUrl`, `service` or `category`, for `challenge` without `policies`, for an unknown
 * option or an invalid value.
 */
export function guard<
  C,
  T extends PolicyTypes = PolicyTypes,
  Key extends KeyOf<T> = KeyOf<T>,
  Operation extends OperationOf<T> = OperationOf<T>,
  Resource extends ResourceOfOperation<T, Operation> = ResourceOfOperation<T, Operation>,
>(
  options: GuardOptions<C, T, Key, Operation, Resource>,
): (context: C) => Promise<GuardResult<GuardDecisionOn<T, Key, Operation, Resource>>>;
export function guard<C>(options: GuardOptions<C>): (context: C) => Promise<GuardResult> {
  checkOptions(options, GUARD_OPTIONS);
  const { docsUrl, service, category } = options;
  const envelopeFor = (requestId: string) => ({ docsUrl, service, category, requestId });
  refusalReply({ outcome: "forbidden" }, envelopeFor(newRequestId()));
  const hinted = hintHeaders(options);
  // A refusal stays a refusal without its hints.
  const hintFields = async (decision: Decision, request: DecisionRequest, context: C, requestId: string) => {
    try {
      return await hinted(decision, request);
    } catch (error) {
      report(options, error, context, requestId);
      return {};
    }
  };
  return async (context) => {
    let requestId = newRequestId();
    const refused = (error: ErrorDescription): GuardResult => ({
      allowed: false,
      requestId,
      reply: errorReply(error, envelopeFor(requestId)),
    });
    try {
      if (options.requestId !== undefined) {
        const given = options.requestId(context);
        errorReply(INTERNAL_ERROR, envelopeFor(given));
        requestId = given;
      }
      const request = await requestOf(options, context);
      if (request instanceof ApiError) return refused(request);
      const started = performance.now();
      const { decide } = options;
      const made =
        typeof decide === "function" ? decide(snapshot(request), { context, requestId }) : decide.decide(request);
      const answer = await (typeof made === "function" ? made() : made);
      const durationMs = performance.now() - started;
      if ("_tag" in answer && isLeft(answer)) {
        report(options, answer.left, context, requestId);
        return refused(SERVICE_UNAVAILABLE);
      }
      const decision = "_tag" in answer ? answer.right : answer;
      const decided = { requestId, request, decision, durationMs };
      await options.onDecision?.(decided, context);
      const { outcome, fault } = decision;
      if (fault !== undefined) {
        report(options, fault, context, requestId);
        if (options.onFault !== "refuse") return refused(INTERNAL_ERROR);
      } else if (outcome === "allow") return { allowed: true, decided };
      const instead = options.answer?.(decision, context);
      if (instead instanceof ApiError) return refused(instead);
      if (instead !== undefined) throw new TypeError("answer must return an ApiError or undefined");
      const reply = refusalReply(decision, envelopeFor(requestId));
      if (reply === undefined) throw new Error("a refusal without a reply");
      const headers = { ...(await hintFields(decision, request, context, requestId)), ...reply.headers };
      return { allowed: false, requestId, reply: { ...reply, headers } };
    } catch (error) {
      if (error instanceof ApiError) return refused(error);
      report(options, error, context, requestId);
      return refused(INTERNAL_ERROR);
    }
  };
}

async function requestOf<C>(options: GuardOptions<C>, context: C): Promise<DecisionRequest | ApiError> {
  const key = await options.key(context);
  if (key instanceof ApiError) return key;
  const given = options.operation;
  const operation = typeof given === "string" ? given : await given(context, { key });
  if (operation instanceof ApiError) return operation;
  const resource = await options.resource(context, { key, operation });
  if (resource instanceof ApiError) return resource;
  const account = await options.account(context, { key, operation, resource });
  if (account instanceof ApiError) return account;
  const now = options.now?.(context);
  return { key, operation, resource, account, ...(now === undefined ? {} : { now }) };
}

function report<C>(options: GuardOptions<C>, error: unknown, context: C, requestId: string): void {
  try {
    options.onError(error, context, requestId);
  } catch {
    // Nothing is left to report the error to. The request is still refused.
  }
}
