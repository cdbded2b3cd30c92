/** Reads a request once, so that the values judged here are the values sent, despite getters and proxies. */

import type { Value } from "@cerbos/core";
import { isPlainObject, isScalar } from "../../cel/data.js";
import type { JsonMap } from "../../cel/values.js";
import type { ValidatedRequest } from "../../decisions/request.js";
import { RequestIssue } from "../../decisions/request-issue.js";
import { validated } from "../../decisions/request-validation.js";

/** Deepest nesting of attributes, counting their map. Cerbos's client stops at 49, with an error. */
const MAX_DEPTH = 32;

export type CopiedAttributes = { [name: string]: Value };

export interface PrincipalPart {
  readonly id: string;
  readonly roles: string[];
  readonly attr: CopiedAttributes;
  readonly scope: string;
}

export interface ResourcePart {
  readonly kind: string;
  readonly id: string;
  readonly attr: CopiedAttributes;
  readonly scope: string;
}

/** A copy of each part of a request, or the part's issue. */
export interface RemoteRequestCopy {
  readonly key: PrincipalPart | RequestIssue;
  readonly account: PrincipalPart | RequestIssue;
  readonly operation: string | RequestIssue;
  readonly resource: ResourcePart | RequestIssue;
  readonly now: Date | undefined | RequestIssue;
}

/** Never throws. */
export function snapshotOf(request: unknown): RemoteRequestCopy {
  const { key, account, action, resource, now } = validated(request);
  return {
    key: principalOf(key, "key"),
    account: principalOf(account, "account"),
    operation: action,
    resource: resourceOf(resource),
    now: nowOf(now),
  };
}

function principalOf(
  read: ValidatedRequest["key"] | ValidatedRequest["account"],
  path: string,
): PrincipalPart | RequestIssue {
  if (read instanceof RequestIssue) return read;
  const { id, roles, scope } = read;
  const attr = attributesOf(read.attr, path);
  // The server refuses a repeated role.
  return attr instanceof RequestIssue ? attr : { id, roles: [...new Set(roles)], attr, scope };
}

function resourceOf(read: ValidatedRequest["resource"]): ResourcePart | RequestIssue {
  if (read instanceof RequestIssue) return read;
  const { kind, id, scope } = read;
  const attr = attributesOf(read.attr, "resource");
  return attr instanceof RequestIssue ? attr : { kind, id, attr, scope };
}

function nowOf(read: ValidatedRequest["now"]): Date | undefined | RequestIssue {
  if (read === undefined || read instanceof RequestIssue) return read;
  return new Date(read.seconds * 1000 + read.nanos / 1_000_000);
}

function attributesOf(attr: JsonMap, path: string): CopiedAttributes | RequestIssue {
  try {
    return copyOfMap(attr, 1);
  } catch {
    // The error of a getter is not read, because it may itself be hostile.
    return new RequestIssue(`${path}.attr`, `must be JSON, nested ${MAX_DEPTH} deep at most`);
  }
}

class NotJson extends Error {}

/** Fields without a value are absent, as in JSON. @throws {NotJson} */
function copyOfMap(map: object, depth: number): CopiedAttributes {
  if (depth > MAX_DEPTH) throw new NotJson();
  const copy: CopiedAttributes = Object.create(null);
  for (const name of Object.getOwnPropertyNames(map)) {
    const value: unknown = Reflect.get(map, name);
    if (value !== undefined) copy[name] = copyOf(value, depth);
  }
  return copy;
}

function copyOf(value: unknown, depth: number): Value {
  if (isScalar(value)) return value;
  if (typeof value !== "object" || value === null) throw new NotJson();
  if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH) throw new NotJson();
    return Array.from(value, (item: unknown) => copyOf(item, depth + 1));
  }
  if (!isPlainObject(value)) throw new NotJson();
  return copyOfMap(value, depth + 1);
}
