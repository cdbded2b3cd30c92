/** Requests that differ from another in one attribute. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/policy/model.js";
import { type Attr, isList, otherTypes, type PlainRequest } from "./requests.js";

const SUBJECTS = ["key", "resource", "account"] as const;

/** Where an attribute is: the subject, then the keys that lead to it. Elements of lists are not places. */
export type Place = readonly [subject: (typeof SUBJECTS)[number], ...path: string[]];

export interface Mutation {
  readonly request: PlainRequest;
  /** `key.attr.limits.keys removed`. */
  readonly what: string;
}

/** Every attribute of a request, those inside maps as well. */
export function places(request: PlainRequest): readonly Place[] {
  return SUBJECTS.flatMap((subject) => pathsIn(request[subject].attr).map((path): Place => [subject, ...path]));
}

function pathsIn(value: JsonValue): readonly (readonly string[])[] {
  if (value === null || typeof value !== "object" || isList(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])]);
}

/** `request` without the attribute at `place`. */
export function without(request: PlainRequest, place: Place): PlainRequest {
  return changed(request, place, () => undefined);
}

/** `request` with `value` at `place`. */
export function replaced(request: PlainRequest, place: Place, value: JsonValue): PlainRequest {
  return changed(request, place, () => value);
}

/** `request` with the attribute at `place` replaced by each of the values of other types that resemble it. */
export function retyped(request: PlainRequest, place: Place): readonly PlainRequest[] {
  let count = 1;
  const at = (i: number) =>
    changed(request, place, (value) => {
      const others = otherTypes(value);
      count = others.length;
      return others[i];
    });
  const all = [at(0)];
  for (let i = 1; i < count; i++) all.push(at(i));
  return all;
}

/**
 * The request with one attribute removed, or given a value of another type, somewhere in the key, the resource or the
 * account. A request without attributes is returned as it is.
 */
export function mutatedRequest(
  request: PlainRequest,
  kind: "removed" | "retyped" | "either" = "either",
): fc.Arbitrary<Mutation> {
  const all = places(request);
  if (all.length === 0) return fc.constant({ request, what: "nothing" });
  const how = kind === "either" ? fc.constantFrom("removed", "retyped") : fc.constant(kind);
  return fc.tuple(fc.constantFrom(...all), how, fc.nat()).map(([place, change, pick]) => {
    const [subject, ...path] = place;
    const what = `${subject}.attr.${path.join(".")} ${change}`;
    if (change === "removed") return { request: without(request, place), what };
    const choices = retyped(request, place);
    return { request: choices[pick % choices.length] ?? request, what };
  });
}

type Change = (value: JsonValue) => JsonValue | undefined;

function changed(request: PlainRequest, [subject, ...path]: Place, change: Change): PlainRequest {
  const attr = changedIn(request[subject].attr, path, change) as Attr;
  return { ...request, [subject]: { ...request[subject], attr } };
}

function changedIn(value: JsonValue, path: readonly string[], change: Change): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (value === null || typeof value !== "object" || isList(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const next = key === name ? changedIn(inner, rest, change) : inner;
    return next === undefined ? [] : [[key, next] as const];
  });
  return Object.fromEntries(entries);
}
