/** The handler of all endpoints. */

import { type Either, isLeft } from "fp-ts/lib/Either.js";
import type { JsonObject } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { ANY, CALLBACK, checkOptions, OBJECT, type OptionTable, required } from "../policy/options.js";
import { readBody } from "./body.js";
import { type AuthzenData, entityTables } from "./data.js";
import { evaluationIn } from "./entities.js";
import { type DecisionPoint, evaluated } from "./evaluation.js";
import { evaluatedAll, partsOf } from "./evaluations.js";
import type { AuthzenFault } from "./fault.js";
import { type AuthzenLimits, limitsOf } from "./limits.js";
import { type AuthzenMapping, expectMapping } from "./mapping.js";
import { baseOf, ENDPOINTS, type Endpoint, metadataOf, WELL_KNOWN } from "./metadata.js";
import { PageTokens } from "./page-tokens.js";
import { QuestionReader } from "./question.js";
import type { AuthzenDecision } from "./recorded.js";
import { type SearchContext, searched } from "./search.js";

/** The program that asks: a policy enforcement point. */
export interface AuthzenCaller {
  /** True if refusals tell it the names of rules and the texts of errors, as `context.reason_admin`. Default: false. */
  readonly isAdmin?: boolean;
}

export interface AuthzenOptions {
  /** The policies, or a function that gives the policies in force. It is called once for each HTTP request. */
  readonly policies: PolicySet | (() => PolicySet);
  /** Default: properties are attributes, and a subject's type is its role. */
  readonly mapping?: AuthzenMapping;
  /** Subjects with their roles, resources and accounts. Searches of subjects and resources go through them. */
  readonly data?: AuthzenData;
  /**
   * The base of the endpoints: an `https` address without a query, or an `http` address of this machine. Default: the
   * origin of each request. Behind a proxy, the address that callers use.
   */
  readonly baseUrl?: string;
  /** The caller; undefined is answered with 401. Metadata needs no caller. Default: everybody may ask. */
  readonly authenticate?: (request: Request) => AuthzenCaller | undefined | Promise<AuthzenCaller | undefined>;
  readonly limits?: Partial<AuthzenLimits>;
  /** Called with each decision on an evaluation, for decision logs. Searches are not logged. Must not throw. */
  readonly onDecision?: (decided: AuthzenDecision) => void;
  /** Called with an error that was answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** The clock. Default: the system's. */
  readonly now?: () => Date;
  /** The signing key of page tokens: at least 32 bytes, the same in all processes. Default: random. */
  readonly tokenSecret?: Uint8Array;
}

const AUTHZEN_OPTIONS = {
  policies: required(ANY),
  mapping: ANY,
  data: ANY,
  baseUrl: ANY,
  authenticate: CALLBACK,
  limits: OBJECT,
  onDecision: CALLBACK,
  onError: CALLBACK,
  now: CALLBACK,
  tokenSecret: ANY,
} satisfies OptionTable<AuthzenOptions>;

/**
 * The handler of a decision point: evaluation, evaluations, the three searches and the metadata. It never rejects. Throws
 * a `TypeError` for malformed or unknown options, a malformed mapping or malformed data.
 */
export function authzenHandler(options: AuthzenOptions): (request: Request) => Promise<Response> {
  checkOptions(options, AUTHZEN_OPTIONS);
  const { mapping = {}, data = {}, baseUrl, authenticate = () => ({}), onError, tokenSecret } = options;
  const { policies } = options;
  const current = typeof policies === "function" ? policies : () => policies;
  expectMapping(mapping);
  if (current().platform !== undefined && mapping.account === undefined) {
    throw new TypeError("the policies have a platform layer: the mapping needs account, the path of the account's id");
  }
  const base = baseUrl === undefined ? undefined : baseOf(baseUrl);
  const tables = entityTables(data);
  const questions = new QuestionReader(mapping, tables);
  const limits = limitsOf(options.limits ?? {});
  const context: SearchContext = { tables, tokens: new PageTokens(tokenSecret), most: limits.results };

  const pointFor = (request: Request, { isAdmin = false }: AuthzenCaller): DecisionPoint => ({
    policies: current(),
    questions,
    now: options.now?.() ?? new Date(),
    requestId: request.headers.get(REQUEST_ID) ?? undefined,
    isAdmin,
    onDecision: options.onDecision,
  });

  async function answered(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const at = base?.pathname ?? "";
    if (url.pathname === WELL_KNOWN + at) {
      if (request.method !== "GET" && request.method !== "HEAD") return wrongMethod("GET");
      return json(metadataOf(base === undefined ? url.origin : base.origin + base.pathname));
    }
    const endpoint = ENDPOINTS.find(({ path }) => url.pathname === at + path);
    if (endpoint === undefined) return text({ status: 404, message: "there is no such endpoint" });
    if (request.method !== "POST") return wrongMethod("POST");
    const caller = await authenticate(request);
    if (caller === undefined) {
      return text({ status: 401, message: "the caller is not authenticated" }, { "www-authenticate": "Bearer" });
    }
    const body = await readBody(request, limits);
    const answer = isLeft(body)
      ? body
      : await answerOf(endpoint, pointFor(request, caller), body.right, context, limits);
    return isLeft(answer) ? text(answer.left) : json(answer.right);
  }

  return async (request) => {
    let response: Response;
    try {
      response = await answered(request);
    } catch (error) {
      onError?.(error);
      response = text({ status: 500, message: "internal error" });
    }
    const requestId = request.headers.get(REQUEST_ID);
    if (requestId !== null) response.headers.set(REQUEST_ID, requestId);
    return response;
  };
}

const REQUEST_ID = "x-request-id";

async function answerOf(
  { part, isBatch }: Endpoint,
  point: DecisionPoint,
  body: JsonObject,
  context: SearchContext,
  limits: AuthzenLimits,
): Promise<Either<AuthzenFault, JsonObject>> {
  if (part !== undefined) return await searched(point, part, body, context);
  if (isBatch) return evaluatedAll(point, body, limits.evaluations);
  const request = evaluationIn(partsOf(body));
  return isLeft(request) ? request : evaluated(point, request.right);
}

function json(value: JsonObject): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
}

function text({ status, message }: AuthzenFault, headers: { readonly [name: string]: string } = {}): Response {
  return new Response(message, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } });
}

function wrongMethod(allow: "GET" | "POST"): Response {
  return text({ status: 405, message: `this endpoint takes ${allow}` }, { allow });
}
