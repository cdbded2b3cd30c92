/**
 * Finds the fault of a caller's request before the request becomes a message. `@cerbos/core` is less strict: it throws
 * errors other than `NotOK` for `undefined` and a `bigint`, turns a `Date` into an empty map, accepts `NaN`, and drops
 * fields of `auxData`. All of these are refused here, except an attribute that is `undefined`: it is absent, as in JSON.
 */

import * as E from "fp-ts/lib/Either.js";
import { type CallFields, copyOf, isFields, isPlain, MAX_DEPTH, tagOf } from "./call-copy.js";
import { type NamedTokens, namedTokensOf } from "./named-tokens.js";

/** A validated copy of a request. */
export interface ValidatedCall<R> {
  readonly request: R;
  /** Its named tokens. Messages of `@cerbos/core` before 0.33 have no field for them. */
  readonly named: NamedTokens;
}

/**
 * Copies a request and validates the copy. Each value is read once, so the answer is about the validated values. Left:
 * the fault, with its path in the request but without any value. Never throws.
 */
export function validateCall<R>(request: R, method: Method): E.Either<string, ValidatedCall<R>> {
  try {
    const copy = copyOf(request);
    const fault = METHODS[method](copy);
    if (fault !== undefined) return E.left(fault);
    const named = namedTokensOf(auxDataOf(copy));
    return E.isLeft(named) ? named : E.right({ request: copy, named: named.right });
  } catch {
    // The error of a getter or a proxy is not read, because it may itself be hostile.
    return E.left("the request cannot be read");
  }
}

type Method = "check" | "plan";

const METHODS: { readonly [M in Method]: (request: unknown) => string | undefined } = {
  check: checkFault,
  plan: planFault,
};

function checkFault(request: unknown): string | undefined {
  if (!isFields(request)) return must("the request", "an object");
  const { principal, resources } = request;
  if (!Array.isArray(resources)) return must("resources", "a list");
  return (
    commonFault(request) ??
    principalFault(principal) ??
    first(resources, (entry, i) => entryFault(entry, `resources[${i}]`))
  );
}

function planFault(request: unknown): string | undefined {
  if (!isFields(request)) return must("the request", "an object");
  const { principal, resource, action, actions } = request;
  return (
    commonFault(request) ??
    principalFault(principal) ??
    plannedFault(resource) ??
    optionalTextFault(action, "action") ??
    (actions === undefined ? undefined : textsFault(actions, "actions")) ??
    // `@cerbos/core` would send `actions` alone.
    (action !== undefined && action !== "" && actions !== undefined
      ? "action: cannot be set beside actions"
      : undefined)
  );
}

/** Validates the fields that both methods share, apart from principal and resource. */
function commonFault(request: CallFields): string | undefined {
  const { requestId, requestContext, auxData } = request;
  return (
    optionalTextFault(requestId, "requestId") ??
    spellingFault(request, "", "aux_data", "auxData") ??
    (auxData === undefined ? undefined : auxDataFault(auxData)) ??
    (requestContext === undefined ? undefined : requestContextFault(requestContext))
  );
}

/** Refuses a field spelt as in the API, which `@cerbos/core` does not read. */
function spellingFault(part: CallFields, path: string, name: string, spelling: string): string | undefined {
  return Object.hasOwn(part, name) ? `${path}${name}: must be spelt ${spelling}` : undefined;
}

/** Refuses unknown fields: a DENY rule may depend on the token in one. */
function auxDataFault(auxData: unknown): string | undefined {
  if (!isFields(auxData) || tagOf(auxData) !== "Object") return must("auxData", "an object");
  const { jwt, jwts, ...others } = auxData;
  return (
    unknownFault(others, "auxData", "a jwt or jwts") ??
    (jwt === undefined ? undefined : tokenFault(jwt, "auxData.jwt")) ??
    (jwts === undefined || isPlain(jwts) ? undefined : must("auxData.jwts", "a map"))
  );
}

function tokenFault(jwt: unknown, path: string): string | undefined {
  if (!isFields(jwt)) return must(path, "an object");
  const { token, keySetId, ...others } = jwt;
  return (
    unknownFault(others, path, "a token and a keySetId") ??
    textFault(token, `${path}.token`) ??
    optionalTextFault(keySetId, `${path}.keySetId`)
  );
}

function unknownFault(others: CallFields, path: string, known: string): string | undefined {
  const [name] = Object.keys(others);
  return name === undefined ? undefined : `${path}.${name}: unknown field, there can be ${known}`;
}

function requestContextFault(context: unknown): string | undefined {
  if (!isFields(context)) return must("requestContext", "an object");
  const { annotations } = context;
  return isFields(annotations)
    ? attributesFault(annotations, "requestContext.annotations")
    : must("requestContext.annotations", "a map");
}

function auxDataOf(request: unknown): CallFields {
  return isFields(request) && isFields(request.auxData) ? request.auxData : {};
}

/** Validates the resource of a plan. It has no id, because a plan is for all resources of a kind. */
function plannedFault(resource: unknown): string | undefined {
  if (!isFields(resource)) return must("resource", "an object");
  return textFault(resource.kind, "resource.kind") ?? subjectFault(resource, "resource");
}

function principalFault(principal: unknown): string | undefined {
  if (!isFields(principal)) return must("principal", "an object");
  const { id, roles } = principal;
  return textFault(id, "principal.id") ?? textsFault(roles, "principal.roles") ?? subjectFault(principal, "principal");
}

function entryFault(entry: unknown, path: string): string | undefined {
  if (!isFields(entry)) return must(path, "an object");
  const { resource, actions } = entry;
  if (!isFields(resource)) return must(`${path}.resource`, "an object");
  return (
    textFault(resource.kind, `${path}.resource.kind`) ??
    textFault(resource.id, `${path}.resource.id`) ??
    textsFault(actions, `${path}.actions`) ??
    subjectFault(resource, `${path}.resource`)
  );
}

/** Validates the fields that principals and resources share. `attributes` is the older name of `attr`. */
function subjectFault(subject: CallFields, path: string): string | undefined {
  const { attr, attributes, policyVersion, scope } = subject;
  return (
    spellingFault(subject, `${path}.`, "policy_version", "policyVersion") ??
    optionalTextFault(policyVersion, `${path}.policyVersion`) ??
    optionalTextFault(scope, `${path}.scope`) ??
    attributesFault(attributes, `${path}.attributes`) ??
    attributesFault(attr, `${path}.attr`)
  );
}

function attributesFault(attributes: unknown, path: string): string | undefined {
  if (attributes === undefined) return undefined;
  if (!isFields(attributes) || Array.isArray(attributes)) return must(path, "a map");
  return jsonFault(attributes, path, 0);
}

function jsonFault(value: unknown, path: string, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : formless(path, String(value));
    case "object":
      break;
    default:
      return formless(path, typeof value);
  }
  if (!isFields(value)) return undefined;
  if (depth > MAX_DEPTH) return `${path}: nested too deep`;
  if (Array.isArray(value)) return first(value, (item, i) => jsonFault(item, `${path}[${i}]`, depth + 1));
  const tag = tagOf(value);
  if (tag !== "Object") return formless(path, tag);
  if (typeof value.toJSON === "function") return `${path}: an object with toJSON: pass the result of toJSON`;
  return first(Object.entries(value), ([name, member]) => jsonFault(member, `${path}.${name}`, depth + 1));
}

/** The first fault among the items. A hole counts as undefined. */
function first<T>(items: readonly T[], fault: (item: T, index: number) => string | undefined): string | undefined {
  for (const [i, item] of items.entries()) {
    const found = fault(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsFault(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return must(path, "a list");
  return first(value, (item, i) => textFault(item, `${path}[${i}]`));
}

function textFault(value: unknown, path: string): string | undefined {
  return typeof value === "string" ? undefined : must(path, "a string");
}

function optionalTextFault(value: unknown, path: string): string | undefined {
  return value === undefined ? undefined : textFault(value, path);
}

function must(path: string, what: string): string {
  return `${path}: must be ${what}`;
}

function formless(path: string, what: string): string {
  return `${path}: ${what} has no form in JSON`;
}
