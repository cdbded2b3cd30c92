/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and the invariant "own properties" holds of it, too: nothing inherited is ever a
 * role or an id.
 */

import { type JsonMap, Timestamp } from "../cel/values.js";
import { refusedVerdict } from "../engine/evaluate/verdicts.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";
import type { LayerVerdict } from "../engine/plan/verdict.js";

/** What is wrong with a request, and where: `key.roles`. */
export class RequestIssue {
  readonly path: string;
  readonly message: string;
  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }
}

/** What a layer says where it needs a part that is malformed. */
export function invalidVerdict({ path, message }: RequestIssue): LayerVerdict {
  return refusedVerdict(`invalid request: ${path} ${message}`);
}

/** Longest id, kind, operation or role, in UTF-16 code units. */
const MAX_NAME_LENGTH = 4_096;

/** A request as the engine takes it up: each part, or what is wrong with it. */
export interface Taken {
  /** The key. It must not choose a policy version: the layer is the version. */
  readonly key: PrincipalInput | RequestIssue;
  readonly action: string | RequestIssue;
  readonly resource: ResourceInput | RequestIssue;
  /** The account: the platform layer's principal, of the single role `account`. */
  readonly account: PrincipalInput | RequestIssue;
  /** The decision's clock, if there is one. */
  readonly now: Timestamp | undefined | RequestIssue;
  /** What is wrong with the request as a whole, so that no part could be read. */
  readonly whole: RequestIssue | undefined;
}

/** Takes up a request. Never throws. */
export function takeUp(request: unknown): Taken {
  try {
    if (isObject(request) && !isPolluted()) {
      const { key, operation, resource, account, now } = request;
      if (isPlain(request)) {
        return {
          key: keyOf(key),
          action: isName(operation) ? operation : nameIssue("operation"),
          resource: resourceOf(resource),
          account: accountOf(account),
          now: now === undefined ? undefined : clockOf(now),
          whole: undefined,
        };
      }
    }
  } catch {
    // Some part cannot be read: which one is found out part by part.
  }
  return takeParts(request);
}

/** {@link takeUp} of a request that is unusual. Copies of the own fields of objects are read in their place. */
function takeParts(request: unknown): Taken {
  const parts = attempt("", () => (isObject(request) ? ownFields(request) : new RequestIssue("", "must be an object")));
  const { key, operation, resource, account, now } = parts instanceof RequestIssue ? NOTHING : parts;
  return {
    key: attempt("key", () => keyOf(owned(key))),
    action: isName(operation) ? operation : nameIssue("operation"),
    resource: attempt("resource", () => resourceOf(owned(resource))),
    account: attempt("account", () => accountOf(owned(account))),
    now: now === undefined ? undefined : attempt("now", () => clockOf(now)),
    whole: parts instanceof RequestIssue ? parts : undefined,
  };
}

const NOTHING: Fields = {};

/** What a getter or proxy throws on the way is not looked at: it may itself be hostile. */
function attempt<T>(path: string, read: () => T): T | RequestIssue {
  try {
    return read();
  } catch {
    return new RequestIssue(path, "cannot be read");
  }
}

function owned(value: unknown): unknown {
  return isObject(value) ? ownFields(value) : value;
}

const NO_ATTR: JsonMap = Object.freeze(Object.create(null));
const ACCOUNT_ROLES: readonly string[] = Object.freeze(["account"]);

function keyOf(value: unknown): PrincipalInput | RequestIssue {
  if (!isObject(value)) return new RequestIssue("key", "must be an object");
  const { id, roles, attr, attributes, policyVersion, scope } = value;
  if (!isPlain(value)) return keyOf(ownFields(value));
  if (!isNames(roles)) return new RequestIssue("key.roles", "must be a list of one or more role names");
  if (!isName(id)) return nameIssue("key.id");
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("key.attr", "must be an object");
  return placeIssue(policyVersion, scope, "key") ?? { id, roles, attr: map, scope: scopeOf(scope) };
}

function accountOf(value: unknown): PrincipalInput | RequestIssue {
  if (!isObject(value)) return new RequestIssue("account", "must be an object");
  const { id, attr, attributes, policyVersion, scope } = value;
  if (!isPlain(value)) return accountOf(ownFields(value));
  if (!isName(id)) return nameIssue("account.id");
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("account.attr", "must be an object");
  const issue = placeIssue(policyVersion, scope, "account");
  return issue ?? { id, roles: ACCOUNT_ROLES, attr: map, scope: scopeOf(scope) };
}

function resourceOf(value: unknown): ResourceInput | RequestIssue {
  if (!isObject(value)) return new RequestIssue("resource", "must be an object");
  const { kind, id, attr, attributes, policyVersion, scope } = value;
  if (!isPlain(value)) return resourceOf(ownFields(value));
  if (!isName(kind)) return nameIssue("resource.kind");
  if (!isName(id)) return nameIssue("resource.id");
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("resource.attr", "must be an object");
  return placeIssue(policyVersion, scope, "resource") ?? { kind, id, attr: map, scope: scopeOf(scope) };
}

/** A valid `Date`. */
function clockOf(now: unknown): Timestamp | RequestIssue {
  const millis = now instanceof Date ? now.getTime() : Number.NaN;
  if (Number.isNaN(millis)) return new RequestIssue("now", "must be a valid Date");
  const seconds = Math.floor(millis / 1000);
  return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
}

/** Fields by which requests, keys, accounts and resources are read. */
interface Fields {
  readonly key?: unknown;
  readonly operation?: unknown;
  readonly resource?: unknown;
  readonly account?: unknown;
  readonly now?: unknown;
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly roles?: unknown;
  readonly attr?: unknown;
  readonly attributes?: unknown;
  readonly policyVersion?: unknown;
  readonly scope?: unknown;
}

const OBJECT: object = Object.prototype;

/**
 * Whether nothing was read from `value` but its own fields; where it is not so, {@link ownFields} is read in its place.
 * Asked of the object right after its fields were read: there it costs next to nothing.
 */
function isPlain(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

/** A copy of the own fields of `value`, which inherits nothing. */
function ownFields(value: Fields): Fields {
  return Object.assign(Object.create(null), value);
}

/**
 * Whether somebody has put one of our names on `Object.prototype`. Written out, since a constant name is looked up in a
 * fraction of the time of a variable one.
 */
function isPolluted(): boolean {
  return (
    "id" in OBJECT ||
    "kind" in OBJECT ||
    "roles" in OBJECT ||
    "attr" in OBJECT ||
    "attributes" in OBJECT ||
    "policyVersion" in OBJECT ||
    "scope" in OBJECT ||
    "key" in OBJECT ||
    "operation" in OBJECT ||
    "resource" in OBJECT ||
    "account" in OBJECT ||
    "now" in OBJECT
  );
}

/**
 * What is wrong with the fields that choose policies. The version is not a request's to choose: silently ignoring one
 * would answer another question.
 */
function placeIssue(policyVersion: unknown, scope: unknown, path: string): RequestIssue | undefined {
  if (policyVersion !== undefined && policyVersion !== "") {
    return new RequestIssue(`${path}.policyVersion`, "must be absent: the layer is the policy version");
  }
  if (scope !== undefined && scope !== "" && !isName(scope)) return nameIssue(`${path}.scope`);
  return undefined;
}

function scopeOf(scope: unknown): string {
  return typeof scope === "string" ? scope : "";
}

/** `attr`, or `attributes`, its older name; none is an empty map. Undefined if it is not a map. */
function attributesOf(attr: unknown, older: unknown): JsonMap | undefined {
  const given = attr === undefined ? older : attr;
  if (given === undefined) return NO_ATTR;
  return isAttributes(given) ? given : undefined;
}

function isAttributes(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_LENGTH;
}

function isNames(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  for (let i = 0; i < value.length; i++) if (!isName(value[i])) return false;
  return true;
}

function nameIssue(path: string): RequestIssue {
  return new RequestIssue(path, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`);
}
