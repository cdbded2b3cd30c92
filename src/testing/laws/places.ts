/** Attributes of a request by their places, and copies of requests with some attributes changed. */

import { SUBJECTS, type Subject } from "../../space/dimension.js";
import { type Attr, isValueMap, type PlainRequest, type Value } from "./plain-request.js";

/** The place of an attribute: the subject, then the names that lead to it. Elements of lists have no place. */
export type Place = readonly [subject: Subject, ...path: string[]];

/** The places of all attributes of a request, including those inside maps. */
export function places(request: PlainRequest): readonly Place[] {
  return SUBJECTS.flatMap((subject) => pathsIn(request[subject].attr).map((path): Place => [subject, ...path]));
}

function pathsIn(value: Value): readonly (readonly string[])[] {
  if (!isValueMap(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])]);
}

/** The value at `place`; undefined if it is absent. */
export function valueAt(request: PlainRequest, [subject, ...path]: Place): Value | undefined {
  return path.reduce<Value | undefined>(
    (value, name) => (isValueMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    request[subject].attr,
  );
}

/** `request` without the attribute at `place`. */
export function without(request: PlainRequest, place: Place): PlainRequest {
  return changed(request, place, () => undefined);
}

/** `request` with `value` at `place`, where there must already be a value. */
export function replaced(request: PlainRequest, place: Place, value: Value): PlainRequest {
  return changed(request, place, () => value);
}

type Change = (value: Value) => Value | undefined;

function changed(request: PlainRequest, [subject, ...path]: Place, change: Change): PlainRequest {
  return { ...request, [subject]: { ...request[subject], attr: changedIn(request[subject].attr, path, change) } };
}

function changedIn(attr: Attr, [name, ...rest]: readonly string[], change: Change): Attr {
  const entries = Object.entries(attr).flatMap(([key, inner]): [string, Value][] => {
    if (key !== name) return [[key, inner]];
    if (rest.length > 0) return [[key, isValueMap(inner) ? changedIn(inner, rest, change) : inner]];
    const next = change(inner);
    return next === undefined ? [] : [[key, next]];
  });
  return Object.fromEntries(entries);
}
