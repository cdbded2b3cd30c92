/** Validates the parts of a request, each by itself. */

import { type JsonMap, Timestamp } from "../cel/values.js";
import {
  type AccountFrame,
  type KeyFrame,
  principalFrame,
  type ResourceFrame,
  resourceFrame,
} from "../engine/frame/frame.js";
import { MAX_NAME_LENGTH, MAX_ROLES } from "../limits.js";
import { fieldsOf, isFrame, ownOf } from "./own-fields.js";
import { RequestIssue } from "./request-issue.js";
import { isAttributes, isName, isObject, isPolluted, namesOf, type RequestFields } from "./well-formed.js";

export const NO_ATTR: JsonMap = Object.freeze(Object.create(null));
export const ACCOUNT_ROLES: readonly string[] = Object.freeze(["account"]);

/**
 * `read`: its frame or its fields, if it was read already; likewise below. If `Object.prototype` has such fields, a
 * frame may have taken them from there. Then only the own fields of `value` count.
 */
export function keyOf(value: unknown, read: KeyFrame | RequestFields | undefined): KeyFrame | RequestIssue {
  if (!isObject(value)) return issueOf("key", value, "must be an object");
  if (isFrame(read) && !isPolluted()) return read;
  const { id, roles, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  const names = namesOf(roles);
  if (names === undefined) return issueOf("key.roles", roles, `must be a list of 1 to ${MAX_ROLES} role names`);
  if (!isName(id)) return nameIssue("key.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("key.attr", "must be an object");
  return placeIssue(policyVersion, scope, "key") ?? principalFrame("key", id, names, map, scopeOf(scope));
}

export function accountOf(value: unknown, read: AccountFrame | RequestFields | undefined): AccountFrame | RequestIssue {
  if (!isObject(value)) return issueOf("account", value, "must be an object");
  if (isFrame(read) && !isPolluted()) return read;
  const { id, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  if (!isName(id)) return nameIssue("account.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("account.attr", "must be an object");
  const issue = placeIssue(policyVersion, scope, "account");
  return issue ?? principalFrame("account", id, ACCOUNT_ROLES, map, scopeOf(scope));
}

export function resourceOf(
  value: unknown,
  read: ResourceFrame | RequestFields | undefined,
): ResourceFrame | RequestIssue {
  if (!isObject(value)) return issueOf("resource", value, "must be an object");
  if (isFrame(read) && !isPolluted()) return read;
  const { kind, id, attr, attributes, policyVersion, scope } = ownOf(value, read ?? fieldsOf(value));
  if (!isName(kind)) return nameIssue("resource.kind", kind);
  if (!isName(id)) return nameIssue("resource.id", id);
  const map = attributesOf(attr, attributes);
  if (map === undefined) return new RequestIssue("resource.attr", "must be an object");
  return placeIssue(policyVersion, scope, "resource") ?? resourceFrame(kind, id, map, scopeOf(scope));
}

/** A valid `Date` as a timestamp; undefined if there is no clock. */
export function clockOf(now: unknown): Timestamp | undefined | RequestIssue {
  if (now === undefined) return undefined;
  const millis = now instanceof Date ? now.getTime() : Number.NaN;
  if (Number.isNaN(millis)) return new RequestIssue("now", "must be a valid Date");
  const seconds = Math.floor(millis / 1000);
  return new Timestamp(seconds, (millis - seconds * 1000) * 1_000_000);
}

/**
 * The issue of the fields that choose policies. A request must not choose the version: silently ignoring one would
 * answer another question.
 */
function placeIssue(policyVersion: unknown, scope: unknown, path: string): RequestIssue | undefined {
  if (policyVersion !== undefined && policyVersion !== "") {
    return new RequestIssue(`${path}.policyVersion`, "must be absent: the layer is the policy version");
  }
  if (scope !== undefined && scope !== "" && !isName(scope)) return nameIssue(`${path}.scope`, scope);
  return undefined;
}

function scopeOf(scope: unknown): string {
  return typeof scope === "string" ? scope : "";
}

/** `attr`, or `attributes`, its older name. An empty map if both are absent; undefined if it is not a map. */
function attributesOf(attr: unknown, older: unknown): JsonMap | undefined {
  const given = attr === undefined ? older : attr;
  if (given === undefined) return NO_ATTR;
  return isAttributes(given) ? given : undefined;
}

export function nameIssue(path: string, value: unknown): RequestIssue {
  return issueOf(path, value, `must be a string of 1 to ${MAX_NAME_LENGTH} characters`);
}

/** An issue of a required part: it is missing or malformed. */
function issueOf(path: string, value: unknown, message: string): RequestIssue {
  return new RequestIssue(path, value === undefined ? "is missing" : message);
}
