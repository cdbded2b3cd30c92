/** Requests with attributes damaged: taken away, or given values of other types. */

import fc from "fast-check";
import { type Place, places, replaced, valueAt, without } from "./places.js";
import { isValueList, type PlainRequest, type Value } from "./plain-request.js";

/** `resembling`: as `retyped`, but no list becomes an empty map, in which macros find as little as in an empty list. */
export type Damage = "removed" | "retyped" | "resembling" | "either" | "numeric strings";

export interface Mutation {
  readonly request: PlainRequest;
  /** What was done: `key.limits.keys removed;`. */
  readonly what: string;
}

/** Values of other types that resemble `value`: what a careless comparison would take for it. */
export function otherTypes(value: Value): readonly Value[] {
  if (value === null) return ["null", false, 0, [], {}];
  if (typeof value === "string") return [null, true, 1, [value], { [value]: true }];
  if (typeof value === "number") return [null, true, String(value), [value], { value }];
  if (typeof value === "boolean") return [null, String(value), Number(value), [value], { value }];
  if (isValueList(value)) {
    const members = value.map((item): [string, Value] => [String(item), true]);
    return [null, true, value.length, String(value[0]), Object.fromEntries(members), {}];
  }
  return [null, true, 1, JSON.stringify(value), Object.values(value)];
}

/** `request` with the attribute at `place` replaced by each of the values of other types that resemble it. */
export function retyped(request: PlainRequest, place: Place): readonly PlainRequest[] {
  const value = valueAt(request, place);
  return value === undefined ? [] : otherTypes(value).map((other) => replaced(request, place, other));
}

/** One step of damage, apart from any request: a place, by its number among those of the request, and what to do there. */
interface Step {
  readonly place: number;
  readonly change: Damage;
  readonly pick: number;
}

/** Damage that can be done to any request: see {@link damagedBy}. */
export function damageSteps(damage: Damage): fc.Arbitrary<readonly Step[]> {
  const change = damage === "either" ? fc.constantFrom<Damage>("removed", "retyped") : fc.constant<Damage>(damage);
  const maxLength = damage === "numeric strings" ? 8 : 4;
  return fc.array(fc.record({ place: fc.nat(), change, pick: fc.nat() }), { minLength: 1, maxLength });
}

/**
 * `request` with one to four attributes removed or given values of other types, one after the other and each in its
 * own place; or with several of its numbers written as text. `may` says which attributes (by default all). A request
 * in which there is nothing to damage is given as it is.
 */
export function damagedRequest(
  request: PlainRequest,
  damage: Damage,
  may: (place: Place) => boolean = () => true,
): fc.Arbitrary<Mutation> {
  return damageSteps(damage).map((steps) => damagedBy(request, steps, may));
}

/** `request` after the steps; a step for a place that has had one already is left out. */
export function damagedBy(
  request: PlainRequest,
  steps: readonly Step[],
  may: (place: Place) => boolean = () => true,
): Mutation {
  const all = places(request).filter(may);
  const chosen = new Map<string, { readonly place: Place; readonly step: Step }>();
  for (const step of steps) {
    const fit =
      step.change === "numeric strings" ? all.filter((one) => typeof valueAt(request, one) === "number") : all;
    const place = fit[step.place % fit.length];
    if (place !== undefined && !chosen.has(place.join())) chosen.set(place.join(), { place, step });
  }
  if (chosen.size === 0) return { request, what: " nothing" };
  // What is inside a map comes before the map: once a map is damaged, nothing is left in it to damage.
  return [...chosen.values()]
    .sort((a, b) => b.place.length - a.place.length)
    .reduce<Mutation>(
      ({ request: before, what }, { place, step }) => ({
        request: damaged(before, place, step.change, step.pick),
        what: `${what} ${place.join(".")} ${step.change};`,
      }),
      { request, what: "" },
    );
}

function damaged(request: PlainRequest, place: Place, change: Damage, pick: number): PlainRequest {
  if (change === "removed") return without(request, place);
  const choices = retyped(request, place);
  if (change === "numeric strings") return choices[NUMERIC_STRING] ?? request;
  // The empty map is the last of them.
  const isList = change === "resembling" && isValueList(valueAt(request, place));
  return choices[pick % (choices.length - (isList ? 1 : 0))] ?? request;
}

/** The number as text, among the values that {@link otherTypes} takes for it. */
const NUMERIC_STRING = otherTypes(1).indexOf("1");
