/** Attributes of a request by where they are, and requests that differ from another in some of them. */

import { SUBJECTS, type Subject } from "../../space/dimension.js";
import { type Attr, isValueMap, type PlainRequest, type Value } from "./plain-request.js";

/** Where an attribute is: the subject, then the keys that lead to it. Elements of lists are not places. */
export type Place = readonly [subject: Subject, ...path: string[]];

/** Every attribute of a request, those inside maps as well. */
export function places(request: PlainRequest): readonly Place[] {
  return SUBJECTS.flatMap((subject) => pathsIn(request[subject].attr).map((path): Place => [subject, ...path]));
}

function pathsIn(value: Value): readonly (readonly string[])[] {
  if (!isValueMap(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])]);
}

/** The value at `place`; undefined if there is none. */
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

/** `request` with `value` at `place`, which must be there already. */
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
