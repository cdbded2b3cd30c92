/** Holds requests to the schemas of a policy set. */

import type { JsonMap } from "../cel/values.js";
import type { ValidationError } from "../engine/evaluate/attribute-schemas.js";
import type { Layer } from "../engine/evaluate/layer.js";
import type { PolicySet } from "./policy-set.js";

interface WithAttributes {
  readonly attr?: JsonMap | undefined;
}

/** A request with attributes of JSON data. */
export interface JsonRequest {
  readonly key: WithAttributes;
  readonly account?: WithAttributes | undefined;
  readonly resource: WithAttributes & {
    readonly kind: string;
    readonly id: string;
    readonly scope?: string | undefined;
  };
  readonly operation: string;
}

/** A fault of the attributes of one part of a request. */
export interface SchemaFault extends ValidationError {
  readonly part: "key" | "account" | "resource";
}

export function schemaFaultsOf(
  { permission, platform }: PolicySet,
  { key, account, resource, operation }: JsonRequest,
): readonly SchemaFault[] {
  const { kind, id, attr = {}, scope = "" } = resource;
  const faults = (layer: Layer | undefined, part: "key" | "account", principal: WithAttributes) =>
    (layer?.schemaFaults({ attr: principal.attr ?? {} }, { kind, id, attr, scope }, operation) ?? []).map((fault) => ({
      ...fault,
      part: fault.source === "resource" ? fault.source : part,
    }));
  return [...faults(permission, "key", key), ...(account === undefined ? [] : faults(platform, "account", account))];
}
