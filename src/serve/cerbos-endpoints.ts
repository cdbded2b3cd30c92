/** Cerbos's HTTP API: the paths and answers of the server, from policies in this process. */

import type { DescMessage } from "@bufbuild/protobuf";
import { isLeft } from "fp-ts/lib/Either.js";
import { parsedBody } from "../authzen/body.js";
import type { JsonObject } from "../cel/json.js";
import { timestampAt } from "../cel/time.js";
import { newCallId } from "../cerbos/call-id.js";
import {
  API_CODE,
  type ApiAnswer,
  type ApiMethod,
  apiAnswer,
  CHECK_METHOD,
  PLAN_METHOD,
  type ReadToken,
} from "../cerbos/json-api.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import { type HttpReply, jsonReply, refusalReply } from "./reply.js";

/** The answers of a method to bodies of requests. */
export type CerbosEndpoint = (body: Uint8Array) => HttpReply | Promise<HttpReply>;

export interface CerbosEndpointsOptions {
  /** The engine in force. */
  readonly engine: () => CheckEngine;
  /** How tokens of requests are read now. Undefined: they are refused. */
  readonly readToken: () => ReadToken | undefined;
  /** Called with the request and the response of each call of CheckResources. */
  readonly onChecked?: ((request: JsonObject, response: JsonObject) => void) | undefined;
}

/** Attributes can be nested deeper than AuthZEN allows. */
const MAX_DEPTH = 100;

export function cerbosEndpoints({
  engine,
  readToken,
  onChecked,
}: CerbosEndpointsOptions): ReadonlyMap<string, CerbosEndpoint> {
  function endpoint<D extends DescMessage>(
    method: ApiMethod<D>,
    onAnswer?: (request: JsonObject, response: JsonObject) => void,
  ): CerbosEndpoint {
    return (bytes) => {
      const body = parsedBody(bytes, MAX_DEPTH);
      if (isLeft(body)) return refusalReply(400, API_CODE.invalidArgument, body.left.message);
      const call = { now: timestampAt(Date.now()), callId: newCallId(), readToken: readToken() };
      const reply = (answer: ApiAnswer): HttpReply => {
        if (isLeft(answer)) {
          const { code, message } = answer.left;
          return refusalReply(code === API_CODE.internal ? 500 : 400, code, message);
        }
        onAnswer?.(body.right, answer.right);
        return jsonReply(200, answer.right);
      };
      const answer = apiAnswer(method, body.right, engine(), call);
      return answer instanceof Promise ? answer.then(reply) : reply(answer);
    };
  }
  return new Map([
    ["/api/check/resources", endpoint(CHECK_METHOD, onChecked)],
    ["/api/plan/resources", endpoint(PLAN_METHOD)],
  ]);
}
