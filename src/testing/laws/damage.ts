/** Requests with damaged attributes: removed, or replaced by values of other types. */

import * as fc from "fast-check";
import {
  attributePlacesOf,
  type LawPlace,
  valueAt,
  withAttributeReplaced,
  withoutAttribute,
} from "./attribute-places.js";
import { isValueList, type PlainRequest, type PlainValue } from "./plain-request.js";

/**
 * `resembling`: as `retyped`, except that no list becomes an empty map: to macros, that would look like an empty list.
 */
export type Damage = "removed" | "retyped" | "resembling" | "either" | "numeric strings";

export interface RequestMutation {
  readonly request: PlainRequest;
  /** The damage, as text: `key.limits.keys removed;`. */
  readonly what: string;
}

/** Values of other types that resemble `value`: a careless comparison could confuse them. */
export function otherTypes(value: PlainValue): readonly PlainValue[] {
  if (value === null) return ["null", false, 0, [], {}];
  if (typeof value === "string") return [null, true, 1, [value], { [value]: true }];
  if (typeof value === "number") return [null, true, String(value), [value], { value }];
  if (typeof value === "boolean") return [null, String(value), Number(value), [value], { value }];
  if (isValueList(value)) {
    const members = value.map((item): [string, PlainValue] => [String(item), true]);
    return [null, true, value.length, String(value[0]), Object.fromEntries(members), {}];
  }
  return [null, true, 1, JSON.stringify(value), Object.values(value)];
}

/** Copies of `request` with the attribute at `place` replaced, one for each value that {@link otherTypes} gives. */
export function retyped(request: PlainRequest, place: LawPlace): readonly PlainRequest[] {
  const value = valueAt(request, place);
  return value === undefined ? [] : otherTypes(value).map((other) => withAttributeReplaced(request, place, other));
}

/** One step of damage, for any request: `place` is an index into its attributes (modulo their number). */
interface DamageStep {
  readonly place: number;
  readonly change: Damage;
  readonly pick: number;
}

/** Damage that can be applied to any request by {@link damagedBy}. */
export function damageSteps(damage: Damage): fc.Arbitrary<readonly DamageStep[]> {
  const change = damage === "either" ? fc.constantFrom<Damage>("removed", "retyped") : fc.constant<Damage>(damage);
  const maxLength = damage === "numeric strings" ? 8 : 4;
  return fc.array(fc.record({ place: fc.nat(), change, pick: fc.nat() }), { minLength: 1, maxLength });
}

/**
 * `request` with one to four attributes removed or replaced by values of other types, each in a different place. With
 * `numeric strings`: with several numbers replaced by their text. `may` selects the attributes (default: all). A
 * request without such attributes is returned unchanged.
 */
export function damagedRequest(
  request: PlainRequest,
  damage: Damage,
  may: (place: LawPlace) => boolean = () => true,
): fc.Arbitrary<RequestMutation> {
  return damageSteps(damage).map((steps) => damagedBy(request, steps, may));
}

/** Applies the steps to `request`. A second step for the same place is skipped. */
export function damagedBy(
  request: PlainRequest,
  steps: readonly DamageStep[],
  may: (place: LawPlace) => boolean = () => true,
): RequestMutation {
  const all = attributePlacesOf(request).filter(may);
  const chosen = new Map<string, { readonly place: LawPlace; readonly step: DamageStep }>();
  for (const step of steps) {
    const fit =
      step.change === "numeric strings" ? all.filter((one) => typeof valueAt(request, one) === "number") : all;
    const place = fit[step.place % fit.length];
    if (place !== undefined && !chosen.has(place.join())) chosen.set(place.join(), { place, step });
  }
  if (chosen.size === 0) return { request, what: " nothing" };
  // Inner attributes first: once a map is damaged, its attributes cannot be found any more.
  return [...chosen.values()]
    .sort((a, b) => b.place.length - a.place.length)
    .reduce<RequestMutation>(
      ({ request: before, what }, { place, step }) => ({
        request: damaged(before, place, step.change, step.pick),
        what: `${what} ${place.join(".")} ${step.change};`,
      }),
      { request, what: "" },
    );
}

function damaged(request: PlainRequest, place: LawPlace, change: Damage, pick: number): PlainRequest {
  if (change === "removed") return withoutAttribute(request, place);
  const choices = retyped(request, place);
  if (change === "numeric strings") return choices[NUMERIC_STRING] ?? request;
  // The empty map comes last in the list.
  const isList = change === "resembling" && isValueList(valueAt(request, place));
  return choices[pick % (choices.length - (isList ? 1 : 0))] ?? request;
}

/** The index of the number's text in the result of {@link otherTypes}. */
const NUMERIC_STRING = otherTypes(1).indexOf("1");
