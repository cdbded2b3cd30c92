/** Requests as the laws create and change them: plain data, with attributes always present. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { DecisionRequest } from "../../decisions/types.js";

/** An attribute's value: JSON. */
export type PlainValue = RequestAttributes[string];

export type RequestAttributes = NonNullable<DecisionRequest["key"]["attr"]>;

/** A request with attributes present, as JSON. */
export interface PlainRequest extends DecisionRequest {
  readonly key: DecisionRequest["key"] & { attr: RequestAttributes };
  readonly resource: DecisionRequest["resource"] & { attr: RequestAttributes };
  readonly account: DecisionRequest["account"] & { attr: RequestAttributes };
}

/** A deep, mutable copy of JSON. */
export function valueFrom(json: JsonValue): PlainValue {
  if (isList(json)) return json.map(valueFrom);
  return isObject(json) ? attrFrom(json) : json;
}

/** A deep copy of a map. Own `__proto__` keys stay data. */
function attrFrom(map: { readonly [name: string]: JsonValue }): RequestAttributes {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, valueFrom(value)]));
}

export function isValueList(value: PlainValue | undefined): value is PlainValue[] {
  return Array.isArray(value);
}

export function isValueMap(value: PlainValue | undefined): value is RequestAttributes {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
