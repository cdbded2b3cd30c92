/** The commands that answer requests of the Cerbos API as the server's HTTP API does. */

import { type DescMessage, fromJson, type JsonObject, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import type { AuxData } from "@cerbos/api/cerbos/request/v1/request_pb";
import * as E from "fp-ts/lib/Either.js";
import { areFinite } from "../cel/json.js";
import { parseTimestamp } from "../cel/time.js";
import { type JsonMap, Timestamp } from "../cel/values.js";
import type { CheckContext } from "../cerbos/check-resources.js";
import { unverifiedClaims } from "../cerbos/claims.js";
import { type NamedTokens, namedTokens } from "../cerbos/named-tokens.js";
import { DEFAULT_LIMITS, type RequestLimits } from "../cerbos/request-faults.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import { jsonText } from "../policy/escape.js";
import { type Arguments, policiesOf, readArguments } from "./arguments.js";
import { EXIT, type ExitCode, messageOf, type Streams, UsageError } from "./exit.js";
import { type JsonText, readJsonValues } from "./json-values.js";
import { engineOptionsOf, loadEngine } from "./load-engine.js";
import { intoFile } from "./output-file.js";
import { readInput } from "./read-input.js";
import type { Usage } from "./usage.js";

/** A method of the API. */
export interface ApiMethod<D extends DescMessage> {
  readonly usage: Usage;
  readonly request: D;
  /** The fault of a request; undefined if it is valid. */
  fault(request: MessageShape<D>, limits: RequestLimits): string | undefined;
  auxData(request: MessageShape<D>): AuxData | undefined;
  /** Right: the response to a valid request. Left: the reason why there is none. */
  answer(engine: CheckEngine, request: MessageShape<D>, context: CheckContext): E.Either<string, JsonObject>;
}

export function apiCommand<D extends DescMessage>(
  method: ApiMethod<D>,
  args: readonly string[],
  streams: Streams,
): Promise<ExitCode> {
  return intoFile(readArguments(args, method.usage, 1), streams, (given, to) => answered(method, given, to));
}

async function answered<D extends DescMessage>(
  method: ApiMethod<D>,
  given: Arguments,
  streams: Streams,
): Promise<ExitCode> {
  const { texts, switches } = given;
  const directory = policiesOf(given);
  const now = clock(texts.get("now"));
  const loaded = await loadEngine(directory, given, {
    ...engineOptionsOf(given),
    failClosed: switches.has("fail-closed"),
  });
  if (E.isLeft(loaded)) {
    for (const line of loaded.left) streams.err(`${line}\n`);
    return EXIT.policies;
  }
  let code: ExitCode = EXIT.ok;
  for await (const json of readJsonValues(readInput(texts.get("input"), streams))) {
    const answer = answerTo(method, json, loaded.right, now(), switches.has("insecure-jwt"));
    if (E.isLeft(answer)) code = EXIT.usage;
    streams.out(`${jsonText(E.isLeft(answer) ? { ...answer.left, details: [] } : answer.right)}\n`);
  }
  return code;
}

/** The clock, read once for each request: the system's, or a constant. */
function clock(text: string | undefined): () => Timestamp {
  if (text === undefined) {
    return () => {
      const millis = Date.now();
      const seconds = Math.floor(millis / 1000);
      return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
    };
  }
  const time = parseTimestamp(text);
  if (time === undefined) throw new UsageError("--now must be an RFC 3339 timestamp");
  return () => time;
}

/** The server's answer to an invalid request: `code` is the gRPC code. */
interface ApiRefusal {
  readonly code: (typeof CODE)[keyof typeof CODE];
  readonly message: string;
}

const CODE = { invalidArgument: 3, internal: 13 } as const;

function answerTo<D extends DescMessage>(
  method: ApiMethod<D>,
  json: JsonText,
  engine: CheckEngine,
  now: Timestamp,
  insecure: boolean,
): E.Either<ApiRefusal, JsonValue> {
  const asked = questionOf(method, json, now, insecure);
  if (E.isLeft(asked)) return E.left({ code: CODE.invalidArgument, message: asked.left });
  const { request, context } = asked.right;
  const answer = method.answer(engine, request, context);
  return E.isLeft(answer) ? E.left({ code: CODE.internal, message: answer.left }) : answer;
}

interface ApiCall<D extends DescMessage> {
  readonly request: MessageShape<D>;
  readonly context: CheckContext;
}

/** Right: a valid request, with the claims of its tokens. Left: the fault. */
function questionOf<D extends DescMessage>(
  method: ApiMethod<D>,
  json: JsonText,
  now: Timestamp,
  insecure: boolean,
): E.Either<string, ApiCall<D>> {
  const read = requestOf(method.request, json);
  if (E.isLeft(read)) return read;
  const { request, named } = read.right;
  const fault = method.fault(request, DEFAULT_LIMITS);
  if (fault !== undefined) return E.left(fault);
  const jwt = claimsOf(method.auxData(request)?.jwt?.token, now, insecure);
  if (E.isLeft(jwt)) return jwt;
  const jwts: { [name: string]: JsonMap } = Object.create(null);
  for (const [name, { token }] of named) {
    const claims = claimsOf(token, now, insecure);
    if (E.isLeft(claims)) return claims;
    jwts[name] = { claims: claims.right };
  }
  // There is no remote call, so the call id is empty.
  return E.right({ request, context: { now, jwt: jwt.right, jwts, callId: "" } });
}

interface ApiRequestRead<D extends DescMessage> {
  readonly request: MessageShape<D>;
  readonly named: NamedTokens;
}

function requestOf<D extends DescMessage>(schema: D, json: JsonText): E.Either<string, ApiRequestRead<D>> {
  if (!json.ok) return E.left(json.path === "" ? json.message : `${json.path}: ${json.message}`);
  if (!isJsonObject(json.value)) return E.left("a request must be a JSON object");
  const read = namedTokens(json.value);
  if (E.isLeft(read)) return read;
  const { request: value, named } = read.right;
  const request = E.tryCatch(() => fromJson(schema, value, { recursionLimit: 1_000 }), messageOf);
  if (E.isLeft(request)) return request;
  // `JSON.parse` reads `1e400` as infinity, and the protobuf decoder accepts that. `fromJson` has already refused values
  // nested too deeply to traverse.
  if (!areFinite(value)) return E.left("a number of the request is not a finite number");
  return E.right({ request: request.right, named });
}

/** Whether the result of `JSON.parse` is an object. */
function isJsonObject(value: unknown): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function claimsOf(token: string | undefined, now: Timestamp, insecure: boolean): E.Either<string, JsonMap> {
  if (token === undefined) return E.right({});
  if (!insecure)
    return E.left("invalid auxData: tokens are not verified here; --insecure-jwt decodes them all the same");
  return E.tryCatch(
    () => unverifiedClaims(token, now),
    (error) => `invalid auxData: ${messageOf(error)}`,
  );
}
