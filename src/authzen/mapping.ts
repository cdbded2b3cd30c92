/** The mapping of requests to attributes, `keyward.authzen.json`. */

import { type JsonObject, type JsonValue, valueAtPath } from "../cel/json.js";
import { expectShape } from "../schema/expect-shape.js";
import type { EvaluationRequest } from "./entities.js";
import { MAPPING_SCHEMA } from "./schemas.js";

/** Each value is a path into the request: `action.properties.soft`, `context.ip`. */
export interface AuthzenMapping {
  /** Attributes by name. Such an attribute has the value at its path and no other; without a value it is absent. */
  readonly attributes?: {
    readonly key?: { readonly [name: string]: string };
    readonly resource?: { readonly [name: string]: string };
    readonly account?: { readonly [name: string]: string };
  };
  /** The path of a list of roles, for subjects that the data does not list. Default: the subject's type is its role. */
  readonly roles?: string;
  /** The path of the id of the account. Required for policies with a platform layer. */
  readonly account?: string;
  /** For editors. */
  readonly $schema?: string;
}

/** Throws a `TypeError` with every fault of the value. */
export function expectMapping(value: unknown): asserts value is AuthzenMapping {
  expectShape("the mapping", MAPPING_SCHEMA, value);
}

/** A path of the mapping, split once. */
export type RequestPath = readonly string[];

export function requestPath(path: string): RequestPath {
  return path.split(".");
}

export function valueAt(request: EvaluationRequest, path: RequestPath): JsonValue | undefined {
  return valueAtPath(
    { ...request, subject: { ...request.subject }, action: { ...request.action }, resource: { ...request.resource } },
    path,
  );
}

/** The declared attributes of a key, resource or account. */
export class DeclaredAttributes {
  private readonly paths: readonly (readonly [name: string, path: RequestPath])[];

  constructor(declared: { readonly [name: string]: string } = {}) {
    this.paths = Object.entries(declared).map(([name, path]) => [name, requestPath(path)]);
  }

  /** `properties` with the declared attributes in place of those of the same names. */
  over(properties: JsonObject, request: EvaluationRequest): JsonObject {
    if (this.paths.length === 0) return properties;
    const attributes = new Map(Object.entries(properties));
    for (const [name, path] of this.paths) {
      const value = valueAt(request, path);
      if (value === undefined) attributes.delete(name);
      else attributes.set(name, value);
    }
    return Object.fromEntries(attributes);
  }

  /** The place in the request that gives an attribute; undefined if the attribute is not declared. */
  placeOf(attribute: string): string | undefined {
    return this.paths.find(([name]) => name === attribute)?.[1].join(".");
  }
}
