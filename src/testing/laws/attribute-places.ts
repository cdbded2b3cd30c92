/** Attributes of a request by their places, and copies of requests with some attributes changed. */

import { type SpaceSubject, SUBJECTS } from "../../space/dimension.js";
import { isValueMap, type PlainRequest, type PlainValue, type RequestAttributes } from "./plain-request.js";

/** The place of an attribute: the subject, then the names that lead to it. Elements of lists have no place. */
export type LawPlace = readonly [subject: SpaceSubject, ...path: string[]];

/** The places of all attributes of a request, including those inside maps. */
export function attributePlacesOf(request: PlainRequest): readonly LawPlace[] {
  return SUBJECTS.flatMap((subject) => pathsIn(request[subject].attr).map((path): LawPlace => [subject, ...path]));
}

function pathsIn(value: PlainValue): readonly (readonly string[])[] {
  if (!isValueMap(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])]);
}

/** The value at `place`; undefined if it is absent. */
export function valueAt(request: PlainRequest, [subject, ...path]: LawPlace): PlainValue | undefined {
  return path.reduce<PlainValue | undefined>(
    (value, name) => (isValueMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    request[subject].attr,
  );
}

/** `request` without the attribute at `place`. */
export function withoutAttribute(request: PlainRequest, place: LawPlace): PlainRequest {
  return changed(request, place, () => undefined);
}

/** `request` with `value` at `place`, where there must already be a value. */
export function withAttributeReplaced(request: PlainRequest, place: LawPlace, value: PlainValue): PlainRequest {
  return changed(request, place, () => value);
}

type ValueChange = (value: PlainValue) => PlainValue | undefined;

function changed(request: PlainRequest, [subject, ...path]: LawPlace, change: ValueChange): PlainRequest {
  return { ...request, [subject]: { ...request[subject], attr: changedIn(request[subject].attr, path, change) } };
}

function changedIn(
  attr: RequestAttributes,
  [name, ...rest]: readonly string[],
  change: ValueChange,
): RequestAttributes {
  const entries = Object.entries(attr).flatMap(([key, inner]): [string, PlainValue][] => {
    if (key !== name) return [[key, inner]];
    if (rest.length > 0) return [[key, isValueMap(inner) ? changedIn(inner, rest, change) : inner]];
    const next = change(inner);
    return next === undefined ? [] : [[key, next]];
  });
  return Object.fromEntries(entries);
}
