/** The methods of Cerbos's API on JSON, as the server's HTTP API has them: from the body of a request to that of a response. */

import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import {
  type AuxData,
  CheckResourcesRequestSchema,
  PlanResourcesRequestSchema,
} from "@cerbos/api/cerbos/request/v1/request_pb";
import { PlanResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import * as E from "fp-ts/lib/Either.js";
import { areFinite } from "../cel/json.js";
import type { JsonMap, Timestamp } from "../cel/values.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import { type CheckContext, checkResourcesJson } from "./check-resources.js";
import { unverifiedClaims } from "./claims.js";
import { type NamedTokens, namedTokens } from "./named-tokens.js";
import { planRequestFault } from "./plan-request-faults.js";
import { planResources } from "./plan-resources.js";
import { DEFAULT_LIMITS, type RequestLimits, requestFault } from "./request-faults.js";

/** A method of the API. */
export interface ApiMethod<D extends DescMessage> {
  readonly request: D;
  /** The fault of a request; undefined if it is valid. */
  fault(request: MessageShape<D>, limits: RequestLimits): string | undefined;
  auxData(request: MessageShape<D>): AuxData | undefined;
  /** Right: the response to a valid request. Left: the reason why there is none. */
  answer(engine: CheckEngine, request: MessageShape<D>, context: CheckContext): E.Either<string, JsonObject>;
}

export const CHECK_METHOD: ApiMethod<typeof CheckResourcesRequestSchema> = {
  request: CheckResourcesRequestSchema,
  fault: requestFault,
  auxData: ({ auxData }) => auxData,
  answer: (engine, request, context) => E.right(checkResourcesJson(engine, request, context)),
};

export const PLAN_METHOD: ApiMethod<typeof PlanResourcesRequestSchema> = {
  request: PlanResourcesRequestSchema,
  fault: planRequestFault,
  auxData: ({ auxData }) => auxData,
  answer: (engine, request, context) => {
    const response = planResources(engine, request, context);
    if ("fault" in response) return E.left(`there is no query plan: ${response.fault}`);
    return E.right(toJson(PlanResourcesResponseSchema, response));
  },
};

/** The server's answer to an invalid request: `code` is the gRPC code. */
export interface ApiRefusal {
  readonly code: (typeof API_CODE)[keyof typeof API_CODE];
  readonly message: string;
}

export const API_CODE = { invalidArgument: 3, internal: 13 } as const;

/** The inputs of an answer that the body of a request lacks. */
export interface ApiCallContext {
  readonly now: Timestamp;
  /** `""` if there is no remote call. */
  readonly callId: string;
  /** True if tokens are decoded without checking their signatures. Otherwise requests with tokens are refused. */
  readonly insecureJwt: boolean;
}

/** The answer to the parsed body of a request. */
export function apiAnswer<D extends DescMessage>(
  method: ApiMethod<D>,
  body: unknown,
  engine: CheckEngine,
  call: ApiCallContext,
): E.Either<ApiRefusal, JsonObject> {
  const asked = questionOf(method, body, call);
  if (E.isLeft(asked)) return E.left({ code: API_CODE.invalidArgument, message: asked.left });
  const { request, context } = asked.right;
  const answer = method.answer(engine, request, context);
  return E.isLeft(answer) ? E.left({ code: API_CODE.internal, message: answer.left }) : answer;
}

interface ApiCall<D extends DescMessage> {
  readonly request: MessageShape<D>;
  readonly context: CheckContext;
}

/** Right: a valid request, with the claims of its tokens. Left: the fault. */
function questionOf<D extends DescMessage>(
  method: ApiMethod<D>,
  body: unknown,
  { now, callId, insecureJwt }: ApiCallContext,
): E.Either<string, ApiCall<D>> {
  const read = requestOf(method.request, body);
  if (E.isLeft(read)) return read;
  const { request, named } = read.right;
  const fault = method.fault(request, DEFAULT_LIMITS);
  if (fault !== undefined) return E.left(fault);
  const jwt = claimsOf(method.auxData(request)?.jwt?.token, now, insecureJwt);
  if (E.isLeft(jwt)) return jwt;
  const jwts: { [name: string]: JsonMap } = Object.create(null);
  for (const [name, { token }] of named) {
    const claims = claimsOf(token, now, insecureJwt);
    if (E.isLeft(claims)) return claims;
    jwts[name] = { claims: claims.right };
  }
  return E.right({ request, context: { now, jwt: jwt.right, jwts, callId } });
}

interface ApiRequestRead<D extends DescMessage> {
  readonly request: MessageShape<D>;
  readonly named: NamedTokens;
}

function requestOf<D extends DescMessage>(schema: D, body: unknown): E.Either<string, ApiRequestRead<D>> {
  if (!isJsonObject(body)) return E.left("a request must be a JSON object");
  const read = namedTokens(body);
  if (E.isLeft(read)) return read;
  const { request: value, named } = read.right;
  const request = E.tryCatch(() => fromJson(schema, value, { recursionLimit: 1_000 }), messageOf);
  if (E.isLeft(request)) return request;
  // `JSON.parse` reads `1e400` as infinity, and the protobuf decoder accepts that. `fromJson` has already refused values
  // nested too deeply to traverse.
  if (!areFinite(value)) return E.left("a number of the request is not a finite number");
  return E.right({ request: request.right, named });
}

/** True if the result of `JSON.parse` is an object. */
function isJsonObject(value: unknown): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function claimsOf(token: string | undefined, now: Timestamp, insecureJwt: boolean): E.Either<string, JsonMap> {
  if (token === undefined) return E.right({});
  if (!insecureJwt)
    return E.left("invalid auxData: tokens are not verified here; --insecure-jwt decodes them all the same");
  return E.tryCatch(
    () => unverifiedClaims(token, now),
    (error) => `invalid auxData: ${messageOf(error)}`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
