/** The parts of a request: subject, action, resource and context, as the standard has them. Unknown fields are ignored. */

import { type Either, isLeft, right } from "fp-ts/lib/Either.js";
import { isObject, type JsonObject, type JsonValue } from "../cel/json.js";
import { isName } from "../decisions/well-formed.js";
import { MAX_NAME_LENGTH } from "../limits.js";
import { type AuthzenFault, badRequest } from "./fault.js";

/** A subject or a resource. */
export interface RequestEntity {
  readonly type: string;
  readonly id: string;
  readonly properties: JsonObject;
}

export interface RequestAction {
  readonly name: string;
  readonly properties: JsonObject;
}

export interface EvaluationRequest {
  readonly subject: RequestEntity;
  readonly action: RequestAction;
  readonly resource: RequestEntity;
  readonly context: JsonObject;
}

/** A part of a request body by the name of its field. */
export type EvaluationFields = { readonly [field in keyof EvaluationRequest]?: JsonValue };

const NOTHING: JsonObject = Object.freeze({});

export function evaluationIn(fields: EvaluationFields): Either<AuthzenFault, EvaluationRequest> {
  const subject = entityIn(fields, "subject");
  if (isLeft(subject)) return subject;
  const action = actionIn(fields);
  if (isLeft(action)) return action;
  const resource = entityIn(fields, "resource");
  if (isLeft(resource)) return resource;
  const context = contextIn(fields);
  if (isLeft(context)) return context;
  return right({ subject: subject.right, action: action.right, resource: resource.right, context: context.right });
}

function entityIn(fields: EvaluationFields, field: "subject" | "resource"): Either<AuthzenFault, RequestEntity> {
  const read = partIn(fields, field, ["type", "id"]);
  if (isLeft(read)) return read;
  const { names, properties } = read.right;
  const [type = "", id = ""] = names;
  return right({ type, id, properties });
}

function actionIn(fields: EvaluationFields): Either<AuthzenFault, RequestAction> {
  const read = partIn(fields, "action", ["name"]);
  if (isLeft(read)) return read;
  const { names, properties } = read.right;
  const [name = ""] = names;
  return right({ name, properties });
}

function contextIn({ context }: EvaluationFields): Either<AuthzenFault, JsonObject> {
  if (context === undefined) return right(NOTHING);
  return isObject(context) ? right(context) : badRequest("context must be an object");
}

interface EvaluationPart {
  /** The required texts, in the order of their fields. */
  readonly names: readonly string[];
  readonly properties: JsonObject;
}

function partIn(
  fields: EvaluationFields,
  field: keyof EvaluationFields,
  required: readonly string[],
): Either<AuthzenFault, EvaluationPart> {
  const part = fields[field];
  if (part === undefined) return badRequest(`${field} is missing`);
  if (!isObject(part)) return badRequest(`${field} must be an object`);
  const names: string[] = [];
  for (const name of required) {
    const value = own(part, name);
    if (value === undefined) return badRequest(`${field}.${name} is missing`);
    if (typeof value !== "string") return badRequest(`${field}.${name} must be a string`);
    if (!isName(value)) return badRequest(`${field}.${name} must have 1 to ${MAX_NAME_LENGTH} characters`);
    names.push(value);
  }
  const properties = own(part, "properties") ?? NOTHING;
  if (!isObject(properties) || own(part, "properties") === null) {
    return badRequest(`${field}.properties must be an object`);
  }
  return right({ names, properties });
}

/** A field of an object itself: a polluted prototype adds nothing to a request. */
export function own(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}
