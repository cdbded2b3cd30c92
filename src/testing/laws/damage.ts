/** Requests with attributes damaged: taken away, or given values of other types. */

import fc from "fast-check";
import { type Place, places, replaced, valueAt, without } from "./places.js";
import { isValueList, type PlainRequest, type Value } from "./plain-request.js";

export type Damage = "removed" | "retyped" | "either" | "numeric strings";

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
  const all = places(request).filter(
    (place) => may(place) && (damage !== "numeric strings" || typeof valueAt(request, place) === "number"),
  );
  if (all.length === 0) return fc.constant({ request, what: "nothing" });
  const how = damage === "either" ? fc.constantFrom<Damage>("removed", "retyped") : fc.constant<Damage>(damage);
  const step = fc.tuple(fc.constantFrom(...all), how, fc.nat());
  const maxLength = damage === "numeric strings" ? 8 : 4;
  // What is inside a map comes before the map: once a map is damaged, nothing is left in it to damage.
  const steps = fc
    .uniqueArray(step, { minLength: 1, maxLength, selector: ([place]) => place.join() })
    .map((chosen) => [...chosen].sort(([a], [b]) => b.length - a.length));
  return steps.map((chosen) =>
    chosen.reduce<Mutation>(
      ({ request: before, what }, [place, change, pick]) => ({
        request: damaged(before, place, change, pick),
        what: `${what} ${place.join(".")} ${change};`,
      }),
      { request, what: "" },
    ),
  );
}

function damaged(request: PlainRequest, place: Place, change: Damage, pick: number): PlainRequest {
  if (change === "removed") return without(request, place);
  const choices = retyped(request, place);
  if (change === "numeric strings") return choices[NUMERIC_STRING] ?? request;
  return choices[pick % choices.length] ?? request;
}

/** The number as text, among the values that {@link otherTypes} takes for it. */
const NUMERIC_STRING = otherTypes(1).indexOf("1");
