/** Answers to several evaluations in one request. */

import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import { isList, isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { type EvaluationFields, evaluationIn, own } from "./entities.js";
import { type DecisionPoint, evaluated } from "./evaluation.js";
import { type AuthzenFault, badRequest } from "./fault.js";

/** The decision after which a batch ends; undefined: all evaluations are answered. */
const ENDS: ReadonlyMap<JsonValue, boolean | undefined> = new Map([
  ["execute_all", undefined],
  ["deny_on_first_deny", false],
  ["permit_on_first_permit", true],
]);

const FIELDS = ["subject", "action", "resource", "context"] as const;

/**
 * The answer to the body of an `evaluations` request. Each item is answered as if it were asked alone, with the parts of
 * the body for those that it lacks. A faulty item is refused; the others are answered. `most`: the most items.
 */
export function evaluatedAll(point: DecisionPoint, body: JsonObject, most: number): Either<AuthzenFault, JsonObject> {
  const items = own(body, "evaluations");
  if (items !== undefined && !isList(items)) return badRequest("evaluations must be a list");
  const defaults = partsOf(body);
  if (items === undefined || items.length === 0) {
    const request = evaluationIn(defaults);
    return isLeft(request) ? request : evaluated(point, request.right);
  }
  if (items.length > most) return badRequest(`evaluations has more than ${most} items`);
  const faulty = FIELDS.find((field) => defaults[field] !== undefined && !isObject(defaults[field]));
  if (faulty !== undefined) return badRequest(`${faulty} must be an object`);
  const end = endOf(body);
  if (isLeft(end)) return end;
  const answers: JsonObject[] = [];
  for (const item of items) {
    const answer = answerTo(point, defaults, item);
    answers.push(answer);
    if (answer.decision === end.right) break;
  }
  return right({ evaluations: answers });
}

function endOf(body: JsonObject): Either<AuthzenFault, boolean | undefined> {
  const options = own(body, "options");
  if (options === undefined) return right(undefined);
  if (!isObject(options)) return badRequest("options must be an object");
  const semantic = own(options, "evaluations_semantic") ?? "execute_all";
  if (own(options, "evaluations_semantic") === null || !ENDS.has(semantic)) {
    return badRequest(`options.evaluations_semantic must be ${[...ENDS.keys()].join(", or ")}`);
  }
  return right(ENDS.get(semantic));
}

function answerTo(point: DecisionPoint, defaults: EvaluationFields, item: JsonValue): JsonObject {
  if (!isObject(item)) return itemError({ status: 400, message: "an evaluation must be an object" });
  const request = evaluationIn({ ...defaults, ...partsOf(item) });
  if (isLeft(request)) return itemError(request.left);
  const answer = evaluated(point, request.right);
  return isLeft(answer) ? itemError(answer.left) : answer.right;
}

function itemError({ status, message }: AuthzenFault): JsonObject {
  return { decision: false, context: { error: { status, message } } };
}

/** The parts of an evaluation that an object has itself. */
export function partsOf(object: JsonObject): { readonly [field in keyof EvaluationFields]: JsonValue } {
  return Object.fromEntries(Object.entries(object).filter(([name]) => FIELDS.some((field) => field === name)));
}
