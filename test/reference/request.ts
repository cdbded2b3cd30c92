/** A request to one layer, and its values in expressions (docs/cerbos-semantics.md §2.4, §3.1). */

import type { JsonValue } from "../../src/cel/json.js";
import type { Named } from "./documents.js";
import { scopeOf } from "./names.js";
import { typedMap } from "./typed.js";
import { list, mapFromJson, string, type Val } from "./values.js";

/** A principal or a resource, as policies see it. */
export interface Subject {
  readonly id: string;
  readonly attr?: Named<unknown> | undefined;
  readonly scope?: string | undefined;
}
export interface NaivePrincipal extends Subject {
  readonly roles: readonly string[];
}
export interface NaiveResource extends Subject {
  readonly kind: string;
}

export interface Request {
  readonly principal: NaivePrincipal;
  readonly resource: NaiveResource;
  readonly action: string;
  readonly now: Date | undefined;
  readonly globals: Named<unknown>;
}

/** The schemas that declare the attributes. */
export interface Schemas {
  readonly principal: Named<JsonValue> | undefined;
  readonly resource: Named<JsonValue> | undefined;
}

/** §3.1: the names for all expressions, except definitions, globals and `runtime`. */
export function requestNames({ principal, resource }: Request, schemas: Schemas): ReadonlyMap<string, Val> {
  const p = message([...common(principal, schemas.principal), ["roles", list(principal.roles.map(string))]]);
  const r = message([...common(resource, schemas.resource), ["kind", string(resource.kind)]]);
  const auxData = message([["jwt", mapFromJson({})]]);
  const request = message([
    ["principal", p],
    ["resource", r],
    ["auxData", auxData],
    ["aux_data", auxData],
  ]);
  return new Map([
    ["request", request],
    ["P", p],
    ["R", r],
  ]);
}

/**
 * §2.4: expressions see the values of the request, and its scope without the leading dot. A request to a layer has no
 * version.
 */
function common(subject: Subject, schema: Named<JsonValue> | undefined): [string, Val][] {
  return [
    ["id", string(subject.id)],
    ["attr", typedMap(subject.attr ?? {}, schema, schema ?? {})],
    ["policyVersion", string("")],
    ["policy_version", string("")],
    ["scope", string(scopeOf(subject))],
  ];
}

function message(fields: readonly (readonly [string, Val])[]): Val {
  return { t: "message", v: new Map(fields) };
}
