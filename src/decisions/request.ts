/**
 * Requests as the engine reads them. Whatever a caller passes is looked at as data of unknown shape: what is not a
 * request is refused with a message, and only own properties count, so nothing inherited is ever a role or an id.
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

/** The parts of a request, not yet looked at. */
export interface RequestParts {
  readonly key?: unknown;
  readonly operation?: unknown;
  readonly resource?: unknown;
  readonly account?: unknown;
  readonly now?: unknown;
}

const NO_ATTR: JsonMap = Object.freeze(Object.create(null));
const ACCOUNT_ROLES: readonly string[] = Object.freeze(["account"]);

/** The parts of a request, each read once. */
export function readParts(request: unknown): RequestParts | RequestIssue {
  try {
    if (!isObject(request)) return new RequestIssue("", "must be an object");
    const fields = unpolluted(request);
    const { key, operation, resource, account, now } = fields;
    return isPlain(fields) ? { key, operation, resource, account, now } : readParts(ownFields(request));
  } catch {
    return unreadable("");
  }
}

/** The key of a request. It must not choose a policy version: the layer is the version. */
export function readKey(value: unknown): PrincipalInput | RequestIssue {
  try {
    if (!isObject(value)) return new RequestIssue("key", "must be an object");
    const fields = unpolluted(value);
    const { id, roles, policyVersion, scope } = fields;
    const attr = attributes(fields);
    const issue = placeIssue(policyVersion, scope, "key");
    if (!isPlain(fields)) return readKey(ownFields(value));
    if (!isNames(roles)) return new RequestIssue("key.roles", "must be a list of one or more role names");
    if (!isName(id)) return nameIssue("key.id");
    if (attr === undefined) return new RequestIssue("key.attr", "must be an object");
    return issue ?? { id, roles, attr, scope: scopeOf(scope) };
  } catch {
    return unreadable("key");
  }
}

/** The account of a request: the platform layer's principal, of the single role `account`. */
export function readAccount(value: unknown): PrincipalInput | RequestIssue {
  try {
    if (!isObject(value)) return new RequestIssue("account", "must be an object");
    const fields = unpolluted(value);
    const { id, policyVersion, scope } = fields;
    const attr = attributes(fields);
    const issue = placeIssue(policyVersion, scope, "account");
    if (!isPlain(fields)) return readAccount(ownFields(value));
    if (!isName(id)) return nameIssue("account.id");
    if (attr === undefined) return new RequestIssue("account.attr", "must be an object");
    return issue ?? { id, roles: ACCOUNT_ROLES, attr, scope: scopeOf(scope) };
  } catch {
    return unreadable("account");
  }
}

export function readResource(value: unknown): ResourceInput | RequestIssue {
  try {
    if (!isObject(value)) return new RequestIssue("resource", "must be an object");
    const fields = unpolluted(value);
    const { kind, id, policyVersion, scope } = fields;
    const attr = attributes(fields);
    const issue = placeIssue(policyVersion, scope, "resource");
    if (!isPlain(fields)) return readResource(ownFields(value));
    if (!isName(kind)) return nameIssue("resource.kind");
    if (!isName(id)) return nameIssue("resource.id");
    if (attr === undefined) return new RequestIssue("resource.attr", "must be an object");
    return issue ?? { kind, id, attr, scope: scopeOf(scope) };
  } catch {
    return unreadable("resource");
  }
}

export function readOperation(operation: unknown): string | RequestIssue {
  return isName(operation) ? operation : nameIssue("operation");
}

/** The decision's clock: absent, or a valid `Date`. */
export function readNow(now: unknown): Timestamp | undefined | RequestIssue {
  if (now === undefined) return undefined;
  try {
    const millis = now instanceof Date ? now.getTime() : Number.NaN;
    if (Number.isNaN(millis)) return new RequestIssue("now", "must be a valid Date");
    const seconds = Math.floor(millis / 1000);
    return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
  } catch {
    return unreadable("now");
  }
}

/** Fields by which requests, keys, accounts and resources are read. */
interface Fields extends RequestParts {
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly roles?: unknown;
  readonly attr?: unknown;
  readonly attributes?: unknown;
  readonly policyVersion?: unknown;
  readonly scope?: unknown;
}

const OBJECT: object = Object.prototype;

/** `value`, or a copy if somebody has put one of our names on `Object.prototype`. */
function unpolluted(value: Fields): Fields {
  return isPolluted() ? ownFields(value) : value;
}

/**
 * Whether nothing was read from `value` but its own fields. Asked after reading (then it costs next to nothing); where
 * it is not so, {@link ownFields} is read in its place.
 */
function isPlain(value: Fields): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}

/** A copy of the own fields of `value`, which inherits nothing. */
function ownFields(value: Fields): Fields {
  return Object.assign(Object.create(null), value);
}

/** Written out, since a constant name is looked up in a fraction of the time of a variable one. */
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
function attributes(value: Fields): JsonMap | undefined {
  const given = value.attr;
  const attr = given === undefined ? value.attributes : given;
  if (attr === undefined) return NO_ATTR;
  return isAttributes(attr) ? attr : undefined;
}

function isAttributes(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What both layers see: the operation, the resource, the time. */
export interface Target {
  readonly action: string;
  readonly resource: ResourceInput;
  readonly now: Timestamp | undefined;
}

export function readTarget(operation: unknown, resource: unknown, now: unknown): Target | RequestIssue {
  const action = readOperation(operation);
  if (action instanceof RequestIssue) return action;
  const target = readResource(resource);
  if (target instanceof RequestIssue) return target;
  const clock = readNow(now);
  return clock instanceof RequestIssue ? clock : { action, resource: target, now: clock };
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

/** What a getter or proxy throws on the way is not looked at: it may itself be hostile. */
function unreadable(path: string): RequestIssue {
  return new RequestIssue(path, "cannot be read");
}
