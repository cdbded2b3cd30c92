/** A client of `@cerbos/core` that needs no server. */

import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  Message,
  MessageShape,
  MessageValidType,
} from "@bufbuild/protobuf";
import { create, fromBinary, isMessage, toBinary } from "@bufbuild/protobuf";
import {
  type CheckResourcesRequest,
  CheckResourcesRequestSchema,
  type PlanResourcesRequest,
  PlanResourcesRequestSchema,
} from "@cerbos/api/cerbos/request/v1/request_pb";
import {
  type CheckResourcesResponse,
  CheckResourcesResponseSchema,
  type PlanResourcesResponse,
  PlanResourcesResponseSchema,
  ServerInfoResponseSchema,
} from "@cerbos/api/cerbos/response/v1/response_pb";
import { CerbosService } from "@cerbos/api/cerbos/svc/v1/svc_pb";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "@cerbos/api/grpc/health/v1/health_pb";
import * as core from "@cerbos/core";
import {
  type CheckResourcesRequest as CheckResourcesCall,
  type CheckResourcesResponse as CheckResourcesResult,
  Client,
  NotOK,
  type Options,
  type PlanResourcesRequest as PlanResourcesCall,
  type PlanResourcesResponse as PlanResourcesResult,
  type RequestOptions,
  Status,
} from "@cerbos/core";
import { isLeft } from "fp-ts/lib/Either.js";
import { timestampAt } from "../cel/time.js";
import type { JsonMap, Timestamp } from "../cel/values.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import { ANY, CALLBACK, checkOptions, LIMIT, OBJECT, type OptionTable, type OptionValues } from "../policy/options.js";
import { newCallId } from "./call-id.js";
import { type ValidatedCall, validateCall } from "./call-validation.js";
import { type CheckContext, checkResources } from "./check-resources.js";
import { serverClaims } from "./claims.js";
import { type NamedTokens, NO_TOKENS, type Token } from "./named-tokens.js";
import { planRequestFault } from "./plan-request-faults.js";
import { planResources } from "./plan-resources.js";
import { DEFAULT_LIMITS, type RequestLimits, requestFault } from "./request-faults.js";

export interface EmbeddedClientOptions extends Pick<Options, "onValidationError"> {
  /**
   * Verifies and decodes each token of a request (`auxData.jwt`, or the tokens of `auxData.jwts`). Without this function,
   * a request with a token is refused. An error of this function refuses the request with status `INVALID_ARGUMENT` and
   * no detail. Expressions read the claims as on the server: `exp`, `iat` and `nbf` as RFC 3339 text, `aud` as a list.
   * `keySetVerifier` makes such a function from key sets.
   */
  readonly decodeJWT?: (token: string, keySetId: string | undefined) => JsonMap | Promise<JsonMap>;
  /** Called with each check and its response, for decision logs. Its errors are not caught. */
  readonly onDecision?: (request: CheckResourcesRequest, response: CheckResourcesResponse) => void;
  /** Called with each request for a query plan and its response, likewise. */
  readonly onPlan?: (request: PlanResourcesRequest, response: PlanResourcesResponse) => void;
  /** The clock. Default: the system's. */
  readonly now?: () => Date;
  /** Default: 50 actions a resource, 50 resources a request. */
  readonly limits?: Partial<RequestLimits>;
}

/** Those of clients over the network have no effect here: a program may give all of its clients the same options. */
const CLIENT_OPTIONS = {
  tls: ANY,
  compression: ANY,
  channelOptions: ANY,
  adminCredentials: ANY,
  headers: ANY,
  playgroundInstance: ANY,
  userAgent: ANY,
  onValidationError: ANY,
  decodeJWT: CALLBACK,
  onDecision: CALLBACK,
  onPlan: CALLBACK,
  now: CALLBACK,
  limits: OBJECT,
} satisfies OptionTable<EmbeddedClientOptions & Options> & { readonly [network: string]: OptionValues };

const LIMITS = { maxActionsPerResource: LIMIT, maxResourcesPerRequest: LIMIT } satisfies OptionTable<RequestLimits>;

/** The type of a client that is an {@link EmbeddedClient} here, and a `GRPC` of `@cerbos/grpc` there. */
export interface CerbosClient extends Client {
  close(): void;
}

/**
 * A drop-in client for code written for `@cerbos/grpc` or `@cerbos/http`: `checkResource`, `checkResources`, `isAllowed`,
 * `planResources`, with validation-error callbacks, metadata and outputs.
 *
 * Rejects with `NotOK` and one of these statuses:
 *
 * - `Status.UNIMPLEMENTED` for calls that need a server (the admin API);
 * - `Status.INVALID_ARGUMENT` for a malformed request, also for attributes that JSON cannot express;
 * - `Status.CANCELLED` when the signal of the call aborts;
 * - `Status.INTERNAL` if query plans cannot express the policies: the server has no plan for them, either. And after
 *   `close()`, as from `GRPC`.
 */
export class EmbeddedClient extends Client implements CerbosClient {
  private readonly clientFor: (named: NamedTokens) => Client;
  private readonly lifetime: Lifetime;

  /** Throws a `TypeError` for an unknown option or an invalid value. */
  constructor(engine: CheckEngine, options: EmbeddedClientOptions = {}) {
    checkOptions(options, CLIENT_OPTIONS);
    checkOptions(options.limits ?? {}, LIMITS, "limits");
    const { onValidationError } = options;
    const lifetime = { isClosed: false };
    const transport = (named: NamedTokens) => new InProcessTransport(engine, options, named, lifetime);
    super(transport(NO_TOKENS), { onValidationError });
    this.clientFor = (named) => new CallClient(transport(named), { onValidationError });
    this.lifetime = lifetime;
  }

  /** Every later call is rejected. There is nothing to clean up. */
  close(): void {
    this.lifetime.isClosed = true;
  }

  /** `checkResource` and `isAllowed` call this method, too. */
  override async checkResources(request: CheckResourcesCall, options?: RequestOptions): Promise<CheckResourcesResult> {
    const { request: taken, named } = accepted(request, "check");
    if (named.size > 0) return await this.clientFor(named).checkResources(taken, options);
    return await super.checkResources(taken, options);
  }

  override async planResources(request: PlanResourcesCall, options?: RequestOptions): Promise<PlanResourcesResult> {
    const { request: taken, named } = accepted(request, "plan");
    if (named.size > 0) return await this.clientFor(named).planResources(taken, options);
    return await super.planResources(taken, options);
  }
}

interface Lifetime {
  isClosed: boolean;
}

/**
 * A client for one call with named tokens. Its transport carries the tokens, because the request message may lack the
 * field.
 */
class CallClient extends Client {
  constructor(transport: InProcessTransport, options: Pick<Options, "onValidationError">) {
    super(transport, options);
  }
}

/** @throws {NotOK} for a malformed request */
function accepted<R>(request: R, method: "check" | "plan"): ValidatedCall<R> {
  const taken = validateCall(request, method);
  if (isLeft(taken)) throw new NotOK(Status.INVALID_ARGUMENT, taken.left);
  return taken.right;
}

// Versions before 0.25.2 call a transport otherwise. They are the CommonJS modules that have neither of these names.
if ("__esModule" in core && !("_methodName" in core) && !("~updateSignal" in Client.prototype)) {
  throw new Error("keyward/cerbos needs @cerbos/core 0.25.2 or newer: npm install @cerbos/core@0.28.0");
}

/** The services that health checks know. The admin API is not among them. */
const SERVICES: ReadonlySet<string> = new Set(["", CerbosService.typeName]);

/** The transport of `@cerbos/core`: takes each method's request message and returns its response message. */
class InProcessTransport {
  private readonly engine: CheckEngine;
  private readonly options: EmbeddedClientOptions;
  private readonly limits: RequestLimits;
  private readonly named: NamedTokens;
  private readonly lifetime: Readonly<Lifetime>;

  /** `named`: the named tokens of each request. */
  constructor(engine: CheckEngine, options: EmbeddedClientOptions, named: NamedTokens, lifetime: Readonly<Lifetime>) {
    this.engine = engine;
    this.options = options;
    this.named = named;
    this.lifetime = lifetime;
    const {
      maxActionsPerResource = DEFAULT_LIMITS.maxActionsPerResource,
      maxResourcesPerRequest = DEFAULT_LIMITS.maxResourcesPerRequest,
    } = options.limits ?? {};
    this.limits = { maxActionsPerResource, maxResourcesPerRequest };
  }

  async unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageValidType<I>,
    _headers: Headers,
    abortHandler: AbortHandler,
  ): Promise<MessageShape<O>> {
    abortHandler.throwIfAborted();
    if (this.lifetime.isClosed) throw new NotOK(Status.INTERNAL, "the client is closed");
    const response = await this.answer(method, request, abortHandler);
    abortHandler.throwIfAborted();
    return inClientSchema(method, response);
  }

  // biome-ignore lint/correctness/useYield: there is nothing to stream without a server.
  async *serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
  ): AsyncGenerator<MessageShape<O>, void, undefined> {
    throw unimplemented(method.name);
  }

  private async answer(
    method: { readonly name: string; readonly parent: { readonly typeName: string } },
    request: unknown,
    abortHandler: AbortHandler,
  ): Promise<ResponseWithSchema> {
    const name = `${method.parent.typeName}/${method.name}`;
    if (isMessage(request, CheckResourcesRequestSchema)) {
      return [CheckResourcesResponseSchema, await this.check(request, abortHandler)];
    }
    if (isMessage(request, PlanResourcesRequestSchema)) {
      return [PlanResourcesResponseSchema, await this.plan(request, abortHandler)];
    }
    if (name === `${CerbosService.typeName}/ServerInfo`) {
      return [ServerInfoResponseSchema, create(ServerInfoResponseSchema, { version: "keyward" })];
    }
    if (isMessage(request, HealthCheckRequestSchema)) {
      if (!SERVICES.has(request.service)) throw new NotOK(Status.NOT_FOUND, "unknown service");
      const status = HealthCheckResponse_ServingStatus.SERVING;
      return [HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status })];
    }
    throw unimplemented(method.name);
  }

  private async check(request: CheckResourcesRequest, abortHandler: AbortHandler): Promise<CheckResourcesResponse> {
    const fault = requestFault(request, this.limits);
    if (fault !== undefined) throw new NotOK(Status.INVALID_ARGUMENT, fault);
    const context = await this.context(request, abortHandler);
    const response = answered(() => checkResources(this.engine, request, context));
    this.options.onDecision?.(request, response);
    return response;
  }

  private async plan(request: PlanResourcesRequest, abortHandler: AbortHandler): Promise<PlanResourcesResponse> {
    const fault = planRequestFault(request, this.limits);
    if (fault !== undefined) throw new NotOK(Status.INVALID_ARGUMENT, fault);
    const context = await this.context(request, abortHandler);
    const response = answered(() => planResources(this.engine, request, context));
    if ("fault" in response) throw new NotOK(Status.INTERNAL, `there is no query plan: ${response.fault}`);
    this.options.onPlan?.(request, response);
    return response;
  }

  private async context(
    { auxData }: Pick<CheckResourcesRequest, "auxData">,
    abortHandler: AbortHandler,
  ): Promise<CheckContext> {
    const now = this.now();
    const claims = (token: Token) => unlessAborted(abortHandler, () => this.claims(token));
    const jwt = auxData?.jwt === undefined ? {} : await claims(auxData.jwt);
    const jwts: { [name: string]: JsonMap } = Object.create(null);
    for (const [name, token] of this.named) jwts[name] = { claims: await claims(token) };
    return { now, jwt, jwts, callId: newCallId() };
  }

  private now(): Timestamp {
    return timestampAt((this.options.now?.() ?? new Date()).getTime());
  }

  private async claims({ token, keySetId }: Token): Promise<JsonMap> {
    const { decodeJWT } = this.options;
    if (decodeJWT === undefined) {
      throw new NotOK(Status.INVALID_ARGUMENT, "invalid auxData: the client has no decodeJWT");
    }
    try {
      return serverClaims(await decodeJWT(token, keySetId === "" ? undefined : keySetId));
    } catch (error) {
      throw new NotOK(Status.INVALID_ARGUMENT, "invalid auxData", { cause: error });
    }
  }
}

/** A transport's view of the signal of a call. */
interface AbortHandler {
  readonly signal: AbortSignal | undefined;
  /** The rejection of an aborted call: `Status.CANCELLED`, caused by the signal's reason. */
  error(): NotOK;
  throwIfAborted(): void;
}

/**
 * Rejects as soon as the signal aborts, for verifying a token may take for ever. Leaves no listener on the signal, which
 * may be one for many calls.
 */
async function unlessAborted<T>(abortHandler: AbortHandler, verify: () => Promise<T>): Promise<T> {
  const { signal } = abortHandler;
  abortHandler.throwIfAborted();
  if (signal === undefined) return await verify();
  return await new Promise((resolve, reject) => {
    const abort = () => reject(abortHandler.error());
    signal.addEventListener("abort", abort, { once: true });
    verify()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

type ResponseWithSchema = readonly [schema: DescMessage, message: Message];

/**
 * Converts an answer to the client's own copy of the API, as if decoded from the wire. A newer copy has fields that ours
 * lacks, and the client expects them.
 */
function inClientSchema<O extends DescMessage>(
  { name, output }: { readonly name: string; readonly output: O },
  [schema, message]: ResponseWithSchema,
): MessageShape<O> {
  if (schema.typeName !== output.typeName) throw unimplemented(name);
  const own = schema === output ? message : fromBinary(output, toBinary(schema, message));
  if (!isMessage(own, output)) throw unimplemented(name);
  return own;
}

/** Evaluates an answer. Attributes nested so deep that the stack overflows are not an error of the program. */
function answered<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    throw new NotOK(Status.INTERNAL, "the request cannot be evaluated", { cause: error });
  }
}

function unimplemented(method: string): NotOK {
  return new NotOK(Status.UNIMPLEMENTED, `${method} needs a Cerbos server`);
}
