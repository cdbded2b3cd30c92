/** Recorded requests in the form of `keyward explain`. */

import { isObject, type JsonObject } from "../cel/json.js";
import { PLAN } from "./replay.js";

/**
 * The request about one action, at a time in RFC 3339. Undefined: `explain` does not take it, since it is a query plan or
 * names a version of policies.
 */
export function explainable(recorded: JsonObject, action: string, time: string | undefined): JsonObject | undefined {
  if (action === PLAN) return undefined;
  const { key, principal, resource } = recorded;
  if (key !== undefined) return recorded;
  if (!isObject(principal) || !isObject(resource)) return undefined;
  if ([principal, resource].some(({ policyVersion = "" }) => policyVersion !== "")) return undefined;
  const now = time === undefined ? {} : { now: time };
  return {
    key: partOf(principal, ["id", "roles"]),
    operation: action,
    resource: partOf(resource, ["kind", "id"]),
    ...now,
  };
}

function partOf(part: JsonObject, names: readonly string[]): JsonObject {
  const fields = names.map((name) => [name, part[name] ?? ""]);
  const { attr = {}, scope = "" } = part;
  return { ...Object.fromEntries(fields), attr, ...(scope === "" ? {} : { scope }) };
}
