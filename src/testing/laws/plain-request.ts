/** Requests as the laws make and change them: plain data, attributes always there. */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { DecisionRequest } from "../../decisions/types.js";

/** An attribute's value: JSON. */
export type Value = Attr[string];

export type Attr = NonNullable<DecisionRequest["key"]["attr"]>;

/** A request whose attributes are known to be there, and JSON. */
export interface PlainRequest extends DecisionRequest {
  readonly key: DecisionRequest["key"] & { attr: Attr };
  readonly resource: DecisionRequest["resource"] & { attr: Attr };
  readonly account: DecisionRequest["account"] & { attr: Attr };
}

/** A deep copy of JSON that may be changed. */
export function valueFrom(json: JsonValue): Value {
  if (isList(json)) return json.map(valueFrom);
  return isObject(json) ? attrFrom(json) : json;
}

/** The same for a map. Own `__proto__` keys stay data. */
function attrFrom(map: { readonly [name: string]: JsonValue }): Attr {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, valueFrom(value)]));
}

export function isValueList(value: Value | undefined): value is Value[] {
  return Array.isArray(value);
}

export function isValueMap(value: Value | undefined): value is Attr {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
