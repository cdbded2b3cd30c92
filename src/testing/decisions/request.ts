/** Makes requests from fixtures. */

import type { Value } from "@cerbos/core";
import { isList, isObject, type JsonObject, type JsonValue } from "../../cel/json.js";
import type { PermissionRequest } from "../../decisions/types.js";
import type { ResolvedFixture } from "./fixtures.js";

/** The request of one test. It shares no data with other requests, so that its recipient may change it. */
export function requestOf(
  key: ResolvedFixture,
  operation: string,
  resource: ResolvedFixture,
  account: ResolvedFixture | undefined,
  now: Date | undefined,
): PermissionRequest {
  const { kind } = resource;
  return {
    key: { id: key.id, roles: [...key.roles], ...rest(key) },
    operation,
    resource: { kind, id: resource.id, ...rest(resource) },
    ...(account === undefined ? {} : { account: { id: account.id, ...rest(account) } }),
    ...(now === undefined ? {} : { now }),
  };
}

function rest({ attr, scope }: ResolvedFixture) {
  return scope === "" ? { attr: copyOf(attr) } : { attr: copyOf(attr), scope };
}

/** A deep copy, typed as the attributes of requests. */
function copyOf(attr: JsonObject): { [name: string]: Value } {
  const copy: { [name: string]: Value } = Object.create(null);
  for (const [name, value] of Object.entries(attr)) copy[name] = jsonCopy(value);
  return copy;
}

function jsonCopy(value: JsonValue): Value {
  if (isList(value)) return value.map(jsonCopy);
  return isObject(value) ? copyOf(value) : value;
}
