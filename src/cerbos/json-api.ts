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
import { type NamedTokens, namedTokens, type Token } from "./named-tokens.js";
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

/** The claims of a token. Rejects with the fault of the token. */
export type ReadToken = (token: Token, now: Timestamp) => Promise<JsonMap>;

/** The inputs of an answer that the body of a request lacks. */
export interface ApiCallContext {
  readonly now: Timestamp;
  /** `""` if there is no remote call. */
  readonly callId: string;
  /** Undefined: requests with tokens are refused. */
  readonly readToken: ReadToken | undefined;
}

export type ApiAnswer = E.Either<ApiRefusal, JsonObject>;

/** The answer to the parsed body of a request. A promise only for a request with tokens. */
export function apiAnswer<D extends DescMessage>(
  method: ApiMethod<D>,
  body: unknown,
  engine: CheckEngine,
  call: ApiCallContext,
): ApiAnswer | Promise<ApiAnswer> {
  const read = requestOf(method.request, body);
  if (E.isLeft(read)) return invalidArgument(read.left);
  const { request, named } = read.right;
  const fault = method.fault(request, DEFAULT_LIMITS);
  if (fault !== undefined) return invalidArgument(fault);
  const answer = (jwt: JsonMap, jwts: JsonMap): ApiAnswer => {
    const response = method.answer(engine, request, { now: call.now, callId: call.callId, jwt, jwts });
    return E.isLeft(response) ? E.left({ code: API_CODE.internal, message: response.left }) : response;
  };
  const token = method.auxData(request)?.jwt;
  if (token === undefined && named.size === 0) return answer({}, {});
  return answerWithClaims(token, named, call, answer);
}

async function answerWithClaims(
  token: Token | undefined,
  named: NamedTokens,
  { now, readToken }: ApiCallContext,
  answer: (jwt: JsonMap, jwts: JsonMap) => ApiAnswer,
): Promise<ApiAnswer> {
  if (readToken === undefined) {
    return invalidArgument(
      "invalid auxData: tokens are refused: --key-sets verifies them, and --insecure-jwt decodes them without that",
    );
  }
  let jwt: JsonMap = {};
  const jwts: { [name: string]: JsonMap } = Object.create(null);
  try {
    if (token !== undefined) jwt = await readToken(token, now);
    for (const [name, each] of named) jwts[name] = { claims: await readToken(each, now) };
  } catch (error) {
    return invalidArgument(`invalid auxData: ${messageOf(error)}`);
  }
  return answer(jwt, jwts);
}

function invalidArgument(message: string): ApiAnswer {
  return E.left({ code: API_CODE.invalidArgument, message });
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
